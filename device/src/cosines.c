#include "cosines.h"

#include "cosine_roots.h"
#include "fixed64.h"

/* cos(pi*j/16384) * 2^62. */
static int64_t cosine(uint32_t j) {
    const int64_t *coarse = isopod_cosine_coarse[j / 128];
    const int64_t *fine = isopod_cosine_fine[j % 128];
    return isopod_fraction64(isopod_dot64(coarse[0], fine[0], -coarse[1], fine[1]));
}

void isopod_build_cosines(int32_t *narrow, int64_t *wide, uint32_t log2_degree) {
    for (uint32_t i = 0; i <= 1u << (log2_degree - 1u); i++) {
        wide[i] = cosine(i << (14u - log2_degree));
        narrow[i] = (int32_t)((wide[i] + 0x80000000) >> 32);
    }
}
