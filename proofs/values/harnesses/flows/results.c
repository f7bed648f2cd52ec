/* Results from outside: items of any length to their largest and of any contents, under any link
 * key; decryption of them and of residues of any contents under ternary and transformed keys, to
 * values of every type. A decoder of any outcome stands for those of schemes/ and for the residues
 * of decrypt/; decoders.c and residues.c analyse these. */
// sources: wire/result.c wire/linear_verifier.c decrypt/decrypt.c decrypt/decryption_key.c
// sources: schemes/claim.c schemes/plain_modulus.c keys ring tag cbor base/workspace.c
// sources: base/parameters.c base/parameter_sets.c random/sender.c random/noise.c random/stream.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options: -eva-slevel-function isopod_cbor_expect:0,isopod_cbor_unsigned:0,isopod_cbor_array:0
// options: -eva-slevel-function isopod_cbor_float64:0,isopod_cbor_string:0,isopod_cbor_optional:0
// options: -eva-slevel-function isopod_cbor_bytes_of:0,isopod_cbor_text:0,read_u32:0
// options: -eva-slevel-function read_identity:0,read_evaluation:0,read_origin:0
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "decrypt/decrypt.h"
#include "isopod/result.h"
#include "set.h"

#define ITEM (N * 8u + 1200u)
#define VALUES 24u

static uint8_t item[ITEM], link_key[ISOPOD_LINK_KEY_BYTES], packed[N / 8u * 26u];
static double values[VALUES];

static isopod_decoded any_destination(void) {
    isopod_decoded out = {values, BETWEEN(0, VALUES), ISOPOD_VALUES_FLOAT64};
    if (MAYBE) {
        out.type = ISOPOD_VALUES_FLOAT32;
    } else if (MAYBE) {
        out.type = ISOPOD_VALUES_INT32;
    }
    return out;
}

static isopod_status check_claim(const isopod_decrypt_config *config, const isopod_claim *claim) {
    isopod_status status = isopod_claim_check(config->params, claim);
    return status == ISOPOD_OK && MAYBE ? ISOPOD_ERROR_BOUND : status;
}

static isopod_status check_type(const isopod_decrypt_config *config, isopod_value_type type) {
    return MAYBE ? ISOPOD_OK : MAYBE ? ISOPOD_ERROR_VALUE_TYPE : ISOPOD_ERROR_BOUND;
}

static void any_room(const isopod_decrypt *context) {
    arbitrary((uint8_t *)context->workspace->memory + ISOPOD_WORKSPACE_OWNER_BYTES, 4u * N);
}

/*@ requires \valid(context) && groups >= 1 && context->position + 32 * groups <= 1024;
    requires \valid_read(packed + (0 .. groups * 104 - 1)); */
static void take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {
    any_room(context);
    context->position += 32u * groups;
    context->over = ANY32;
}

/*@ requires \valid(context) && \valid_read(answers) && \valid_read(answers->c0) &&
        \valid_read(answers->c1); */
static void take_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers) {
    any_room(context);
    context->prime = 1;
    context->over = ANY32;
}

/*@ requires \valid_read(context) && \valid_read(out) &&
        context->claim.rows * context->claim.columns <= out->capacity; */
static uint32_t write(const isopod_decrypt *context, const isopod_decoded *out) {
    any_room(context);
    arbitrary(out->data, 8u);
    return ANY32;
}

static const isopod_decoder any_decoder = {4,    NULL,         check_claim, check_type,
                                           take, take_rounded, write};

static void decrypt(const isopod_params *params) {
    isopod_decrypt_config config = {params, &tables, &key, &any_decoder, (int8_t)SIGNED(-128, 127),
                                    ANY8,   NULL};
    isopod_decrypt context;
    isopod_claim claim;
    any_device(ISOPOD_DECRYPT_WORKSPACE(N, 1, 1));
    ARBITRARY(claim);
    if (isopod_decrypt_unauthenticated_begin(&context, &config, &encryptor.workspace, &claim) !=
        ISOPOD_OK) {
        return;
    }
    const isopod_decoded out = any_destination();
    //@ dynamic_split context.config == 0;
    if (isopod_decrypt_unauthenticated_feed(&context, packed, sizeof packed) == ISOPOD_OK &&
        isopod_decrypt_unauthenticated_feed(&context, packed, SIZE_TO(sizeof packed)) ==
            ISOPOD_OK) {
        (void)isopod_decrypt_unauthenticated_finish(&context, &out);
    }
    isopod_decrypt_abort(&context);
}

static void results(const isopod_params *params) {
    isopod_decrypt_config config = {params, &tables, &key, &any_decoder, (int8_t)SIGNED(-128, 127),
                                    ANY8,   NULL};
    isopod_decrypt context;
    isopod_result result;
    ARBITRARY(item);
    if (isopod_result_open(&result, params, link_key, item, SIZE_TO(ITEM)) == ISOPOD_OK) {
        const isopod_decoded out = any_destination();
        (void)isopod_decrypt_result(&context, &config, &encryptor.workspace, &result, &out);
    }
}

static void run(const isopod_params *params) {
    any_tables(params);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    any_blob(ntt_blob, sizeof ntt_blob, ISOPOD_KEY_SECRET_NTT, 0);
    if (isopod_decryption_key_open(&key, params, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
        ISOPOD_OK) {
        isopod_linear_verifier verifier;
        (void)isopod_linear_verifier_open(&verifier, &key, ANY32, BETWEEN(0, 3));
        decrypt(params);
        results(params);
    }
    if (isopod_decryption_key_open(&key, params, ntt_blob, SIZE_TO(sizeof ntt_blob)) == ISOPOD_OK) {
        decrypt(params);
    }
}

int main(void) {
    ARBITRARY(link_key);
    ARBITRARY(packed);
    if (MAYBE) {
        run(&CKKS);
    } else {
        run(&BFV);
    }
    return 0;
}
