/* The folder tag: arbitrary keys, states within their bounds, bytes and values. */
// sources: tag random/sender.c
// stubs: primitives.c
// options: -eva-slevel 40 -eva-auto-loop-unroll 64
#include "arbitrary.h"
#include "tag/hedge.h"
#include "tag/linear_number.h"
#include "tag/linear_tag.h"
#include "tag/poly1305.h"
#include "tag/siphash.h"
#include "tag/tag.h"
#include "isopod/values.h"

static uint8_t key[32], nonce[16], bytes[64];

static void tags(void) {
    isopod_tag tag;
    const isopod_tag_name name = {key, nonce, ANY64};
    isopod_frame_name frame = {ANY64, ANY64, ANY32};
    isopod_tag_start(&tag, &name);
    //@ loop unroll 16;
    for (uint32_t at = 0; at < 16; at++) {
        //@ loop unroll 41;
        for (size_t length = 0; length <= 40; length++) {
            tag.authenticated = at;
            isopod_tag_add(&tag, bytes, length);
        }
        tag.authenticated = at;
        isopod_tag_finish(&tag);
        isopod_tag_start(&tag, &name);
    }
    isopod_tag_of(nonce, &name, bytes, 40);
    isopod_hedge_start(&tag, key, &frame);
    tag.authenticated = 0;
    isopod_hedge_describe(&tag, bytes, SIZE_TO(48));
}

static void poly1305(void) {
    uint32_t accumulator[5], multiplier[4], words[4];
    ARBITRARY(words);
    isopod_poly1305_start(accumulator, multiplier, words);
    isopod_poly1305_blocks(accumulator, multiplier, bytes, SIZE_TO(4));
    ARBITRARY(accumulator);
    isopod_poly1305_finish(nonce, accumulator, words);
}

static void siphash(void) {
    isopod_siphash hash;
    uint8_t out[16];
    ARBITRARY(hash);
    isopod_siphash_add(&hash, bytes, SIZE_TO(20));
    isopod_siphash_finish(&hash, out);
    isopod_siphash_start(&hash, key, ANY8);
    isopod_siphash_add(&hash, bytes, SIZE_TO(20));
    isopod_siphash_finish(&hash, out);
}

static void linear(uint32_t count, uint32_t columns, uint32_t stride, uint32_t buckets) {
    static int16_t halves[32];
    static int32_t words[32];
    uint32_t out[ISOPOD_LINEAR_WORDS], first = 2;
    isopod_linear_secrets secrets;
    isopod_linear_key linear;
    isopod_linear_pad_key more = {NULL};
    isopod_linear_sum sum;
    isopod_frame_name name = {ANY64, ANY64, ANY32};
    ARBITRARY(halves);
    ARBITRARY(words);
    ARBITRARY(secrets);
    ARBITRARY(sum);
    const isopod_values values = {MAYBE ? (const void *)halves : (const void *)words, count,
                                  ISOPOD_VALUES_INT16};
    const isopod_values wide = {words, count, ISOPOD_VALUES_INT32};
    const isopod_linear_frame frame = {&name, MAYBE ? nonce : NULL, columns, stride, buckets,
                                       1024,  (int8_t)ANY8};
    isopod_linear_derive(&linear, &secrets);
    (void)isopod_linear_key_add_pads(&linear, &more, &secrets);
    (void)isopod_linear_secrets_advance(&secrets);
    isopod_linear_add(&sum, &linear, &values, first, ANY32);
    isopod_linear_add(&sum, &linear, &wide, first, ANY32);
    (void)isopod_linear_value(&sum, &linear, 1024);
    isopod_linear_finish(out, &sum, &linear, &frame);
    isopod_linear_columns.add(&sum, &linear, &frame, &wide, first, 3);
    isopod_linear_columns.add(&sum, &linear, &frame, &values, first, 18);
    isopod_linear_columns.finish(out, &sum, &linear, &frame);
    (void)isopod_linear_tag_number(key);
}

int main(void) {
    ARBITRARY(key);
    ARBITRARY(nonce);
    ARBITRARY(bytes);
    tags();
    poly1305();
    siphash();
    linear(1, 4, 5, 1);
    linear(7, 4, 5, 1);
    linear(12, 8, 8, 4);
    return 0;
}
