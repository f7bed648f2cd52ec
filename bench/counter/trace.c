#include "trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "limits.h"

static FILE *out;
static uint64_t digest;
static uint64_t outer[MAX_DEPTH];

/* One step of a multiplicative hash with a shift; different sequences collide with probability
 * about 2^-64. */
static void take(uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
}

static void on_instruction(unsigned int vcpu, void *address) {
    (void)vcpu;
    take((uint64_t)(uintptr_t)address);
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t information, uint64_t address,
                      void *data) {
    (void)vcpu;
    (void)information;
    (void)data;
    take(~address);
}

bool trace_open(const char *path) {
    out = fopen(path, "w");
    return out != NULL;
}

bool trace_is_open(void) {
    return out != NULL;
}

void trace_instruction(struct qemu_plugin_insn *instruction) {
    void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                                           address);
    qemu_plugin_register_vcpu_mem_cb(instruction, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, NULL);
}

void trace_begin(size_t depth) {
    outer[depth] = digest;
    digest = 0;
}

void trace_end(size_t depth, size_t region) {
    fprintf(out, "%zu %016" PRIx64 "\n", region, digest);
    digest = outer[depth];
}

void trace_close(void) {
    fclose(out);
}
