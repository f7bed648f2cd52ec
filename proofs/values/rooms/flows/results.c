/* Results from outside: items of any length to their largest and of any contents, under any link
 * key; decryption of them and of residues of any contents under ternary and transformed keys, with
 * every decoder, to values of every type. */
// rooms: wire/result.c wire/linear_verifier.c decrypt schemes encode/decode encode/layouts.c keys
// rooms: ring tag cbor base/workspace.c base/parameters.c base/parameter_sets.c random/sender.c
// rooms: random/noise.c random/stream.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options: -eva-slevel-function isopod_cbor_expect:0,isopod_cbor_unsigned:0,isopod_cbor_array:0
// options: -eva-slevel-function isopod_cbor_float64:0,isopod_cbor_string:0,isopod_cbor_optional:0
// options: -eva-slevel-function isopod_cbor_bytes_of:0,isopod_cbor_text:0,read_u32:0
// options: -eva-slevel-function read_identity:0,read_evaluation:0,read_origin:0
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/decrypt.h"
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

static void decrypt(const isopod_params *params, const isopod_decoder *decoder) {
    isopod_decrypt_config config = {params, &tables, &key, decoder, (int8_t)SIGNED(-128, 127),
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

static void results(const isopod_params *params, const isopod_decoder *decoder) {
    isopod_decrypt_config config = {params, &tables, &key, decoder, (int8_t)SIGNED(-128, 127),
                                    ANY8,   NULL};
    isopod_decrypt context;
    isopod_result result;
    ARBITRARY(item);
    if (isopod_result_open(&result, params, link_key, item, SIZE_TO(ITEM)) == ISOPOD_OK) {
        const isopod_decoded out = any_destination();
        (void)isopod_decrypt_result(&context, &config, &encryptor.workspace, &result, &out);
    }
}

static void run(const isopod_params *params, const isopod_decoder *decoder) {
    any_tables(params);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    any_blob(ntt_blob, sizeof ntt_blob, ISOPOD_KEY_SECRET_NTT, 0);
    if (isopod_decryption_key_open(&key, params, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
        ISOPOD_OK) {
        isopod_linear_verifier verifier;
        (void)isopod_linear_verifier_open(&verifier, &key, ANY32, BETWEEN(0, 3));
        decrypt(params, decoder);
        results(params, decoder);
    }
    if (isopod_decryption_key_open(&key, params, ntt_blob, SIZE_TO(sizeof ntt_blob)) == ISOPOD_OK) {
        decrypt(params, decoder);
    }
}

int main(void) {
    ARBITRARY(link_key);
    ARBITRARY(packed);
    if (MAYBE) {
        run(&CKKS, &isopod_ckks_decode_lean);
    } else if (MAYBE) {
        run(&CKKS, &isopod_ckks_decode);
    } else if (MAYBE) {
        run(&CKKS, &isopod_ckks_decode_coefficients);
    } else {
        run(&BFV, &isopod_bfv_decode);
    }
    return 0;
}
