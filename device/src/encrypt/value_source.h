/* Values from the callbacks of a source, and a reader that checks each value while it is encoded.
 */
#ifndef ISOPOD_VALUE_SOURCE_H
#define ISOPOD_VALUE_SOURCE_H

#include "linear_method.h"

#include "../encode/values.h"
#include "../random/root.h"

/*@ requires \valid_read(source);
    assigns \nothing;
    ensures \result == 0 ==> source->values.data == \null && source->read == \null &&
            source->read_many == \null; */
static inline uint32_t isopod_value_source_is_there(const isopod_value_source *source) {
    return source->values.data != NULL || source->read != NULL || source->read_many != NULL;
}

/* Asks for values from number `first` on, each of so many bytes. */
static inline void isopod_value_source_ask(const isopod_value_source *source, uint32_t first,
                                           uint32_t count, uint32_t bytes, void *values) {
    uint8_t *at = values;
    if (source->read_many != NULL) {
        source->read_many(source->state, first, count, values);
        return;
    }
    for (uint32_t i = 0; i < count; i++, at += bytes) {
        source->read(source->state, first + i, at);
    }
}

typedef struct isopod_checked_reader isopod_checked_reader;
struct isopod_checked_reader {
    isopod_value_reader reader;
    /* Checks type and unit, and sets the bound. */
    isopod_status (*open)(isopod_checked_reader *reader, const isopod_encryption *context);
    /* Encodes; checks the values meanwhile. */
    isopod_status (*encode)(isopod_checked_reader *reader, isopod_encryption *context,
                            const isopod_noise_key *noise);
    const isopod_value_source *source;
    uint32_t most; /* |value| <= most * 2^log2_most */
    int32_t log2_most;
    uint32_t asked;      /* numbers so far, repetitions included */
    uint32_t clamped;    /* how many of these were beyond the bound and clamped */
    uint32_t refused;    /* the first that is refused */
    uint32_t over;       /* all ones after a value beyond the bound that is not clamped */
    uint32_t not_finite; /* all ones after a value that is NaN or infinite */
    uint32_t clamps;     /* all ones where values are clamped */
    const isopod_encryption *tagged; /* NULL: without linear tags */
    isopod_linear_sum linear;
};

#endif
