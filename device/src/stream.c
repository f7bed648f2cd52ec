#include "suite_block.h"

#include "memory.h"

static void next_block(isopod_stream *stream) {
    stream->suite->block(stream->block, stream->key, stream->name, stream->counter++);
    stream->used = 0;
}

void isopod_stream_start(isopod_stream *stream, const isopod_suite *suite, const uint8_t *key,
                         isopod_stream_name name) {
    stream->suite = suite;
    stream->key = key;
    stream->name = name;
    stream->counter = 0;
    stream->used = suite->block_bytes;
}

void isopod_stream_seek(isopod_stream *stream, uint32_t position) {
    stream->counter = position / stream->suite->block_bytes;
    next_block(stream);
    stream->used = position % stream->suite->block_bytes;
}

/* Blocks are multiples of 4 bytes, so no word straddles two of them. */
void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    while (count > 0) {
        if (stream->used == stream->suite->block_bytes) {
            next_block(stream);
        }
        uint32_t ready = (stream->suite->block_bytes - stream->used) / 4;
        uint32_t take = ready < count ? ready : count;
        const uint8_t *at = stream->block + stream->used;
        for (uint32_t i = 0; i < take; i++) {
            *out++ = isopod_load32(at + 4 * i);
        }
        stream->used += 4 * take;
        count -= take;
    }
}
