/* What differs between public-key and secret-key encryption; an opened key names its method, so
 * that only one is linked. */
#ifndef ISOPOD_METHOD_H
#define ISOPOD_METHOD_H

#include "isopod/ckks.h"
#include "polynomial.h"
#include "root.h"
#include "suite_block.h"

struct isopod_ckks_method {
    uint8_t wire_kind;
    uint8_t components; /* polynomials sent per prime: 2, or 1 where c1 travels as a seed */
    size_t (*workspace_bytes)(const isopod_ckks_config *config);
    /* ISOPOD_OK; ISOPOD_ERROR_FAULT only from a fault check. */
    isopod_status (*sample)(isopod_ckks *context, const isopod_noise_key *noise);
    /* Packs the residues of the next chunk of c0 or c1 into the workspace's chunk; returns their
     * bytes. */
    uint32_t (*chunk)(isopod_ckks *context, const isopod_ntt *ntt);
};

/* What isopod_compute_twice is: takes the place of the method's sample and of
 * isopod_ckks_compute_chunk. ISOPOD_ERROR_FAULT where two outcomes differ. */
struct isopod_fault_check {
    isopod_status (*sample)(isopod_ckks *context, const isopod_noise_key *noise);
    isopod_status (*chunk)(isopod_ckks *context);
};

/* Computes the chunk that is next. Always ISOPOD_OK. */
isopod_status isopod_ckks_compute_chunk(isopod_ckks *context);

/* The workspace, in this order. Absent parts are empty. */
typedef struct {
    void *message;
    int32_t *chunk;
    int32_t *second; /* public and ternary secret key only */
    int8_t *error0;
    int8_t *error1; /* public key only, as u */
    uint32_t *ternary;
} isopod_ckks_memory;

/* Whether begin succeeded and nothing was taken yet. */
uint8_t isopod_ckks_is_begun(const isopod_ckks *context);

uint8_t isopod_ckks_is_wide(const isopod_ckks_config *config);
uint32_t isopod_ckks_ring_degree(const isopod_ckks_config *config);
isopod_ckks_memory isopod_ckks_memory_of(const isopod_ckks_config *config, uint8_t chunks_held);

/* e0, which every method needs. */
void isopod_ckks_sample_error(const isopod_ckks *context, const isopod_noise_key *noise,
                              int8_t *out, uint32_t domain);
/* m + e0. */
isopod_polynomial isopod_ckks_message(const isopod_ckks *context, const isopod_ntt *ntt,
                                      const isopod_ckks_memory *memory);
/* Where the mask of `seed` stands at the beginning of this chunk. */
isopod_mask_position isopod_ckks_mask_position(const isopod_ckks *context, const isopod_ntt *ntt);

#endif
