/* Linear tags (spec/verify.md, sections 2 and 3): Horner's rule modulo p = 2^61 - 1 while values
 * pass, and the pad of the frame's name. Products are of 32 bits by 32: constant time where these
 * are. */
#include "linear_tag.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/keccak.h"

#define MODULUS ISOPOD_LINEAR_MODULUS
#define TOP 0x1fffffffu /* its high word */

/* A number below 2^61 + 8, in words. */
typedef struct {
    uint32_t low, high;
} number;

/* a * r + m modulo p, for a, r < 2^61 + 8 and |m| < 2^31. With the product in words w3 .. w0, the
 * sum is w1:w0 mod 2^61 + floor(product / 2^61) + m + p < 2^63, and folded once below 2^61 + 4. */
static inline number step(number a, number r, int32_t m) {
    const uint64_t low = (uint64_t)a.low * r.low;
    const uint64_t middle =
        (uint64_t)a.low * r.high + (uint64_t)a.high * r.low + (uint32_t)(low >> 32);
    const uint64_t high = (uint64_t)a.high * r.high + (uint32_t)(middle >> 32);
    const uint32_t word1 = (uint32_t)middle;
    uint64_t sum = (uint64_t)(word1 & TOP) << 32 | (uint32_t)low;
    sum += high << 3 | word1 >> 29;
    sum = isopod_linear_folded(sum + (uint64_t)((int64_t)m + (int64_t)MODULUS));
    const number result = {(uint32_t)sum, (uint32_t)(sum >> 32)};
    return result;
}

static inline void store64(uint32_t words[2], uint64_t a) {
    words[0] = (uint32_t)a;
    words[1] = (uint32_t)(a >> 32);
}

static inline number number_of(const uint32_t words[2]) {
    const number result = {words[0], words[1]};
    return result;
}

static inline void store(uint32_t words[2], number a) {
    words[0] = a.low;
    words[1] = a.high;
}

/* a * r^exponent; the exponent is public. */
static number raised(number a, number r, uint32_t exponent) {
    const number one = {1, 0};
    number power = one;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        power = bit <= exponent ? step(power, power, 0) : power;
        power = (exponent & bit) != 0 ? step(power, r, 0) : power;
    }
    return step(a, power, 0);
}

static number of_halves(number sum, number point, const int16_t *values, uint32_t count) {
    for (const int16_t *const end = values + count; values != end; values++) {
        sum = step(sum, point, *values);
    }
    return sum;
}

static number of_words(number sum, number point, const int32_t *values, uint32_t count) {
    for (const int32_t *const end = values + count; values != end; values++) {
        sum = step(sum, point, *values);
    }
    return sum;
}

void isopod_linear_add(isopod_linear_sum *sum, const isopod_linear_key *key,
                       const isopod_values *values, uint32_t first, uint32_t place) {
    const number point = number_of(key->point);
    number so_far = number_of(sum->sum);
    if (place != sum->place) {
        so_far = raised(so_far, point, place - sum->place);
    }
    if (values->type == ISOPOD_VALUES_INT16) {
        so_far = of_halves(so_far, point, (const int16_t *)values->data + first, values->count);
    } else {
        so_far = of_words(so_far, point, (const int32_t *)values->data + first, values->count);
    }
    store(sum->sum, so_far);
    sum->place = place + values->count;
}

void isopod_linear_pads(uint8_t out[32], const isopod_linear_key *key,
                        const isopod_linear_frame *frame) {
    static const uint8_t none[ISOPOD_PACKING_BYTES] = {0};
    uint8_t shape[16];
    const uint32_t unit = (uint8_t)frame->log2_unit;
    isopod_hchacha20(out, key->pad_key, frame->packing != NULL ? frame->packing : none);
    isopod_store32(shape, frame->name->epoch);
    isopod_store32(shape + 4, frame->columns);
    isopod_store32(shape + 8, frame->stride);
    isopod_store32(shape + 12, unit | (uint32_t)(frame->packing != NULL) << 8);
    isopod_hchacha20(out, out, shape);
}

/* The pad of the frame, modulo p but not canonical. */
static ISOPOD_NOINLINE uint64_t pad_of(uint32_t words[ISOPOD_LINEAR_WORDS],
                                       const isopod_linear_key *key,
                                       const isopod_linear_frame *frame) {
    uint8_t *const secret = (uint8_t *)(words + ISOPOD_CHACHA20_WORDS);
    const uint64_t block = frame->name->sequence >> ISOPOD_LINEAR_SEQUENCE_SHIFT;
    const uint32_t at = (uint32_t)frame->name->sequence % (1u << ISOPOD_LINEAR_SEQUENCE_SHIFT) * 2u;
    const uint32_t input[4] = {0, (uint32_t)block, (uint32_t)(block >> 32), 0};
    isopod_linear_pads(secret, key, frame);
    isopod_chacha20_block(words, secret, input);
    return isopod_linear_folded((uint64_t)words[at + 1u] << 32 | words[at]);
}

uint64_t isopod_linear_value(const isopod_linear_sum *sum, const isopod_linear_key *key,
                             uint32_t ring_degree) {
    const number point = number_of(key->point);
    const number total = raised(number_of(sum->sum), point, ring_degree + 1u - sum->place);
    return (uint64_t)total.high << 32 | total.low;
}

void isopod_linear_finish(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                          const isopod_linear_key *key, const isopod_linear_frame *frame) {
    uint64_t tag = isopod_linear_value(sum, key, frame->ring_degree) + pad_of(out, key, frame);
    tag = isopod_linear_canonical(isopod_linear_folded(tag));
    tag |= (uint64_t)(key->period % 8u) << 61;
    store64(out, tag);
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

void isopod_linear_derive(isopod_linear_key *key, const isopod_linear_secrets *secrets) {
    static const uint8_t point_label[] = ISOPOD_HASH_LABEL_LINEAR_POINT;
    static const uint8_t pad_label[] = ISOPOD_HASH_LABEL_LINEAR_PAD;
    uint8_t point[8];
    key->period = secrets->period;
    derive(point, sizeof point, point_label, sizeof point_label, secrets->group);
    derive(key->pad_key, sizeof key->pad_key, pad_label, sizeof pad_label, secrets->device);
    store64(key->point, isopod_linear_folded(isopod_load64(point)));
    isopod_wipe(point, sizeof point);
    isopod_wipe_stack();
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
