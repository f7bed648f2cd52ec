/* The words of decoding from residues modulo 64-bit primes (folding64.h), coefficient by
 * coefficient, in portable C. */
#define ISOPOD_WORD_BITS 64
#include "folding64.h"
#include "../../backend/backend.h"

uint64_t isopod64_fold(int64_t *x, const isopod64_folding *by) {
    uint64_t refused = 0;
#if ISOPOD_TAKES(FOLDING)
    if (isopod_native_fold64(x, by, &refused)) {
        return refused;
    }
#endif
    for (uint32_t k = 0; k < by->n / 2; k++) {
        refused |= isopod64_fold_at(x, k, by);
    }
    return refused;
}
