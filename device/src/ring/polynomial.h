/* Polynomials in their compact forms, and one chunk of their NTT. */
#ifndef ISOPOD_POLYNOMIAL_H
#define ISOPOD_POLYNOMIAL_H

#include "ntt.h"

typedef struct isopod_polynomial isopod_polynomial;

struct isopod_polynomial {
    /* Loads coefficients first .. first+15, |x| < R/2, congruent modulo the prime. */
    void (*load)(const isopod_polynomial *polynomial, uint32_t first,
                 isopod_word out[ISOPOD_FOLD_BLOCK]);
    const void *words;   /* packed message, or 2-bit ternary */
    const int8_t *error; /* n small coefficients added, where there are any */
    const isopod_word_prime *prime;
    uint32_t n;
    isopod_word factor; /* ternary coefficients are multiplied by this, |factor| <= q/2 */
};

/* Adds coefficients first .. first+15 of a message in the packed form of the encoder (encode32) to
 * out; first is a multiple of 16. */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]);

void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           isopod_word out[ISOPOD_FOLD_BLOCK]);
void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       isopod_word out[ISOPOD_FOLD_BLOCK]);
void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         isopod_word out[ISOPOD_FOLD_BLOCK]);

/* Folds the first log2(chunks) layers: writes the ntt->length values from which the remaining
 * layers of one chunk start. |out| < R/2. */
void isopod_polynomial_fold(isopod_word *out, const isopod_polynomial *polynomial,
                            const isopod_ntt *ntt);

/* Computes the weights of the parts (isopod_ntt_fold), in Montgomery form where `first` is;
 * |first|, |weight| <= q/2. */
void isopod_fold_weights(isopod_word weights[8], const isopod_ntt *ntt, isopod_word first);

/* Non-zero if the kernels read lean tables (isopod_tables.coarse); where it is 0, begin refuses
 * such tables. */
extern const uint8_t isopod_reads_lean_tables;

/* Computes ntt->length values of the polynomial's NTT, |x| < 2q. */
void isopod_polynomial_ntt(isopod_word *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt);
uint32_t isopod_native_polynomial_ntt(isopod_word *out, const isopod_polynomial *polynomial,
                                      const isopod_ntt *ntt);

#endif
