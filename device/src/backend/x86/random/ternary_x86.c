/* Uniform ternary polynomials (spec/ckks.md, section 3.2) for AVX2 machines, 32 symbols at a time
 * by BMI2's bit extraction. The time depends on the number of rejected symbols alone. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/constant_time.h"
#include "../../../base/memory.h"
#include "../../../random/sample.h"

#include "../base/avx2.h"

#define TERNARY_SPAN 128u

/* Symbols kept so far: `bits` of them wait in `held`. */
typedef struct {
    uint64_t held;
    uint32_t bits;
} waiting;

/* Ones for the bits of all symbols but threes. Dropped symbols reveal nothing about the others. */
ISOPOD_AVX2_INLINE uint64_t kept_bits(uint64_t word) {
    uint64_t dropped = word & (word >> 1) & 0x5555555555555555u;
    ISOPOD_DECLASSIFY(dropped);
    return ~(dropped | dropped << 1);
}

/* Appends the symbols of a word; returns 1 when 64 bits are ready in *out. */
ISOPOD_AVX2_INLINE uint32_t keep_word(uint64_t word, waiting *rest, uint64_t *out) {
    uint64_t kept = kept_bits(word), symbols = _pext_u64(word, kept);
    uint32_t total = rest->bits + (uint32_t)_mm_popcnt_u64(kept);
    uint64_t joined = rest->held | symbols << rest->bits;
    if (total < 64) {
        rest->held = joined;
        rest->bits = total;
        return 0;
    }
    *out = joined;
    /* the symbols that did not fit; two shifts, since a shift by 64 would change nothing */
    rest->held = symbols >> 1 >> (63u - rest->bits);
    rest->bits = total - 64;
    return 1;
}

/* The next span of the stream's words. */
typedef struct {
    isopod_stream *stream;
    uint32_t at;
    uint32_t words[TERNARY_SPAN];
} word_source;

ISOPOD_AVX2_INLINE uint64_t next_word(word_source *source) {
    if (source->at % TERNARY_SPAN == 0) {
        isopod_stream_words(source->stream, source->words, TERNARY_SPAN);
    }
    const uint32_t *word = source->words + source->at % TERNARY_SPAN;
    source->at += 2;
    return (uint64_t)word[1] << 32 | word[0];
}

static ISOPOD_AVX2 void ternary_spans(uint32_t *out, uint32_t n, word_source *source,
                                      waiting *rest) {
    for (const uint32_t *end = out + n / 16; out != end; out += 2) {
        uint64_t word, ready;
        uint32_t before;
        do {
            before = rest->bits;
            word = next_word(source);
        } while (!keep_word(word, rest, &ready));
        out[0] = (uint32_t)ready;
        out[1] = (uint32_t)(ready >> 32);
        if (out + 2 == end && before + _mm_popcnt_u64(kept_bits(word) & UINT32_MAX) >= 64) {
            source->at--; /* the last half of the last word was not needed */
        }
    }
}

/* Leaves the stream after the last word that was needed. */
static void ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    const uint32_t block_words = stream->suite->block_words;
    const uint32_t first =
        stream->next[ISOPOD_STREAM_COUNTER] * block_words + stream->used - block_words;
    word_source source;
    waiting rest = {0, 0};
    source.stream = stream;
    source.at = 0;
    ternary_spans(out, n, &source, &rest);
    isopod_stream_seek(stream, first + source.at);
    isopod_wipe(&source, sizeof source);
    isopod_wipe(&rest, sizeof rest);
}

uint32_t isopod_native_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    if (!isopod_has_avx2() || n % 32 != 0) {
        return 0;
    }
    ternary(out, n, stream);
    return 1;
}

#endif
