/* Streams of a suite by word position (spec/ckks.md, section 2): whole blocks go to the caller,
 * parts of one are kept. */
#include "suite_block.h"

#include "../base/memory.h"

static void take_blocks(isopod_stream *stream, uint32_t *out, uint32_t count) {
    stream->suite->blocks(stream, out, count);
    stream->next[ISOPOD_STREAM_COUNTER] += count;
}

static void next_block(isopod_stream *stream) {
    take_blocks(stream, stream->block, 1);
    stream->used = 0;
}

void isopod_stream_start(isopod_stream *stream, const isopod_suite *suite, const uint8_t *key,
                         isopod_stream_name name) {
    stream->suite = suite;
    stream->key = key;
    stream->next[ISOPOD_STREAM_COUNTER] = 0;
    stream->next[ISOPOD_STREAM_DOMAIN] = name.domain;
    stream->next[ISOPOD_STREAM_INDEX] = name.index;
    stream->next[3] = 0;
    stream->used = suite->block_words;
}

void isopod_stream_seek(isopod_stream *stream, uint32_t position) {
    uint32_t skipped = position % stream->suite->block_words;
    stream->next[ISOPOD_STREAM_COUNTER] = position / stream->suite->block_words;
    stream->used = stream->suite->block_words;
    if (skipped != 0) {
        next_block(stream);
        stream->used = skipped;
    }
}

static uint32_t *copy_rest(isopod_stream *stream, uint32_t *out, uint32_t count) {
    isopod_copy((uint8_t *)out, (const uint8_t *)(stream->block + stream->used), (size_t)4 * count);
    stream->used += count;
    return out + count;
}

void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    const uint32_t block_words = stream->suite->block_words;
    uint32_t ready = block_words - stream->used;
    if (ready < count) {
        out = copy_rest(stream, out, ready);
        count -= ready;
        uint32_t whole = count / block_words;
        if (whole > 0) {
            take_blocks(stream, out, whole);
            out += whole * block_words;
            count -= whole * block_words;
        }
        if (count > 0) {
            next_block(stream);
        }
    }
    copy_rest(stream, out, count);
}
