/* The demands of the decoder's transforms (encode/decode) on their callers, which decode.c
 * analyses. */
#include "arbitrary.h"
#include "encode/decode/decode.h"

/*@ requires \valid_read(decoding) && 0 <= decoding->magnitude <= ISOPOD_DECODE32_LIMIT;
    requires decoding->n >= 1024 && \valid(x + (0 .. decoding->n - 1)) &&
        \initialized(x + (0 .. decoding->n - 1)) && \valid_read(prime); */
uint32_t isopod_fold32(int32_t *x, const isopod_decoding *decoding, const isopod_prime *prime) {
    arbitrary(x, (size_t)4 * decoding->n);
    return ANY32;
}

/*@ requires n >= 1024 && \valid(words + (0 .. n / 2 - 1));
    requires \valid(folded + (0 .. n / 2 - 1)) && \initialized(folded + (0 .. n / 2 - 1));
    requires \valid_read(cosine + (0 .. n / 2)); */
uint32_t isopod_decode32(int32_t *words, int32_t *folded, const int32_t *cosine, uint32_t n) {
    //@ loop unroll 512;
    for (uint32_t i = 0; i < n / 2u; i++) {
        words[i] = SIGNED(-(1 << 28), (1 << 28) - 1);
    }
    return ANY32;
}

static void any_longs(int64_t *words, uint32_t n) {
    //@ loop unroll 512;
    for (uint32_t i = 0; i < n / 2u; i++) {
        words[i] = LONG(-((int64_t)1 << 60), ((int64_t)1 << 60) - 1);
    }
}

/*@ requires n >= 1024 && \valid(words + (0 .. n / 2 - 1));
    requires \valid(folded + (0 .. n - 1)) && \initialized(folded + (0 .. n - 1));
    requires \valid_read(cosine + (0 .. n / 2)); */
uint32_t isopod_decode64(int64_t *words, int32_t *folded, const int64_t *cosine, uint32_t n) {
    any_longs(words, n);
    return ANY32;
}

/*@ requires n >= 1024 && \valid(words + (0 .. n / 2 - 1));
    requires \valid_read(folded + (0 .. n / 2 - 1)) && \initialized(folded + (0 .. n / 2 - 1));
    requires \valid_read(cosine + (0 .. n / 2)); */
uint32_t isopod_decode64_whole(int64_t *words, const int64_t *folded, const int64_t *cosine,
                               uint32_t n) {
    any_longs(words, n);
    return ANY32;
}
