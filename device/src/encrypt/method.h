/* The interface of a method: the differences between public-key and secret-key encryption. An
 * opened key names its method, so that only one is linked. */
#ifndef ISOPOD_METHOD_H
#define ISOPOD_METHOD_H

#include "scheme.h"
#include "../random/root.h"
#include "../random/suite_block.h"

struct isopod_encryption_method {
    uint8_t word_bytes; /* bytes of a residue while it is computed */
    uint8_t components; /* polynomials sent per prime: 2, or 1 where c1 travels as a seed */
    size_t (*workspace_bytes)(const isopod_encryption_config *config, size_t message_bytes);
    /* ISOPOD_OK; ISOPOD_ERROR_FAULT only from a fault check. */
    isopod_status (*sample)(isopod_encryption *context, const isopod_noise_key *noise);
    /* Packs the residues of the next chunk of c0 or c1 into the workspace's chunk; returns their
     * bytes. */
    uint32_t (*chunk)(isopod_encryption *context);
    /* Loads the prime's part of a split key; NULL for others. An error ends the encryption. */
    isopod_status (*begin_prime)(const isopod_encryption *context);
};

/* The functions of public keys, which split keys share. */
size_t isopod_public_workspace_bytes(const isopod_encryption_config *config, size_t message_bytes);
isopod_status isopod_public_sample(isopod_encryption *context, const isopod_noise_key *noise);
uint32_t isopod_public_chunk(isopod_encryption *context);

/* The interface of isopod_compute_twice, which replaces the method's sample and
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

/* Checks the parts that the configuration points to: set, label, key, level, sender, tables. */
isopod_status isopod_encryption_check_parts(const isopod_encryption *context);
/* Wipes the stack below a computation. */
void isopod_encryption_wipe_stack(const isopod_encryption_config *config);
/* Whether begin succeeded and nothing was taken yet. */
uint8_t isopod_encryption_is_begun(const isopod_encryption *context);
/* Takes the encryption for a frame; returns whether it has begun and had no frame. */
uint8_t isopod_encryption_take(isopod_encryption *context);
/* Places between rows and per reading, as the frame says. */
uint32_t isopod_encryption_stride(const isopod_encryption *context);
uint32_t isopod_encryption_buckets(const isopod_encryption *context);
/* The kind of frame. */
uint8_t isopod_encryption_kind(const isopod_encryption *context);
/* Bytes of e0, and in public-key encryption of e1 and u, at the end of the workspace. */
size_t isopod_encryption_noise_bytes(const isopod_encryption_config *config);
size_t isopod_encryption_workspace_bytes(const isopod_encryption *context);
isopod_encryption_memory isopod_encryption_memory_of(const isopod_encryption *context);

/* Bytes of the values: 2, 4 or 8 a number. */
size_t isopod_root_values_bytes(const isopod_encryption *context, const isopod_values *values);
/* Computes the hedge over the whole header and the values (no values if `data` is NULL). The hedge
 * is secret; the caller wipes it. The encryption must have its name. */
void isopod_root_hedge(uint8_t out[ISOPOD_TAG_BYTES], const isopod_encryption *context,
                       const isopod_values *values, int8_t log2_unit);
/* Takes the number for the ciphertext's root. ISOPOD_ERROR_ENTROPY if the source is poisoned (no
 * number is then taken); ISOPOD_ERROR_SENDER if no number is left. */
isopod_status isopod_root_take_name(isopod_encryption *context);

/* Give the inputs of a ciphertext's root, and squeeze the root from a sponge with entropy into
 * context->mask_seed and context->nonce (public) and the noise key (secret; the caller wipes
 * it). */
isopod_root_name isopod_root_name_of(const isopod_encryption *context, const uint8_t *hedge);
void isopod_root_squeeze(isopod_keccak *sponge, isopod_encryption *context,
                         isopod_noise_key *noise);

/* Takes the name and the root of a ciphertext: fills context->name, context->mask_seed and
 * context->nonce (public) and the noise key (secret; the caller wipes it). Fails closed:
 * ISOPOD_ERROR_ENTROPY poisons the source. */
isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                               const isopod_values *values, int8_t log2_unit);

/* Encodes values to the workspace, with a dither from the noise key where the encoder asks for it.
 */
void isopod_encryption_encode(const isopod_encryption *context, const isopod_values *values,
                              const isopod_noise_key *noise);
/* Samples e0, for every method. */
void isopod_encryption_sample_error(const isopod_encryption *context, const isopod_noise_key *noise,
                                    int8_t *out, enum isopod_domain domain);
/* The transform of the chunk that is next. */
isopod_ntt isopod_encryption_chunk_ntt(const isopod_encryption *context);
/* The polynomial m + e0. */
isopod_polynomial isopod_encryption_message(const isopod_encryption *context, const isopod_ntt *ntt,
                                            const isopod_encryption_memory *memory);
/* Starts the mask of `seed` at the beginning of this chunk. */
isopod_mask_position isopod_encryption_mask_position(const isopod_encryption *context,
                                                     const isopod_ntt *ntt);

#endif
