#include "../../memory.h"
#include "../../polynomial.h"
#include "ntt_pass.h"

/* With room for five parts: where the first layer folds pairs, each is folded when it is there. */
static void fold_block(int32_t parts[5][ISOPOD_FOLD_BLOCK], const isopod_polynomial *polynomial,
                       const isopod_ntt *ntt, uint32_t first) {
    uint32_t pairs = ntt->chunks == 4 ? 0 : ntt->chunks / 2u, left = ntt->chunks - pairs;
    for (uint32_t p = 0; p < left; p++) {
        polynomial->load(polynomial, first + p * ntt->length, parts[p]);
        if (p < pairs) {
            polynomial->load(polynomial, first + (p + pairs) * ntt->length, parts[4]);
            isopod_ntt_fold_pair(parts[p], parts[4], ntt);
        }
    }
    if (left == 4) {
        isopod_ntt_fold_four(parts, ntt);
    }
}

static void fold_all(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    int32_t parts[5][ISOPOD_FOLD_BLOCK];
    for (uint32_t first = 0; first < ntt->length; first += ISOPOD_FOLD_BLOCK) {
        fold_block(parts, polynomial, ntt, first);
        isopod_copy((uint8_t *)(out + first), (const uint8_t *)parts[0], sizeof parts[0]);
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
