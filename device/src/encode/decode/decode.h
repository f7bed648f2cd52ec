/* Decoding of real slots in fixed point (spec/decryption.md, section 2), constant time, the same
 * bits on every machine. The same source (decode_template.h) is compiled for 32-bit and for 64-bit
 * words. What is refused makes the functions return something other than zero, of any pattern. */
#ifndef ISOPOD_DECODE_H
#define ISOPOD_DECODE_H

#include <stdint.h>

#include "isopod/params.h"
#include "isopod/values.h"

/* G of the specification. */
#define ISOPOD_DECODE32_BITS 27
#define ISOPOD_DECODE64_BITS 59

/* L up to this is decoded in 32-bit words. */
#define ISOPOD_DECODE32_LIMIT 28

typedef struct {
    uint32_t n;
    int32_t magnitude; /* L */
} isopod_decoding;

/* One prime: x[k] = D_k, k < n/2, from n residues |x| < q; x[n/2] is lost.
 * 0 <= L <= ISOPOD_DECODE32_LIMIT. */
uint32_t isopod_fold32(int32_t *x, const isopod_decoding *decoding, const isopod_prime *prime);

/* words: n/2 words, v_i at words[i ^ 1]. folded: D_k, |D_k| <= 2^28, elsewhere than words, lost.
 * What is refused is cleared on the way, so that nothing overflows. */
uint32_t isopod_decode32(int32_t *words, int32_t *folded, const int32_t *cosine, uint32_t n);

/* The same in 64 bits: the lower half of D_k at folded[k], its upper half at folded[n - k]; of D_0
 * at folded[n / 2]. |D_k| <= 2^60. */
uint32_t isopod_decode64(int64_t *words, int32_t *folded, const int64_t *cosine, uint32_t n);

/* The same with D_k at folded[k]. */
uint32_t isopod_decode64_whole(int64_t *words, const int64_t *folded, const int64_t *cosine,
                               uint32_t n);

/* Which slots are written, and how a word becomes a value. All public. */
typedef struct {
    uint32_t n;
    uint32_t first, step, count;
    uint64_t reciprocal; /* rho */
    int32_t exponent;    /* E */
    isopod_value_type type;
} isopod_slots;

void isopod_slots32(void *out, const int32_t *words, const isopod_slots *slots);
void isopod_slots64(void *out, const int64_t *words, const isopod_slots *slots);
uint32_t isopod_native_slots64(void *out, const int64_t *words, const isopod_slots *slots);

#endif
