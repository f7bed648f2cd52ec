/* The parts of computing a chunk that all methods share: the tables of the transform, the
 * polynomial m + e0, and the position in the mask. */
#include "method.h"

isopod_ntt isopod_encryption_chunk_ntt(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    isopod_ntt ntt = isopod_ntt_of(config->params, config->tables, context->prime);
    ntt.length /= config->chunks;
    ntt.chunks = config->chunks;
    ntt.chunk = context->chunk;
    return ntt;
}

isopod_polynomial isopod_encryption_message(const isopod_encryption *context, const isopod_ntt *ntt,
                                            const isopod_encryption_memory *memory) {
    const isopod_encryption_config *config = context->config;
    isopod_message message = context->scheme->message(config);
    isopod_polynomial polynomial = {.words = memory->message,
                                    .error = message.holds_noise ? NULL : memory->error0,
                                    .prime = ntt->prime,
                                    .n = isopod_encryption_ring_degree(config)};
#if ISOPOD_WORD_BITS == 32
    context->scheme->set_message(&polynomial, config);
#else
    isopod64_set_message(&polynomial, &message);
#endif
    return polynomial;
}

isopod_mask_position isopod_encryption_mask_position(const isopod_encryption *context,
                                                     const isopod_ntt *ntt) {
    const isopod_params *params = context->config->params;
    isopod_mask_position at = {ntt->prime,
                               context->prime,
                               isopod_encryption_level(context->config),
                               params->log2_ring_degree,
                               ntt->chunk * ntt->length,
                               context->refill};
    return at;
}
