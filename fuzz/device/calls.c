/* Fuzz target of the device library's calls in any order: the input is a program of them. Each byte
 * of it chooses a call, the bytes behind it the arguments: configurations, values, workspaces and
 * buffers of any size, whole and rounded encryptions, frames, tags, a noise source that fails.
 * Every call returns a documented status, writes no more than it was given room for, and leaves
 * what an encryption needs in a state that later calls refuse or go on with. */
#include <stdlib.h>
#include <string.h>

#include "../../device/test/harness/check.h"
#include "../../device/test/harness/fixture.h"
#include "isopod/linear_tag.h"

#define SETS 4u
#define MOST_CALLS 64u
#define MOST_VALUES 1100u

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rest of the input; zeros behind its end. */
typedef struct {
    const uint8_t *next, *end;
} program;

/* Everything that calls work on. */
typedef struct {
    fixture set;
    isopod_encryption encryption;
    isopod_rounded rounded;
    isopod_frame frame;
    isopod_rounding rounding;
    isopod_linear_key tags;
    isopod_linear_pad_key pads;
    isopod_value_source source;
    uint8_t packing[ISOPOD_PACKING_BYTES];
    void *memory; /* of the workspace */
    int has_begun, is_rounded;
} machine;

static fixture sets[SETS];
static int32_t numbers[MOST_VALUES];
static float reals[MOST_VALUES];

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

static uint8_t byte(program *input) {
    return input->next < input->end ? *input->next++ : 0;
}

static uint32_t word(program *input, uint32_t bytes) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        found = found << 8 | byte(input);
    }
    return found;
}

static isopod_status known(isopod_status status) {
    require(status <= ISOPOD_DONE && status >= ISOPOD_ERROR_PACKET);
    return status;
}

static int failing(void *state, uint8_t *out, size_t length) {
    (void)state;
    memset(out, 0, length);
    return -1;
}

/* Sets one number of the configuration; most values are allowed, and some are not. */
static void set_number(machine *all, program *input) {
    isopod_encryption_config *config = &all->set.config;
    switch (byte(input) % 9u) {
    case 0:
        config->log2_scale = byte(input);
        break;
    case 1:
        config->log2_bound = (int8_t)byte(input);
        break;
    case 2:
        config->level = byte(input) % 3u;
        break;
    case 3:
        fixture_layout(&all->set, byte(input) % 7u);
        break;
    case 4:
        config->stride = word(input, 2);
        break;
    case 5:
        config->buckets = word(input, 2);
        break;
    case 6:
        config->bound = word(input, 3);
        break;
    case 7:
        config->chunks = byte(input);
        break;
    default:
        config->accept_label = byte(input) % 3u;
    }
}

/* Names one option of the configuration, or none. */
static void set_option(machine *all, program *input) {
    isopod_encryption_config *config = &all->set.config;
    const uint8_t which = byte(input) % 5u, is_given = byte(input) % 2u;
    switch (which) {
    case 0:
        config->suite = is_given ? &isopod_suite_chacha20 : &isopod_suite_shake256;
        break;
    case 1:
        config->out_of_range = is_given ? &isopod_clamp : NULL;
        break;
    case 2:
        config->packing = is_given ? all->packing : NULL;
        break;
    case 3:
        config->linear_key = is_given ? &all->tags : NULL;
        break;
    default:
        config->fault_check = is_given ? &isopod_compute_twice : NULL;
    }
}

static void round_rows(machine *all, program *input) {
    all->rounding.columns = word(input, 2);
    all->rounding.run = word(input, 2);
    all->rounding.dropped[0] = byte(input) % 40u;
    all->rounding.dropped[1] = byte(input) % 40u;
}

/* A workspace of the length that whole or rounded encryption needs, or of a chosen one; in memory
 * of just this length. */
static void give_workspace(machine *all, program *input) {
    const uint32_t choice = byte(input) % 3u, chunks = all->set.config.chunks;
    isopod_workspace *workspace = &all->set.encryptor.workspace;
    const int is_possible = chunks != 0 && chunks <= 8u && (chunks & (chunks - 1u)) == 0 &&
                            all->set.config.level <= all->set.params->prime_count;
    if (choice == 0 && is_possible) {
        fixture_workspace(&all->set);
    } else if (choice == 1 && is_possible) {
        rounded_workspace(&all->set);
    } else {
        workspace->bytes = word(input, 2);
    }
    free(all->memory);
    all->memory = malloc(workspace->bytes);
    require(all->memory != NULL || workspace->bytes == 0);
    workspace->memory = all->memory;
}

static isopod_values values_of(program *input) {
    static const uint8_t types[] = {ISOPOD_VALUES_INT16, ISOPOD_VALUES_INT32, ISOPOD_VALUES_UINT32,
                                    ISOPOD_VALUES_FLOAT32};
    const uint8_t type = types[byte(input) % 4u];
    const void *data = type == ISOPOD_VALUES_FLOAT32 ? (const void *)reals : (const void *)numbers;
    const isopod_values values = {data, word(input, 2) % MOST_VALUES, type};
    numbers[0] = (int32_t)word(input, 4);
    return values;
}

static void begin(machine *all, program *input) {
    isopod_values values = values_of(input);
    all->is_rounded = byte(input) % 2u;
    if (all->is_rounded) {
        all->source.values = values;
        all->source.log2_unit = (int8_t)byte(input);
        (void)known(rounded_begin(&all->set, &all->rounded, &all->source));
    } else {
        (void)known(fixture_begin(&all->set, &all->encryption, &values));
    }
    all->has_begun = 1;
}

static void begin_frame(machine *all) {
    if (all->has_begun) {
        (void)known(all->is_rounded ? isopod_rounded_frame_begin(&all->frame, &all->rounded)
                                    : isopod_frame_begin(&all->frame, &all->encryption));
    }
}

/* Takes pieces into a buffer of exactly their room. */
static void take(machine *all, program *input, int is_frame) {
    const size_t capacity = word(input, 2) % 2000u;
    const uint32_t times = byte(input);
    uint8_t *out = malloc(capacity);
    isopod_status status = ISOPOD_OK;
    require(out != NULL || capacity == 0);
    for (uint32_t i = 0; all->has_begun && status == ISOPOD_OK && i <= times; i++) {
        isopod_piece piece = {.length = 0};
        if (is_frame) {
            status = isopod_frame_next(&all->frame, out, capacity, &piece);
        } else if (all->is_rounded) {
            status = isopod_rounded_next(&all->rounded, out, capacity, &piece.length);
        } else {
            status = isopod_encryption_next(&all->encryption, out, capacity, &piece.length);
        }
        require(piece.length <= capacity && (known(status) == ISOPOD_OK) == (piece.length != 0));
    }
    free(out);
}

static void give_up(machine *all) {
    if (all->has_begun && all->is_rounded) {
        isopod_rounded_abort(&all->rounded);
    } else if (all->has_begun) {
        isopod_encryption_abort(&all->encryption);
    }
}

static void open_tags(machine *all, program *input) {
    isopod_linear_secrets secrets = {.period = byte(input) % 2u};
    memset(secrets.group, byte(input), sizeof secrets.group);
    (byte(input) % 2u != 0 ? isopod_linear_key_open_columns : isopod_linear_key_open)(&all->tags,
                                                                                      &secrets);
    secrets.period = byte(input) % 2u;
    (void)known(isopod_linear_key_add_pads(&all->tags, &all->pads, &secrets));
}

/* Changes what an encryption relies on; the one in progress is given up before, and stays so. */
static void change(machine *all, program *input, uint32_t which) {
    give_up(all);
    switch (which) {
    case 0:
        set_number(all, input);
        break;
    case 1:
        set_option(all, input);
        break;
    case 2:
        give_workspace(all, input);
        break;
    case 3:
        open_tags(all, input);
        break;
    case 4:
        begin(all, input);
        break;
    default:
        round_rows(all, input);
        all->set.entropy.fill = byte(input) == 255u ? failing : fixture_fill;
    }
}

static void call(machine *all, program *input) {
    const uint32_t which = byte(input) % 10u;
    switch (which) {
    case 6:
        begin_frame(all);
        break;
    case 7:
        take(all, input, 0);
        break;
    case 8:
        take(all, input, 1);
        break;
    case 9:
        give_up(all);
        break;
    default:
        change(all, input, which);
    }
    (void)isopod_frame_part_bytes(&all->frame);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    for (uint32_t i = 0; i < MOST_VALUES; i++) {
        numbers[i] = (int32_t)(i % 7u) - 3;
        reals[i] = (float)numbers[i] / 4.0F;
    }
    for (uint32_t i = 0; i < SETS; i++) {
        const isopod_params *params =
            i % 2u != 0 ? &isopod_bfv_1024x1_count : &isopod_ckks_1024x1_sum;
        fixture_open(&sets[i], params, i < 2u ? ISOPOD_KEY_PUBLIC : ISOPOD_KEY_SECRET_NTT);
        fixture_configure(&sets[i], &isopod_suite_chacha20, 1);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t device_key[ISOPOD_FRAME_KEY_BYTES] = {3};
    program input = {data, data + size};
    machine all = {.has_begun = 0};
    uint8_t seed = 1;
    const size_t mark = check_memory_mark();
    all.set = sets[byte(&input) % SETS];
    all.set.config.tables = &all.set.tables;
    all.set.config.key = &all.set.key;
    all.set.encryptor.entropy = &all.set.entropy;
    all.set.encryptor.sender = &all.set.sender;
    all.set.entropy.state = &seed;
    all.set.sender.key = device_key;
    rounded_configure(&all.set);
    all.rounding = *all.set.config.rounding;
    all.set.config.rounding = &all.rounding;
    all.set.encryptor.workspace.bytes = 0;
    open_tags(&all, &input);
    for (uint32_t i = 0; i < MOST_CALLS && input.next < input.end; i++) {
        call(&all, &input);
    }
    give_up(&all);
    free(all.memory);
    check_memory_release(mark);
    return 0;
}
