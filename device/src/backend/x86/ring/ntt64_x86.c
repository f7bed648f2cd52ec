/* The NTT modulo a 64-bit prime (ring/ntt.h) for AVX2 and AVX-512. It needs the quotients of the
 * set (isopod_tables.backend64); without them, or without AVX2, the portable layers run. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/montgomery.h"
#include "../../../ring/ntt.h"

#include "vectors64.h"

/* 2^62 + (4 * 15 + 1) q < 2^63 */
#define UNREDUCED_BITS 56u

/* The twiddles of the blocks of a layer of this chunk. */
typedef struct {
    const uint64_t *words;
    const uint64_t *quotients;
    uint32_t blocks;
    uint32_t first; /* index of the first one */
    uint32_t degree;
} isopod64_twiddles;

static inline isopod64_twiddles twiddles_from(const uint64_t *table, uint32_t degree,
                                              uint32_t first, uint32_t blocks) {
    isopod64_twiddles at = {table + first, table + degree + first, blocks, first, degree};
    return at;
}

static inline isopod64_twiddles isopod64_first(const isopod_ntt *ntt) {
    return twiddles_from((const uint64_t *)ntt->backend, ntt->length * ntt->chunks,
                         (uint32_t)ntt->chunks + ntt->chunk, 1);
}

/* The twiddles of the next layer. */
static inline isopod64_twiddles isopod64_next(const isopod64_twiddles *at) {
    return twiddles_from(at->words - at->first, at->degree, 2 * at->first, 2 * at->blocks);
}

#include "lanes64_512.h"
#include "layers64_template.h"

#include "lanes64_256.h"
#include "layers64_template.h"

uint32_t isopod_native_ntt_layers(int64_t *x, const isopod_ntt *ntt) {
    if (ntt->backend == NULL || !isopod_has_avx2()) {
        return 0;
    }
    if (isopod_has_avx512()) {
        layers_512((uint64_t *)x, ntt);
    } else {
        layers_256((uint64_t *)x, ntt);
    }
    return 1;
}

#endif
