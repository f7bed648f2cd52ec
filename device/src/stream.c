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
    stream->used = suite->block_words;
}

void isopod_stream_seek(isopod_stream *stream, uint32_t position) {
    stream->counter = position / stream->suite->block_words;
    next_block(stream);
    stream->used = position % stream->suite->block_words;
}

/* Whole blocks are made where they are wanted. */
static uint32_t take_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    uint32_t block_words = stream->suite->block_words;
    if (stream->used == block_words && count >= block_words) {
        stream->suite->block(out, stream->key, stream->name, stream->counter++);
        return block_words;
    }
    if (stream->used == block_words) {
        next_block(stream);
    }
    uint32_t ready = block_words - stream->used;
    uint32_t take = ready < count ? ready : count;
    isopod_copy((uint8_t *)out, (const uint8_t *)(stream->block + stream->used), (size_t)4 * take);
    stream->used += take;
    return take;
}

void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count) {
    for (uint32_t taken; count > 0; out += taken, count -= taken) {
        taken = take_words(stream, out, count);
    }
}
