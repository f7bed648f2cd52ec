/* TFHE messages as blocks of two bits, and their sum with errors (spec/tfhe.md, section 4).
 * Constant time with respect to the values. */
#include "tfhe_message.h"

#include "bools.h"
#include "error/error.h"
#include "../base/memory.h"

static const uint8_t type_bits[10] = {0, 1, 8, 16, 32, 64, 8, 16, 32, 64};

/*@ requires \valid_read(run);
    assigns \nothing;
    ensures \result == ISOPOD_OK <==> ISOPOD_TFHE_BOOL <= run->type <= ISOPOD_TFHE_I64 &&
            run->count != 0; */
static isopod_status check_run(const isopod_tfhe_run *run) {
    if (run->type < ISOPOD_TFHE_BOOL || run->type > ISOPOD_TFHE_I64) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    return run->count == 0 ? ISOPOD_ERROR_COUNT : ISOPOD_OK;
}

isopod_status isopod_tfhe_schema_check(const isopod_tfhe_params *params,
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
    return total <= UINT32_C(1) << params->log2_ring_degree ? ISOPOD_OK : ISOPOD_ERROR_COUNT;
}

isopod_status isopod_tfhe_message_check(const isopod_tfhe_params *params,
                                        const isopod_tfhe_values *values, uint32_t *coefficients) {
    isopod_status status = isopod_tfhe_schema_check(params, values, coefficients);
    for (uint32_t r = 0; r < values->count && status == ISOPOD_OK; r++) {
        const isopod_tfhe_run *run = &values->runs[r];
        if (run->data == NULL) {
            status = ISOPOD_ERROR_COUNT;
        } else if (run->type == ISOPOD_TFHE_BOOL &&
                   !isopod_bools_are_valid(run->data, run->count)) {
            status = ISOPOD_ERROR_VALUE_RANGE;
        }
    }
    return status;
}

/* The place of the next block. */
typedef struct {
    uint32_t *out;
    uint32_t held;
    uint32_t at; /* bits held */
    uint32_t message_bits;
} packer;

static inline void put(packer *to, uint32_t value, uint32_t bits) {
    const uint32_t mask = (UINT32_C(1) << to->message_bits) - 1u;
    for (uint32_t done = 0; done < bits; done += to->message_bits, value >>= to->message_bits) {
        to->held |= (value & mask) << to->at;
        to->at += 2;
        if (to->at == 32) {
            *to->out++ = to->held;
            to->held = to->at = 0;
        }
    }
}

/* Packs a word at a time where booleans fill one. */
static void put_bools(packer *to, const uint8_t *values, uint32_t count) {
    for (; count > 0 && to->at != 0; count--, values++) {
        put(to, *values, 1);
    }
    isopod_bools_pack(to->out, values, count / ISOPOD_BOOLS_GROUP);
    to->out += count / ISOPOD_BOOLS_GROUP;
    values += count / ISOPOD_BOOLS_GROUP * ISOPOD_BOOLS_GROUP;
    for (count %= ISOPOD_BOOLS_GROUP; count > 0; count--, values++) {
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

/* Number of random words drawn at once. 64-bit machines take more, because their kernels draw many
 * blocks together. */
#if UINTPTR_MAX > UINT32_MAX
#define BATCH_WORDS 352u
#else
#define BATCH_WORDS ISOPOD_GAUSSIAN_WORDS
#endif

void isopod_tfhe_add_errors(void *words, const isopod_tfhe_addend *addend, isopod_stream *stream) {
    const isopod_tfhe_params *params = addend->params;
    const uint32_t group_words =
        params->tuniform != 0 ? params->tuniform + 2u : ISOPOD_GAUSSIAN_WORDS;
    const uint32_t *blocks = addend->blocks;
    const uint32_t room = isopod_errors_room(params);
    uint32_t random[BATCH_WORDS + ISOPOD_ERROR_READ_BEHIND];
    uint32_t left = (addend->count + ISOPOD_ERROR_GROUP - 1u) / ISOPOD_ERROR_GROUP;
    uint8_t *at = words;
    while (left > 0) {
        const uint32_t fitting = (BATCH_WORDS - room) / group_words;
        const uint32_t groups = left < fitting ? left : fitting;
        isopod_stream_words(stream, random + room, groups * group_words);
        isopod_errors_add(at, random, groups, blocks, params);
        if (blocks != NULL) {
            blocks += (size_t)2 * groups;
        }
        at += (size_t)groups * ISOPOD_ERROR_GROUP * (params->log2_modulus / 8u);
        left -= groups;
    }
    isopod_wipe(random, sizeof random);
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
