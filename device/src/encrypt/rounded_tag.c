/* Linear tags of frames in rounded coefficients (spec/verify.md, section 3): computed while the
 * values are read, written behind the last coefficient. Only a program that opens a key links this
 * file. */
#include "rounded.h"

_Static_assert(ISOPOD_ROUNDED_BLOCK >= ISOPOD_LINEAR_WORDS, "a piece has room for a linear tag");

static isopod_status check_type(const isopod_values *values) {
    const int has_integers = values->type == ISOPOD_VALUES_INT16 ||
                             values->type == ISOPOD_VALUES_INT32 ||
                             values->type == ISOPOD_VALUES_UINT32;
    return has_integers ? ISOPOD_OK : ISOPOD_ERROR_VALUE_TYPE;
}

static void add_values(const isopod_rounded *context, const void *data, uint32_t first,
                       uint32_t count) {
    const isopod_values values = {data, count, context->source.values.type};
    const uint32_t columns = isopod_rounded_columns(context);
    const uint32_t place = first / columns * isopod_rounded_stride(context) + first % columns;
    const uint32_t at = data == context->source.values.data ? first : 0;
    isopod_linear_add(&isopod_rounded_state_of(context)->linear,
                      context->encryption.config->linear_key, &values, at, place);
}

static void write_tag(isopod_rounded *context) {
    const isopod_encryption *encryption = &context->encryption;
    const isopod_encryption_config *config = encryption->config;
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    const isopod_linear_frame frame = {.name = &encryption->name,
                                       .packing = config->packing,
                                       .columns = isopod_rounded_columns(context),
                                       .stride = isopod_rounded_stride(context),
                                       .ring_degree = isopod_encryption_ring_degree(config),
                                       .log2_unit = context->source.log2_unit};
    isopod_linear_finish(state->piece, &state->linear, config->linear_key, &frame);
    state->length = ISOPOD_LINEAR_TAG_BYTES;
    context->encryption.component++;
}

static const isopod_linear_method of_rounded = {check_type, add_values, write_tag};

void isopod_linear_key_open(isopod_linear_key *key, const isopod_linear_secrets *secrets) {
    key->method = &of_rounded;
    isopod_linear_derive(key, secrets);
}
