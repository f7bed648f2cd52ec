/* Linear tags of frames (spec/verify.md, section 3). Those of rounded coefficients are computed
 * while the values are read, and written behind the last coefficient; those of whole residues
 * before the integers are encoded. Only a program that opens a key links this file. */
#include "rounded.h"

#include "../base/memory.h"

_Static_assert(ISOPOD_ROUNDED_BLOCK >= ISOPOD_LINEAR_WORDS, "a piece has room for a linear tag");

/*@ requires \valid_read(values);
    assigns \nothing;
    ensures \result == ISOPOD_OK || \result == ISOPOD_ERROR_VALUE_TYPE;
    ensures \result == ISOPOD_OK <==> values->type == ISOPOD_VALUES_INT16 ||
            values->type == ISOPOD_VALUES_INT32 || values->type == ISOPOD_VALUES_UINT32; */
static isopod_status check_type(const isopod_values *values) {
    const int has_integers = values->type == ISOPOD_VALUES_INT16 ||
                             values->type == ISOPOD_VALUES_INT32 ||
                             values->type == ISOPOD_VALUES_UINT32;
    return has_integers ? ISOPOD_OK : ISOPOD_ERROR_VALUE_TYPE;
}

static isopod_linear_frame rounded_frame(const isopod_rounded *context) {
    const isopod_encryption *encryption = &context->encryption;
    const isopod_encryption_config *config = encryption->config;
    const isopod_linear_frame frame = {.name = &encryption->name,
                                       .packing = config->packing,
                                       .columns = isopod_rounded_columns(context),
                                       .stride = isopod_rounded_stride(context),
                                       .buckets = isopod_encryption_buckets(encryption),
                                       .ring_degree = isopod_encryption_ring_degree(config),
                                       .log2_unit = context->source.log2_unit};
    return frame;
}

static void add_values(const isopod_rounded *context, const void *data, uint32_t first,
                       uint32_t count) {
    const isopod_values values = {data, count, context->source.values.type};
    const isopod_linear_key *key = context->encryption.config->linear_key;
    const isopod_linear_frame frame = rounded_frame(context);
    const uint32_t place = first / frame.columns * frame.stride + first % frame.columns;
    const uint32_t at = data == context->source.values.data ? first : 0;
    isopod_linear_sum *sum = &isopod_rounded_state_of(context)->linear;
    isopod_linear_add(sum, key, &values, at, place);
    if (key->method->second != NULL) {
        key->method->second->add(sum, key, &frame, &values, at, place);
    }
}

static void write_tag(isopod_rounded *context) {
    const isopod_linear_key *key = context->encryption.config->linear_key;
    const isopod_linear_frame frame = rounded_frame(context);
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    isopod_linear_finish(state->piece, &state->linear, key, &frame);
    if (key->method->second != NULL) {
        key->method->second->finish(state->piece, &state->linear, key, &frame);
    }
    state->length = isopod_linear_bytes(key);
    context->encryption.component++;
}

static isopod_linear_frame whole_frame(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    const uint32_t stride = isopod_encryption_stride(context);
    const isopod_linear_frame frame = {.name = &context->name,
                                       .packing = config->packing,
                                       .columns = (context->count - 1u) % stride + 1u,
                                       .stride = stride,
                                       .buckets = isopod_encryption_buckets(context),
                                       .ring_degree = isopod_encryption_ring_degree(config)};
    return frame;
}

static void add_whole(const isopod_encryption *context, isopod_linear_sum *sum,
                      const isopod_values *values, uint32_t place) {
    const isopod_linear_key *key = context->config->linear_key;
    isopod_linear_add(sum, key, values, 0, place);
    if (key->method->second != NULL) {
        const isopod_linear_frame frame = whole_frame(context);
        key->method->second->add(sum, key, &frame, values, 0, place);
    }
}

static void finish_whole(isopod_encryption *context, const isopod_linear_sum *sum) {
    const isopod_linear_key *key = context->config->linear_key;
    const isopod_linear_frame frame = whole_frame(context);
    uint32_t words[ISOPOD_LINEAR_WORDS];
    isopod_linear_finish(words, sum, key, &frame);
    if (key->method->second != NULL) {
        key->method->second->finish(words, sum, key, &frame);
    }
    for (uint32_t i = 0; i < isopod_linear_bytes(key) / 4u; i++) {
        isopod_store32(context->linear + (size_t)4u * i, words[i]);
    }
    ISOPOD_DECLASSIFY(context->linear);
}

static const isopod_linear_method of_places = {.check = check_type,
                                               .add = add_values,
                                               .finish = write_tag,
                                               .add_whole = add_whole,
                                               .finish_whole = finish_whole};
static const isopod_linear_method of_columns = {.second = &isopod_linear_columns,
                                                .check = check_type,
                                                .add = add_values,
                                                .finish = write_tag,
                                                .add_whole = add_whole,
                                                .finish_whole = finish_whole};

void isopod_linear_key_open(isopod_linear_key *key, const isopod_linear_secrets *secrets) {
    key->method = &of_places;
    isopod_linear_derive(key, secrets);
}

void isopod_linear_key_open_columns(isopod_linear_key *key, const isopod_linear_secrets *secrets) {
    key->method = &of_columns;
    isopod_linear_derive(key, secrets);
}
