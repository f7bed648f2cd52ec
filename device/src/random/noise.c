/* Errors and ternary polynomials of a seed (spec/ckks.md, sections 2 and 3). Each has one stream,
 * which is wiped afterwards. Constant time except for the number of rejected ternary symbols. */
#include "noise.h"

#include "../base/memory.h"
#include "sample.h"

ISOPOD_FRAME_APART static void start(isopod_stream *stream, const isopod_noise_source *source) {
    isopod_stream_name name = {source->domain, 0};
    isopod_stream_start(stream, source->suite, source->seed, name);
}

void isopod_noise_error(int8_t *out, uint32_t n, const isopod_noise_source *source) {
    isopod_stream stream;
    start(&stream, source);
    isopod_sample_error(out, n, &stream);
    isopod_wipe(&stream, sizeof stream);
}

void isopod_noise_words(uint32_t *out, uint32_t count, const isopod_noise_source *source) {
    isopod_stream stream;
    start(&stream, source);
    isopod_stream_words(&stream, out, count);
    isopod_wipe(&stream, sizeof stream);
}

void isopod_noise_ternary(uint32_t *out, uint32_t n, const isopod_noise_source *source) {
    isopod_stream stream;
    start(&stream, source);
    isopod_sample_ternary(out, n, &stream);
    isopod_wipe(&stream, sizeof stream);
}
