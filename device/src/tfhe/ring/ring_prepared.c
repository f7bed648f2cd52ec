/* Products with a prepared key in portable C: the prepared form is the transformed key. */
#include "ring.h"
#include "../../backend/backend.h"

void isopod_ring_prepare(void *memory, const isopod_small *small, const isopod_ntt *ntt) {
#if ISOPOD_TAKES(RING_PREPARED)
    if (isopod_native_ring_prepare(memory, small, ntt)) {
        return;
    }
#endif
    isopod_ring_transform(memory, small, ntt);
}

void isopod_ring_product_prepared(void *words, const void *memory, int32_t *scratch,
                                  const isopod_ring *ring) {
#if ISOPOD_TAKES(RING_PREPARED)
    if (isopod_native_ring_product_prepared(words, memory, ring)) {
        return;
    }
#endif
    if (ring->log2_modulus == 32) {
        isopod_ring_product32(words, memory, scratch, &ring->ntt);
    } else {
        isopod_ring_product64(words, memory, scratch, &ring->ntt);
    }
}
