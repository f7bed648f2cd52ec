#include "suite_block.h"

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
    stream->used = suite->block_words;
}

void isopod_stream_seek(isopod_stream *stream, uint32_t position) {
    stream->counter = position / stream->suite->block_words;
    next_block(stream);
    stream->used = position % stream->suite->block_words;
}

void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    while (count > 0) {
        if (stream->used == stream->suite->block_words) {
            next_block(stream);
        }
        uint32_t ready = stream->suite->block_words - stream->used;
        uint32_t take = ready < count ? ready : count;
        const uint32_t *at = stream->block + stream->used;
        stream->used += take;
        count -= take;
        while (take-- > 0) {
            *out++ = *at++;
        }
    }
}
