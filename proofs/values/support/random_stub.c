/* The demands of streams, masks and samplers (random/) on their callers; random.c analyses these.
 */
#include "arbitrary.h"
#include "random/sample.h"
#include "random/suite_block.h"

/*@ requires \valid(stream) && \valid_read(suite);
    requires \valid_read(key + (0 .. 31)) && \initialized(key + (0 .. 31)); */
void isopod_stream_start(isopod_stream *stream, const isopod_suite *suite, const uint8_t *key,
                         isopod_stream_name name) {
    arbitrary(stream, sizeof *stream);
    stream->suite = suite;
    stream->key = key;
}

/*@ requires \valid(stream) && \initialized(&stream->used) && \valid_read(stream->suite); */
void isopod_stream_seek(isopod_stream *stream, uint32_t position) {}

/*@ requires \valid(stream) && \initialized(&stream->used) && \valid_read(stream->suite);
    requires count == 0 || \valid(out + (0 .. count - 1)); */
void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    if (count != 0) {
        arbitrary(out, (size_t)4 * count);
    }
}

/*@ requires \valid(mask) && \valid_read(suite) && \valid_read(at) &&
        \valid_read(at->prime) && at->first % 32 == 0;
    requires \valid_read(seed + (0 .. suite->mask_seed_bytes - 1)) &&
        \initialized(seed + (0 .. suite->mask_seed_bytes - 1)); */
void isopod_mask_start(isopod_mask *mask, const isopod_suite *suite, const uint8_t *seed,
                       const isopod_mask_position *at) {
    arbitrary(&mask->source, sizeof mask->source);
    mask->at = *at;
    mask->suite = suite;
}

/*@ requires \valid(mask) && \valid_read(mask->suite) && \valid_read(mask->at.prime);
    requires \valid(out + (0 .. 31)); */
void isopod_mask_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]) {
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        out[i] = BETWEEN(0, mask->at.prime->modulus - 1u);
    }
    mask->at.refill = ANY32;
}

/*@ requires \valid(mask) && \valid_read(mask->at.prime); */
isopod_residue isopod_mask_refill(isopod_mask *mask) {
    return BETWEEN(0, mask->at.prime->modulus - 1u);
}

/*@ requires n % 32 == 0 && n >= 32 && \valid(out + (0 .. n - 1)) && \valid(stream) &&
        \initialized(&stream->used); */
void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    arbitrary(out, n);
}

/*@ requires n % 16 == 0 && n >= 16 && \valid(out + (0 .. n / 16 - 1)) && \valid(stream) &&
        \initialized(&stream->used); */
void isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    arbitrary(out, n / 4u);
}
