/* Loads of coefficients from their compact forms, and the NTT of a polynomial by folding and
 * layers, in portable C. */
#include "polynomial.h"

#include "../backend/backend.h"

#if ISOPOD_PORTABLE(POLYNOMIAL)
void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       isopod_word out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = error[i];
    }
}

#if ISOPOD_WORD_BITS == 32
void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           isopod_word out[ISOPOD_FOLD_BLOCK]) {
    isopod_load_error(polynomial, first, out);
    isopod_message32_add(polynomial->words, polynomial->n, first, out);
}
#endif

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         isopod_word out[ISOPOD_FOLD_BLOCK]) {
    uint32_t symbols = ((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK];
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++, symbols >>= 2) {
        out[i] = ((isopod_word)(symbols & 3u) - 1) * polynomial->factor;
    }
}

void isopod_polynomial_ntt(isopod_word *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
#if ISOPOD_TAKES(POLYNOMIAL)
    if (isopod_native_polynomial_ntt(out, polynomial, ntt)) {
        return;
    }
#endif
    isopod_polynomial_fold(out, polynomial, ntt);
    isopod_ntt_layers(out, ntt);
}

#if ISOPOD_WORD_BITS == 32
const uint8_t isopod_reads_lean_tables = !ISOPOD_TAKES(POLYNOMIAL);
#endif
#endif
