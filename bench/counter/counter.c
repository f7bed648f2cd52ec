/* QEMU TCG plugin: counts the guest instructions executed inside marked regions (markers.h).
 *   -plugin libcounter.so,target=thumb|rv32|aarch64|arm,out=FILE[,functions=FILE][,trace=FILE]
 * At exit FILE holds one line per region, "index instructions cycles", in the order of their
 * beginnings; a region counts those nested in it, and no marker. The file is "error ..." when an
 * end has no beginning, a region never ended, or there were too many. One vCPU.
 *
 * Every instruction adds to the counters as it executes, so translation blocks, their chaining and
 * their borders do not matter, but for one cycle of a load that follows a load across a border that
 * is no branch. Markers are recognised by their first bytes only: at the end of a
 * page QEMU 7.2 hands over a 16-bit Thumb instruction together with the bytes that follow. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cost.h"
#include "histogram.h"
#include "limits.h"
#include "plugin_api.h"
#include "trace.h"

typedef struct {
    const char *name;
    size_t bytes;
    uint32_t begin;
    uint32_t end;
    uint32_t (*cost)(uint32_t code, bool *after_memory);
} marker_pair;

typedef struct {
    uint64_t instructions;
    uint64_t cycles;
} totals;

/* No model: zero cycles. */
static uint32_t cost_unknown(uint32_t code, bool *after_memory) {
    (void)code;
    (void)after_memory;
    return 0;
}

static const marker_pair MARKERS[] = {
    {"thumb", 2, 0x46d2, 0x46db, cost_cortex_m4},
    {"rv32", 4, 0x00100013, 0x00200013, cost_cv32e40p},
    {"aarch64", 4, 0xaa0a03ea, 0xaa0b03eb, cost_unknown},
    {"arm", 4, 0xe1a0a00a, 0xe1a0b00b, cost_unknown},
};

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static const marker_pair *markers;
static char out_path[4096];
static totals executed;
static totals regions[MAX_REGIONS];
static size_t region_count;
static size_t open_regions[MAX_DEPTH];
static size_t depth;
static const char *failure;

/* While a region is open its entry holds the counters at its beginning. */
static void on_begin(unsigned int vcpu, void *data) {
    (void)vcpu;
    (void)data;
    if (region_count == MAX_REGIONS || depth == MAX_DEPTH) {
        failure = "too many regions";
        return;
    }
    if (depth == 0 && histogram_is_open()) {
        histogram_begin();
    }
    if (trace_is_open()) {
        trace_begin(depth);
    }
    open_regions[depth++] = region_count;
    regions[region_count++] = executed;
}

static void on_end(unsigned int vcpu, void *data) {
    (void)vcpu;
    (void)data;
    if (depth == 0) {
        failure = "a region ended that never began";
        return;
    }
    totals *region = &regions[open_regions[--depth]];
    region->instructions = executed.instructions - region->instructions;
    region->cycles = executed.cycles - region->cycles;
    if (trace_is_open()) {
        trace_end(depth, (size_t)(region - regions));
    }
    if (depth == 0 && histogram_is_open()) {
        histogram_end((size_t)(region - regions));
    }
}

static uint32_t first_bytes(const struct qemu_plugin_insn *instruction, size_t bytes) {
    const size_t size = qemu_plugin_insn_size(instruction);
    uint32_t value = 0;
    memcpy(&value, qemu_plugin_insn_data(instruction), size < bytes ? size : bytes);
    return value;
}

static void count(struct qemu_plugin_insn *instruction, bool *after_memory) {
    const uint32_t cycles = markers->cost(first_bytes(instruction, 4), after_memory);
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64,
                                               &executed.instructions, 1);
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64,
                                               &executed.cycles, cycles);
    if (histogram_is_open()) {
        uint64_t *function = histogram_counter(qemu_plugin_insn_symbol(instruction));
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64,
                                                   function, 1);
    }
    if (trace_is_open()) {
        trace_instruction(instruction);
    }
}

static void instrument(struct qemu_plugin_insn *instruction, bool *after_memory) {
    const uint32_t value = first_bytes(instruction, markers->bytes);
    if (value == markers->begin) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else if (value == markers->end) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else {
        count(instruction, after_memory);
        return;
    }
    *after_memory = false;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(block);
    bool after_memory = false;
    for (size_t i = 0; i < count; i++) {
        instrument(qemu_plugin_tb_get_insn(block, i), &after_memory);
    }
}

static void on_guest_exit(qemu_plugin_id_t id, void *data) {
    (void)id;
    (void)data;
    if (histogram_is_open()) {
        histogram_close();
    }
    if (trace_is_open()) {
        trace_close();
    }
    FILE *out = fopen(out_path, "w");
    if (out == NULL) {
        qemu_plugin_outs("counter: cannot write the file given as out=\n");
        return;
    }
    if (failure == NULL && depth > 0) {
        failure = "a region began that never ended";
    }
    if (failure != NULL) {
        fprintf(out, "error %s\n", failure);
    }
    for (size_t i = 0; failure == NULL && i < region_count; i++) {
        fprintf(out, "%zu %" PRIu64 " %" PRIu64 "\n", i, regions[i].instructions,
                regions[i].cycles);
    }
    fclose(out);
}

static bool take_argument(const char *argument) {
    if (strncmp(argument, "out=", 4) == 0) {
        return (size_t)snprintf(out_path, sizeof out_path, "%s", argument + 4) < sizeof out_path;
    }
    if (strncmp(argument, "functions=", 10) == 0) {
        return histogram_open(argument + 10);
    }
    if (strncmp(argument, "trace=", 6) == 0) {
        return trace_open(argument + 6);
    }
    for (size_t i = 0; i < sizeof MARKERS / sizeof MARKERS[0]; i++) {
        if (strncmp(argument, "target=", 7) == 0 && strcmp(argument + 7, MARKERS[i].name) == 0) {
            markers = &MARKERS[i];
            return true;
        }
    }
    return false;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!take_argument(argv[i])) {
            fprintf(stderr,
                    "counter: argument \"%s\" is not target=thumb|rv32|aarch64|arm, out=FILE, "
                    "functions=FILE or trace=FILE\n",
                    argv[i]);
            return -1;
        }
    }
    if (markers == NULL || out_path[0] == '\0') {
        fprintf(stderr, "counter: give target=thumb|rv32|aarch64|arm and out=FILE\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_guest_exit, NULL);
    return 0;
}
