/* The interface of a method: the differences between the kinds of TFHE encryption. An opened key
 * names its method, so that only one is linked. */
#ifndef ISOPOD_TFHE_METHOD_H
#define ISOPOD_TFHE_METHOD_H

#include "isopod/tfhe.h"
#include "ring/ring.h"
#include "../random/root.h"
#include "tfhe_mask.h"
#include "tfhe_message.h"
#include "tfhe_parameters.h"

struct isopod_tfhe_method {
    uint8_t wire_kind;
    uint8_t components; /* pieces of a ciphertext: 2 where the mask is sent */
    uint8_t needs_twiddles;
    size_t (*workspace_bytes)(const isopod_tfhe_config *config, uint32_t coefficients);
    /* The place of the packed message in the workspace. */
    uint32_t *(*blocks)(const isopod_tfhe *context);
    /* Leaves the first piece in the context. */
    void (*begin)(isopod_tfhe *context, const isopod_noise_key *noise);
    /* Leaves the second piece, or NULL where there is none. */
    void (*second)(isopod_tfhe *context);
};

/* The workspace of the methods that transform, in this order. */
typedef struct {
    void *words;           /* N words of the modulus */
    int32_t *scratch;      /* N */
    uint32_t *transformed; /* N, or absent */
    uint32_t *blocks;      /* N/16 */
    isopod_noise_key *noise;
} isopod_tfhe_memory;

isopod_tfhe_memory isopod_tfhe_memory_of(const isopod_tfhe *context, uint32_t holds_key);

/* Takes the encryption for a frame; returns whether it has just begun and had no frame. */
uint8_t isopod_tfhe_take(isopod_tfhe *context);

/* Values of a row. */
uint32_t isopod_tfhe_columns(const isopod_tfhe *context);

/* Bytes of a body. */
uint32_t isopod_tfhe_width(const isopod_tfhe_config *config);

/* words := words * s in the set's ring. */
void isopod_tfhe_product(void *words, const uint32_t *transformed, int32_t *scratch,
                         const isopod_ntt *ntt, const isopod_tfhe_params *params);

/* Starts the stream of noise in a domain. */
void isopod_tfhe_noise_start(isopod_stream *stream, const isopod_tfhe_suite *suite,
                             const isopod_noise_key *noise, uint32_t domain);

/* Adds message and errors to the products in `words`, rounds, and leaves the bodies as a piece. */
void isopod_tfhe_finish_bodies(isopod_tfhe *context, void *words, const uint32_t *blocks,
                               const isopod_noise_key *noise);

#endif
