/* The encoder of real slots for 32-bit messages, as a configuration names it. */
#include "encoder.h"

static void encode(void *message, const void *cosine, const isopod_values *values,
                   const isopod_encoding *encoding) {
    isopod_encode32(message, cosine, values, encoding);
}

const isopod_encoder_words isopod_slots_words32 = {.encode = encode, .load = isopod_load_message32};

const isopod_encoder isopod_encoder_slots32 = {.form = ISOPOD_MESSAGE_SLOTS,
                                               .is_dithered = 1,
                                               .words32 = &isopod_slots_words32,
                                               .words64 = NULL};
const isopod_encoder isopod_encoder_slots32_nearest = {
    .form = ISOPOD_MESSAGE_SLOTS, .words32 = &isopod_slots_words32, .words64 = NULL};
