/* Secrets, u and public masks of TFHE keys from streams (spec/tfhe.md, sections 3.3 and 5). */
#include "tfhe_small.h"

#include "../random/sample.h"
#include "tfhe_parameters.h"

void isopod_tfhe_sample_small(uint32_t *symbols, const isopod_tfhe_params *params,
                              isopod_stream *stream) {
    uint32_t n = isopod_tfhe_degree(params);
    if (params->secret == ISOPOD_SECRET_BINARY) {
        isopod_stream_words(stream, symbols, n / 32u);
    } else {
        isopod_sample_ternary(symbols, n, stream);
    }
}

void isopod_tfhe_public_mask(uint32_t *words, const uint8_t *seed, uint32_t count) {
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_MASK, 0};
    isopod_stream_start(&stream, &isopod_suite_chacha20, seed, name);
    isopod_stream_words(&stream, words, count);
}
