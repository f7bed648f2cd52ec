/* The key blob of a holder's share (spec/wire.md, section 17). */
#ifndef ISOPOD_SRC_SHARE_H
#define ISOPOD_SRC_SHARE_H

#include "isopod/holder.h"

#define ISOPOD_HOLDER_PRIMES 3u

/* The payload before the residues. */
typedef struct {
    uint32_t number, threshold, holders, frames, bits, shift;
    uint32_t used[2], queries[2];
    uint32_t link[ISOPOD_LINK_KEY_BYTES / 4u], transport[ISOPOD_TRANSPORT_KEY_BYTES / 4u];
} isopod_share_head;

static inline const isopod_share_head *isopod_share_head_of(const isopod_holder *holder) {
    return (const void *)(holder->blob + ISOPOD_KEY_HEADER_BYTES / 4u);
}

static inline uint64_t isopod_share_number(const uint32_t words[2]) {
    return (uint64_t)words[1] << 32 | words[0];
}

/* The residues modulo prime number `prime`, in Montgomery form. */
static inline const uint32_t *isopod_share_residues(const isopod_holder *holder, uint32_t prime) {
    const void *residues = isopod_share_head_of(holder) + 1;
    return (const uint32_t *)residues + ((size_t)prime << holder->params->log2_ring_degree);
}

#endif
