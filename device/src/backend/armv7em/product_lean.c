/* A function of its own, so that only lean tables pay for the room of their twiddles. */
#include "ntt_pass.h"
#include "product_group.h"

void isopod_product_lean(int32_t *x, const uint32_t *a, const isopod_product_group *group,
                         const isopod_ntt *ntt) {
    isopod_lean_twiddles twiddles;
    isopod_product_group lean = *group;
    isopod_lean_fill(&twiddles, ntt, (uint32_t)(group->first - ntt->twiddles), ISOPOD_LEAN_GROUPS);
    lean.first = twiddles.first;
    lean.second = twiddles.second;
    isopod_product_narrow(x, a, &lean);
}
