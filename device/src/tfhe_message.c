#include "tfhe_message.h"

#include "constant_time.h"
#include "error.h"
#include "memory.h"

static const uint8_t type_bits[10] = {0, 1, 8, 16, 32, 64, 8, 16, 32, 64};

static uint32_t is_every_bool(const uint8_t *values, uint32_t count) {
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++) {
        others |= values[i] & 0xfeu;
    }
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

static void put_bools(packer *to, const uint8_t *values, uint32_t count) {
    uint32_t held = to->held, at = to->at;
    for (const uint8_t *end = values + count; values != end; values++) {
        held |= (uint32_t)*values << at;
        at += 2;
        if (at == 32) {
            *to->out++ = held;
            held = at = 0;
        }
    }
    to->held = held;
    to->at = at;
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

/* 32 coefficients; the errors are small enough for 32 bits in either ring. */
static void add32(uint32_t *words, const int32_t *errors, const uint32_t blocks[2],
                  const isopod_tfhe_params *params) {
    const uint32_t delta = params->log2_delta;
    const uint32_t offset = params->centred != 0 ? 1u << (delta - 1u) : 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t block = blocks[half];
        for (uint32_t i = 0; i < 16; i++, block >>= 2) {
            *words++ += (uint32_t)*errors++ + ((block & 3u) << delta) - offset;
        }
    }
}

static void add64(uint64_t *words, const int32_t *errors, const uint32_t blocks[2],
                  const isopod_tfhe_params *params) {
    const uint32_t delta = params->log2_delta;
    const uint64_t offset = params->centred != 0 ? (uint64_t)1 << (delta - 1u) : 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t block = blocks[half];
        for (uint32_t i = 0; i < 16; i++, block >>= 2) {
            uint64_t message = ((uint64_t)(block & 3u) << delta) - offset;
            *words++ += (uint64_t)(int64_t)*errors++ + message;
        }
    }
}

static void add_errors_only(uint8_t *words, const int32_t *errors,
                            const isopod_tfhe_params *params) {
    for (uint32_t i = 0; i < ISOPOD_ERROR_GROUP; i++) {
        if (params->log2_modulus == 32) {
            ((uint32_t *)(void *)words)[i] += (uint32_t)errors[i];
        } else {
            ((uint64_t *)(void *)words)[i] += (uint64_t)(int64_t)errors[i];
        }
    }
}

static void add_group(uint8_t *words, const int32_t *errors, const uint32_t *blocks,
                      const isopod_tfhe_params *params) {
    if (blocks == NULL) {
        add_errors_only(words, errors, params);
    } else if (params->log2_modulus == 32) {
        add32((uint32_t *)(void *)words, errors, blocks, params);
    } else {
        add64((uint64_t *)(void *)words, errors, blocks, params);
    }
}

void isopod_tfhe_add_errors(void *words, const isopod_tfhe_addend *addend, isopod_stream *stream) {
    const isopod_tfhe_params *params = addend->params;
    int32_t errors[ISOPOD_ERROR_GROUP];
    uint8_t *at = words;
    for (uint32_t i = 0; i < addend->count; i += ISOPOD_ERROR_GROUP) {
        if (params->tuniform != 0) {
            isopod_error_tuniform(errors, params->tuniform, stream);
        } else {
            isopod_error_gaussian(errors, stream);
        }
        add_group(at, errors, addend->blocks != NULL ? addend->blocks + i / 16u : NULL, params);
        at += ISOPOD_ERROR_GROUP * (params->log2_modulus / 8u);
    }
    isopod_wipe(errors, sizeof errors);
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
