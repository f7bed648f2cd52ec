/* What differs between public-key and secret-key encryption; an opened key names its method, so
 * that only one is linked. */
#ifndef ISOPOD_METHOD_H
#define ISOPOD_METHOD_H

#include "isopod/encryption.h"
#include "../ring/polynomial.h"
#include "root.h"
#include "../random/suite_block.h"

/* What differs between CKKS and BFV: everything before the noise. */
struct isopod_scheme {
    uint8_t kinds_before; /* the kinds of frames of other schemes: 0 in CKKS, 2 in BFV */
    /* What the configuration asks of the encoder; set, label, key and level are sound. */
    isopod_status (*check)(const isopod_encryption_config *config);
    /* The values' type and range; their number is right. */
    isopod_status (*check_values)(const isopod_encryption_config *config,
                                  const isopod_values *values);
    /* Leaves the message at the beginning of the workspace. */
    void (*encode)(const isopod_encryption_config *config, const isopod_values *values);
    /* Adds e0 to the message; only where it is not apart. */
    void (*add_noise)(const isopod_encryption_config *config);
    /* How the message is loaded modulo message->prime: `load` and `factor`. */
    void (*set_message)(isopod_polynomial *message, const isopod_encryption_config *config);
};

isopod_status isopod_encryption_begin(isopod_encryption *context,
                                      const isopod_encryption_config *config,
                                      const isopod_values *values,
                                      const struct isopod_scheme *scheme);

struct isopod_encryption_method {
    uint8_t wire_kind;  /* of CKKS */
    uint8_t limb_bytes; /* of a residue while it is computed */
    uint8_t components; /* polynomials sent per prime: 2, or 1 where c1 travels as a seed */
    size_t (*workspace_bytes)(const isopod_encryption_config *config);
    /* ISOPOD_OK; ISOPOD_ERROR_FAULT only from a fault check. */
    isopod_status (*sample)(isopod_encryption *context, const isopod_noise_key *noise);
    /* Packs the residues of the next chunk of c0 or c1 into the workspace's chunk; returns their
     * bytes. */
    uint32_t (*chunk)(isopod_encryption *context);
    /* Where a key is not all there: brings the prime's part of it. NULL, or ISOPOD_OK, or an error
     * that ends the encryption. */
    isopod_status (*begin_prime)(const isopod_key *key, uint8_t prime);
};

/* The method of public keys, of which split keys make theirs. */
size_t isopod_public_workspace_bytes(const isopod_encryption_config *config);
isopod_status isopod_public_sample(isopod_encryption *context, const isopod_noise_key *noise);
uint32_t isopod_public_chunk(isopod_encryption *context);

/* What isopod_compute_twice is: takes the place of the method's sample and of
 * isopod_encryption_compute_chunk. ISOPOD_ERROR_FAULT where two outcomes differ. */
struct isopod_fault_check {
    isopod_status (*sample)(isopod_encryption *context, const isopod_noise_key *noise);
    isopod_status (*chunk)(isopod_encryption *context);
};

/* Computes the chunk that is next. Always ISOPOD_OK. */
isopod_status isopod_encryption_compute_chunk(isopod_encryption *context);

/* The workspace, in this order. Absent parts are empty. */
typedef struct {
    void *message;
    void *chunk;
    void *second; /* public and ternary secret key only */
    int8_t *error0;
    int8_t *error1; /* public key only, as u */
    uint32_t *ternary;
} isopod_encryption_memory;

/* Whether begin succeeded and nothing was taken yet. */
uint8_t isopod_encryption_is_begun(const isopod_encryption *context);

uint8_t isopod_encryption_is_wide(const isopod_encryption_config *config);
/* The kind of frame. */
uint8_t isopod_encryption_kind(const isopod_encryption *context);
/* Whether message and e0 lie apart in the workspace; otherwise e0 is part of the message. */
uint8_t isopod_encryption_is_apart(const isopod_encryption_config *config);
/* Of e0, and in public-key encryption e1 and u, which end the workspace. */
size_t isopod_encryption_noise_bytes(const isopod_encryption_config *config);
/* The number of primes. */
uint8_t isopod_encryption_level(const isopod_encryption_config *config);
size_t isopod_encryption_message_bytes(const isopod_encryption_config *config);
uint32_t isopod_encryption_ring_degree(const isopod_encryption_config *config);
isopod_encryption_memory isopod_encryption_memory_of(const isopod_encryption_config *config);

/* e0, which every method needs. */
void isopod_encryption_sample_error(const isopod_encryption *context, const isopod_noise_key *noise,
                                    int8_t *out, enum isopod_domain domain);
/* The transform whose chunk is next. */
isopod_ntt isopod_encryption_chunk_ntt(const isopod_encryption *context);
/* m + e0. */
isopod_polynomial isopod_encryption_message(const isopod_encryption *context, const isopod_ntt *ntt,
                                            const isopod_encryption_memory *memory);
/* Where the mask of `seed` stands at the beginning of this chunk. */
isopod_mask_position isopod_encryption_mask_position(const isopod_encryption *context,
                                                     const isopod_ntt *ntt);

#endif
