/* Decryption of CKKS from residues of any contents under several primes at n = 2048, to values of every
 * type. */
// rooms: decrypt schemes encode/decode encode/layouts.c keys ring tag cbor base/workspace.c
// rooms: base/parameters.c base/parameter_sets.c random/sender.c random/noise.c random/stream.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "device.h"
#include "isopod/decrypt.h"

#define DEGREE 2048u
#define PRIMES 2u
#define VALUES 24u

static int32_t twiddles_of[PRIMES][DEGREE], cosines[DEGREE / 2u + 1u];
static int64_t long_cosines[DEGREE / 2u + 1u];
static const int32_t *const twiddles[PRIMES] = {twiddles_of[0], twiddles_of[1]};
static isopod_tables tables;
static isopod_key key;
static uint32_t ternary_blob[(ISOPOD_KEY_HEADER_BYTES + DEGREE / 4u) / 4u];
static uint32_t memory[ISOPOD_DECRYPT_WORKSPACE(DEGREE, PRIMES, 1) / 4u];
static uint8_t packed[DEGREE / 8u * 30u * PRIMES];
static double values[VALUES];

static void decrypt(const isopod_params *params, const isopod_decoder *decoder) {
    const isopod_decrypt_config config = {params, &tables, &key, decoder,
                                          (int8_t)SIGNED(-128, 127), ANY8, NULL};
    const isopod_workspace workspace = {memory, sizeof memory};
    const isopod_decoded out = {values, BETWEEN(0, VALUES), (isopod_value_type)BETWEEN(1, 6)};
    isopod_decrypt context;
    isopod_claim claim;
    ARBITRARY(claim);
    ARBITRARY(memory);
    if (isopod_decrypt_unauthenticated_begin(&context, &config, &workspace, &claim) != ISOPOD_OK) {
        return;
    }
    //@ dynamic_split context.config == 0;
    if (isopod_decrypt_unauthenticated_feed(&context, packed, SIZE_TO(sizeof packed)) ==
        ISOPOD_OK) {
        (void)isopod_decrypt_unauthenticated_finish(&context, &out);
    }
    isopod_decrypt_abort(&context);
}

int main(void) {
    const isopod_params *const params = &isopod_ckks_2048x2_air;
    ARBITRARY(packed);
    ARBITRARY(twiddles_of);
    ARBITRARY(ternary_blob);
    ternary_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_SECRET_TERNARY;
    ternary_blob[ISOPOD_KEY_WORD_PRIMES] = BETWEEN(0, 0xffff);
    for (uint32_t i = 0; i <= DEGREE / 2u; i++) {
        cosines[i] = SIGNED(0, 1 << 30);
        long_cosines[i] = LONG(0, (int64_t)1 << 62);
    }
    tables.twiddles = twiddles;
    tables.cosine32 = cosines;
    tables.cosine64 = long_cosines;
    ARBITRARY(tables.set_id);
    if (isopod_decryption_key_open(&key, params, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
        ISOPOD_OK) {
        decrypt(params, &isopod_ckks_decode);
    }
    return 0;
}
