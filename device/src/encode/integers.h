/* The message of BFV (spec/bfv.md, section 3): one word v per coefficient, which stands for
 * v * t^-1 modulo each prime; with the noise e in the same word, v + t*e. */
#ifndef ISOPOD_INTEGERS_H
#define ISOPOD_INTEGERS_H

#include "../ring/polynomial.h"

/* Loads coefficients first .. first+15 of the words times polynomial->factor = t^-1 in Montgomery
 * form, |factor| <= q/2, plus the error, if there is one; |words| < 2^31, |out| < 0.75q + 21. */
void isopod_load_integers(const isopod_polynomial *polynomial, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]);

/* Adds error[i] * plain to word i. */
void isopod_add_to_integers(int32_t *words, const int8_t *error, uint32_t count, int32_t plain);

/* Replaces count residues |x| < t by v = h - ((x + h) mod t), h = (t + 1)/2. */
void isopod_centre_integers(int32_t *x, uint32_t count, const isopod_prime *plain);

#endif
