/* The encoder of real slots for 64-bit messages, as a configuration names it. */
#include "encoder.h"
#include "../ring/reduce64.h"

static void encode(void *message, const void *cosine, const isopod_values *values,
                   const isopod_encoding *encoding) {
    isopod_encode64(message, cosine, values, encoding);
}

static void load(const isopod_polynomial *polynomial, uint32_t first,
                 int32_t out[ISOPOD_FOLD_BLOCK]) {
    int64_t words[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message64_add(polynomial->words, polynomial->n, first, words);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += isopod64_reduce(words[i], polynomial->prime);
    }
}

static const isopod_encoder_words words64 = {.encode = encode, .load = load};

const isopod_encoder isopod_encoder_slots64 = {.form = ISOPOD_MESSAGE_SLOTS,
                                               .is_dithered = 1,
                                               .words32 = &isopod_slots_words32,
                                               .words64 = &words64};
const isopod_encoder isopod_encoder_slots64_nearest = {
    .form = ISOPOD_MESSAGE_SLOTS, .words32 = &isopod_slots_words32, .words64 = &words64};
