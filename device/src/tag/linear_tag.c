/* Linear tags (spec/verify.md, sections 2 and 3): Horner's rule modulo p = 2^61 - 1 while values
 * pass, and the pad of the frame's name. */
#include "linear_tag.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/keccak.h"
#include "linear_number.h"

typedef isopod_linear_number number;

/*@ requires \valid(words + (0 .. 1));
    assigns words[0 .. 1];
    ensures words[0] + words[1] * 0x100000000 == a; */
static inline void store64(uint32_t words[2], uint64_t a) {
    words[0] = (uint32_t)a;
    words[1] = (uint32_t)(a >> 32);
}

/* a * r^exponent; the exponent is public. */
static number raised(number a, number r, uint32_t exponent) {
    const number one = {1, 0};
    number power = one;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        power = bit <= exponent ? isopod_linear_step(power, power, 0) : power;
        power = (exponent & bit) != 0 ? isopod_linear_step(power, r, 0) : power;
    }
    return isopod_linear_step(a, power, 0);
}

static number of_halves(number sum, number point, const int16_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        sum = isopod_linear_step(sum, point, values[i]);
    }
    return sum;
}

static number of_words(number sum, number point, const int32_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        sum = isopod_linear_step(sum, point, values[i]);
    }
    return sum;
}

number isopod_linear_values(number sum, number point, const isopod_values *values, uint32_t first) {
    return values->type == ISOPOD_VALUES_INT16
               ? of_halves(sum, point, (const int16_t *)values->data + first, values->count)
               : of_words(sum, point, (const int32_t *)values->data + first, values->count);
}

void isopod_linear_add(isopod_linear_sum *sum, const isopod_linear_key *key,
                       const isopod_values *values, uint32_t first, uint32_t place) {
    const number point = isopod_linear_number_of(key->point);
    number so_far = isopod_linear_number_of(sum->sum);
    if (place != sum->place) {
        so_far = raised(so_far, point, place - sum->place);
    }
    so_far = isopod_linear_values(so_far, point, values, first);
    isopod_linear_store(sum->sum, so_far);
    sum->place = place + values->count;
}

void isopod_linear_pads(uint8_t out[32], const uint8_t key[32], const isopod_linear_frame *frame) {
    static const uint8_t none[ISOPOD_PACKING_BYTES] = {0};
    uint8_t shape[16];
    const uint32_t unit = (uint8_t)frame->log2_unit;
    isopod_hchacha20(out, key, frame->packing != NULL ? frame->packing : none);
    isopod_store32(shape, frame->name->epoch);
    isopod_store32(shape + 4, frame->columns);
    isopod_store32(shape + 8, frame->stride);
    isopod_store32(shape + 12, unit | (uint32_t)(frame->packing != NULL) << 8);
    isopod_hchacha20(out, out, shape);
}

/* The pad of the frame under a key of pads, modulo p but not canonical. */
static ISOPOD_NOINLINE uint64_t pad_of(uint32_t words[ISOPOD_LINEAR_WORDS], const uint8_t key[32],
                                       const isopod_linear_frame *frame) {
    uint8_t *const secret = (uint8_t *)(words + ISOPOD_CHACHA20_WORDS);
    const uint64_t block = frame->name->sequence >> ISOPOD_LINEAR_SEQUENCE_SHIFT;
    const uint32_t at = (uint32_t)frame->name->sequence % (1u << ISOPOD_LINEAR_SEQUENCE_SHIFT) * 2u;
    const uint32_t input[4] = {0, (uint32_t)block, (uint32_t)(block >> 32), 0};
    isopod_linear_pads(secret, key, frame);
    isopod_chacha20_block(words, secret, input);
    return isopod_linear_folded((uint64_t)words[at + 1u] << 32 | words[at]);
}

void isopod_linear_hide(uint32_t out[ISOPOD_LINEAR_WORDS], number total,
                        const isopod_linear_key *key, const isopod_linear_frame *frame) {
    uint64_t tag = (uint64_t)total.high << 32 | total.low;
    for (const isopod_linear_pad_key *pads = &key->pads; pads != NULL; pads = pads->next) {
        tag = isopod_linear_folded(tag + pad_of(out, pads->key, frame));
    }
    tag = isopod_linear_canonical(tag);
    tag |= (uint64_t)(key->period % 8u) << 61;
    store64(out, tag);
}

static number whole(const isopod_linear_sum *sum, const isopod_linear_key *key,
                    uint32_t ring_degree) {
    const uint32_t left = ring_degree + 1u - sum->place;
    return raised(isopod_linear_number_of(sum->sum), isopod_linear_number_of(key->point), left);
}

uint64_t isopod_linear_value(const isopod_linear_sum *sum, const isopod_linear_key *key,
                             uint32_t ring_degree) {
    const number total = whole(sum, key, ring_degree);
    return (uint64_t)total.high << 32 | total.low;
}

void isopod_linear_finish(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                          const isopod_linear_key *key, const isopod_linear_frame *frame) {
    isopod_linear_hide(out, whole(sum, key, frame->ring_degree), key, frame);
}

static void derive(uint8_t *out, size_t length, const uint8_t *label, size_t label_length,
                   const uint8_t *secret) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, label, label_length);
    isopod_keccak_absorb(&sponge, secret, ISOPOD_LINEAR_SECRET_BYTES);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, length);
    isopod_wipe(&sponge, sizeof sponge);
}

static void derive_pads(isopod_linear_pad_key *pads, const isopod_linear_secrets *secrets) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_LINEAR_PAD;
    derive(pads->key, sizeof pads->key, label, sizeof label, secrets->device);
    pads->next = NULL;
}

void isopod_linear_derive(isopod_linear_key *key, const isopod_linear_secrets *secrets) {
    static const uint8_t point_label[] = ISOPOD_HASH_LABEL_LINEAR_POINT;
    uint8_t point[8];
    key->period = secrets->period;
    derive(point, sizeof point, point_label, sizeof point_label, secrets->group);
    derive_pads(&key->pads, secrets);
    store64(key->point, isopod_linear_folded(isopod_load64(point)));
    isopod_wipe(point, sizeof point);
    isopod_wipe_stack();
}

isopod_status isopod_linear_key_add_pads(isopod_linear_key *key, isopod_linear_pad_key *pads,
                                         const isopod_linear_secrets *secrets) {
    if (secrets->period != key->period) {
        return ISOPOD_ERROR_STATE;
    }
    derive_pads(pads, secrets);
    pads->next = key->pads.next;
    key->pads.next = pads;
    isopod_wipe_stack();
    return ISOPOD_OK;
}

isopod_status isopod_linear_secrets_advance(isopod_linear_secrets *secrets) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_LINEAR_NEXT;
    if (secrets->period == UINT32_MAX) {
        return ISOPOD_ERROR_STATE;
    }
    derive(secrets->group, sizeof secrets->group, label, sizeof label, secrets->group);
    derive(secrets->device, sizeof secrets->device, label, sizeof label, secrets->device);
    secrets->period++;
    isopod_wipe_stack();
    return ISOPOD_OK;
}
