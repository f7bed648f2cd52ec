#include "../../memory.h"
#include "../../polynomial.h"

/* The coefficients first + p * length of all parts p become outputs first .. first+15. */
static void fold_block(int32_t parts[8][ISOPOD_FOLD_BLOCK], const isopod_polynomial *polynomial,
                       const isopod_ntt *ntt, uint32_t first) {
    for (uint32_t p = 0; p < ntt->chunks; p++) {
        polynomial->load(polynomial, first + p * ntt->length, parts[p]);
    }
    isopod_ntt_fold(parts, ntt);
}

static void fold_all(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    int32_t parts[8][ISOPOD_FOLD_BLOCK];
    for (uint32_t first = 0; first < ntt->length; first += ISOPOD_FOLD_BLOCK) {
        fold_block(parts, polynomial, ntt, first);
        for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
            *out++ = parts[0][i];
        }
    }
    isopod_wipe(parts, sizeof parts); /* deeper than isopod_wipe_stack reaches */
}

void isopod_polynomial_fold(int32_t *out, const isopod_polynomial *polynomial,
                            const isopod_ntt *ntt) {
    if (ntt->chunks > 1) {
        fold_all(out, polynomial, ntt);
        return;
    }
    for (uint32_t first = 0; first < ntt->length; first += ISOPOD_FOLD_BLOCK) {
        polynomial->load(polynomial, first, out + first);
    }
}
