#include "tfhe_message.h"

#include "constant_time.h"
#include "error.h"
#include "memory.h"

static const uint8_t type_bits[10] = {0, 1, 8, 16, 32, 64, 8, 16, 32, 64};

/* Four bytes by one load: the barrier keeps compilers from mixing it with what follows. */
static inline uint32_t four_bytes(const uint8_t *at) {
    return isopod_ct_barrier(isopod_load32(at));
}

static uint32_t is_every_bool(const uint8_t *values, uint32_t count) {
    uint32_t others = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        others |= four_bytes(values + i);
    }
    for (; i < count; i++) {
        others |= values[i];
    }
    others &= 0xfefefefeu;
    ISOPOD_DECLASSIFY(others);
    return others == 0;
}

static isopod_status check_run(const isopod_tfhe_run *run) {
    if (run->type < ISOPOD_TFHE_BOOL || run->type > ISOPOD_TFHE_I64) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    if (run->count == 0 || run->data == NULL) {
        return ISOPOD_ERROR_COUNT;
    }
    if (run->type == ISOPOD_TFHE_BOOL && !is_every_bool(run->data, run->count)) {
        return ISOPOD_ERROR_VALUE_RANGE;
    }
    return ISOPOD_OK;
}

isopod_status isopod_tfhe_message_check(const isopod_tfhe_params *params,
                                        const isopod_tfhe_values *values, uint32_t *coefficients) {
    uint32_t total = 0, before = 0;
    if (values->count == 0 || values->count > ISOPOD_TFHE_RUNS) {
        return ISOPOD_ERROR_COUNT;
    }
    for (uint32_t r = 0; r < values->count; r++) {
        const isopod_tfhe_run *run = &values->runs[r];
        isopod_status status = run->type == before ? ISOPOD_ERROR_VALUE_TYPE : check_run(run);
        if (status != ISOPOD_OK) {
            return status;
        }
        before = run->type;
        total += run->count *
                 ((type_bits[before] + params->message_bits - 1u) >> (params->message_bits - 1u));
    }
    *coefficients = total;
    return total <= 1u << params->log2_ring_degree ? ISOPOD_OK : ISOPOD_ERROR_COUNT;
}

/* Where the next block goes. */
typedef struct {
    uint32_t *out;
    uint32_t held;
    uint32_t at; /* bits held */
    uint32_t message_bits;
} packer;

static inline void put(packer *to, uint32_t value, uint32_t bits) {
    const uint32_t mask = (1u << to->message_bits) - 1u;
    for (uint32_t done = 0; done < bits; done += to->message_bits, value >>= to->message_bits) {
        to->held |= (value & mask) << to->at;
        to->at += 2;
        if (to->at == 32) {
            *to->out++ = to->held;
            to->held = to->at = 0;
        }
    }
}

/* Bits 0, 8, 16, 24 as bits 0, 2, 4, 6. */
static inline uint32_t four_bools(const uint8_t *values) {
    uint32_t bits = four_bytes(values);
    bits = (bits | bits >> 6) & 0x00050005u;
    return (bits | bits >> 12) & 0x55u;
}

/* Sixteen at a time where they fill a word. */
static void put_bools(packer *to, const uint8_t *values, uint32_t count) {
    for (; count > 0 && to->at != 0; count--, values++) {
        put(to, *values, 1);
    }
    for (; count >= 16; count -= 16, values += 16) {
        *to->out++ = four_bools(values) | four_bools(values + 4) << 8 |
                     four_bools(values + 8) << 16 | four_bools(values + 12) << 24;
    }
    for (; count > 0; count--, values++) {
        put(to, *values, 1);
    }
}

static void put_run(packer *to, const isopod_tfhe_run *run) {
    const uint32_t bits = type_bits[run->type];
    if (bits == 1) {
        put_bools(to, run->data, run->count);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        if (bits <= 8) {
            put(to, ((const uint8_t *)run->data)[i], bits);
        } else if (bits == 16) {
            put(to, ((const uint16_t *)run->data)[i], bits);
        } else if (bits == 32) {
            put(to, ((const uint32_t *)run->data)[i], bits);
        } else {
            uint64_t value = ((const uint64_t *)run->data)[i];
            put(to, (uint32_t)value, 32);
            put(to, (uint32_t)(value >> 32), 32);
        }
    }
}

void isopod_tfhe_message_pack(uint32_t *blocks, const isopod_tfhe_params *params,
                              const isopod_tfhe_values *values) {
    packer to = {blocks, 0, 0, params->message_bits};
    for (uint32_t r = 0; r < values->count; r++) {
        put_run(&to, &values->runs[r]);
    }
    if (to.at != 0) {
        *to.out++ = to.held;
    }
    if (((uint32_t)(to.out - blocks) & 1u) != 0) {
        *to.out = 0;
    }
    isopod_wipe(&to, sizeof to);
}

/* Random words drawn at once: enough for vectors of blocks where those are long. */
#if UINTPTR_MAX > UINT32_MAX
#define BATCH_WORDS 320u
#else
#define BATCH_WORDS ISOPOD_GAUSSIAN_WORDS
#endif

typedef struct {
    isopod_stream *stream;
    uint32_t group_words; /* of 32 errors */
    uint32_t groups;      /* still to come */
    uint32_t used;        /* words of the batch */
    uint32_t held;
    uint32_t words[BATCH_WORDS + ISOPOD_ERROR_READ_BEHIND];
} batch;

static const uint32_t *next_group(batch *from) {
    if (from->used == from->held) {
        uint32_t fitting = BATCH_WORDS / from->group_words;
        uint32_t groups = from->groups < fitting ? from->groups : fitting;
        from->held = groups * from->group_words;
        from->groups -= groups;
        from->used = 0;
        isopod_stream_words(from->stream, from->words, from->held);
    }
    from->used += from->group_words;
    return from->words + from->used - from->group_words;
}

void isopod_tfhe_add_errors(void *words, const isopod_tfhe_addend *addend, isopod_stream *stream) {
    const isopod_tfhe_params *params = addend->params;
    const uint32_t *blocks = addend->blocks;
    int32_t errors[ISOPOD_ERROR_GROUP];
    batch from;
    uint8_t *at = words;
    from.stream = stream;
    from.group_words = params->tuniform != 0 ? params->tuniform + 2u : ISOPOD_GAUSSIAN_WORDS;
    from.groups = (addend->count + ISOPOD_ERROR_GROUP - 1u) / ISOPOD_ERROR_GROUP;
    from.used = from.held = 0;
    for (uint32_t i = 0; i < addend->count; i += ISOPOD_ERROR_GROUP) {
        const uint32_t *random = next_group(&from);
        if (params->tuniform != 0) {
            isopod_error_tuniform(errors, params->tuniform, random);
        } else {
            isopod_error_gaussian(errors, random);
        }
        isopod_error_add(at, errors, blocks, params);
        if (blocks != NULL) {
            blocks += 2;
        }
        at += ISOPOD_ERROR_GROUP * (params->log2_modulus / 8u);
    }
    isopod_wipe(errors, sizeof errors);
    isopod_wipe(&from, sizeof from);
}

void isopod_tfhe_round(void *words, uint32_t count, const isopod_tfhe_params *params) {
    if (params->log2_modulus == 32) {
        const uint32_t *from = words;
        uint16_t *to = words;
        for (uint32_t i = 0; i < count; i++) {
            to[i] = (uint16_t)((from[i] + 0x8000u) >> 16);
        }
    } else {
        const uint32_t *from = words;
        uint32_t *to = words;
        for (uint32_t i = 0; i < count; i++) {
            to[i] = from[2 * i + 1] + (from[2 * i] >> 31);
        }
    }
}
