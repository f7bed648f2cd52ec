#define ISOPOD_LIMB_BITS 64
#include "folding64.h"

uint64_t isopod_wide_fold(int64_t *x, const isopod_wide_folding *by) {
    uint64_t refused = 0;
    for (uint32_t k = 0; k < by->n / 2; k++) {
        refused |= isopod_wide_fold_at(x, k, by);
    }
    return refused;
}
