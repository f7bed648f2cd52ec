/* Decoding of real slots in fixed point (spec/decryption.md, section 2), constant time, the same
 * bits on every machine. One source (decode_template.h) is compiled for 32-bit and for 64-bit
 * words. Functions return zero, or any other word if the result is refused. */
#ifndef ISOPOD_DECODE_H
#define ISOPOD_DECODE_H

#include <stdint.h>

#include "isopod/params.h"
#include "isopod/values.h"

/* G of the specification. */
#define ISOPOD_DECODE32_BITS 27
#define ISOPOD_DECODE64_BITS 59

/* Largest L that is decoded in 32-bit words. */
#define ISOPOD_DECODE32_LIMIT 28

typedef struct {
    uint32_t n;
    int32_t magnitude; /* L */
} isopod_decoding;

/* Folds residues at one prime: x[k] = D_k, k < n/2, from n residues |x| < q; x[n/2] is lost. 0 <= L
 * <= ISOPOD_DECODE32_LIMIT. */
uint32_t isopod_fold32(int32_t *x, const isopod_decoding *decoding, const isopod_prime *prime);

/* Decodes to n/2 words, v_i at words[i ^ 1]. folded holds D_k, |D_k| <= 2^28, and is lost; it does
 * not overlap words. Words that would overflow are cleared, and the result is refused. */
uint32_t isopod_decode32(int32_t *words, int32_t *folded, const int32_t *cosine, uint32_t n);

/* isopod_decode32 in 64-bit words: the lower half of D_k is at folded[k], its upper half at
 * folded[n - k], that of D_0 at folded[n / 2]. |D_k| <= 2^60. */
uint32_t isopod_decode64(int64_t *words, int32_t *folded, const int64_t *cosine, uint32_t n);

/* isopod_decode64 with D_k at folded[k]. */
uint32_t isopod_decode64_whole(int64_t *words, const int64_t *folded, const int64_t *cosine,
                               uint32_t n);

/* The slots that are written, and the factor between words and values. All public. */
typedef struct {
    uint32_t n;
    uint32_t first, rows, columns, stride;
    uint64_t reciprocal; /* rho */
    int32_t exponent;    /* E */
    isopod_value_type type;
} isopod_slots;

void isopod_slots32(void *out, const int32_t *words, const isopod_slots *slots);
void isopod_slots64(void *out, const int64_t *words, const isopod_slots *slots);
uint32_t isopod_native_slots64(void *out, const int64_t *words, const isopod_slots *slots);

#endif
