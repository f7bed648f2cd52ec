/* Keys: pairs from any entropy, blobs and seals of any contents, split keys from any loader, slots
 * in flash. */
// sources: keys decrypt/decryption_key.c encrypt/public_key.c encrypt/secret_key.c
// sources: encrypt/split_key.c encrypt/key_slots.c encrypt/moments.c encrypt/chunk.c
// sources: encrypt/encryption_root.c encrypt/encryption.c encrypt/engine.c encrypt/part_header.c
// sources: ring random tag/hedge.c tag/tag.c tag/poly1305.c base/piece_stream.c base/workspace.c
// sources: base/parameters.c base/parameter_sets.c cbor/cbor.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/key_pair.h"
#include "isopod/sealed_key.h"
#include "isopod/split_key.h"
#include "set.h"

static uint8_t out[512];

static void pairs(uint8_t chunks, isopod_key_kind kind) {
    const isopod_key_pair_config config = {&CKKS, &tables, chunks};
    isopod_key_pair pair;
    isopod_key_piece piece;
    isopod_status status;
    any_device(ISOPOD_KEY_PAIR_WORKSPACE(N, chunks));
    if (isopod_key_pair_begin(&pair, &config, &encryptor.workspace, &entropy) != ISOPOD_OK) {
        return;
    }
    //@ dynamic_split pair.config == 0;
    if (isopod_key_pair_payload(&pair, kind) == ISOPOD_OK) {
        do {
            status = isopod_key_pair_next(&pair, out, SIZE_TO(sizeof out), &piece);
        } while (status == ISOPOD_OK && MAYBE);
    }
    isopod_key_pair_close(&pair);
}

static void identify(void) {
    uint8_t header[ISOPOD_KEY_HEADER_BYTES], key_id[ISOPOD_KEY_ID_BYTES];
    ARBITRARY(key_id);
    (void)isopod_key_identify(key_id, &CKKS, ISOPOD_KEY_PUBLIC,
                              plain_blob + ISOPOD_KEY_HEADER_BYTES / 4u);
    (void)isopod_key_identify(key_id, &CKKS, ISOPOD_KEY_PUBLIC_SEEDED,
                              seeded_blob + ISOPOD_KEY_HEADER_BYTES / 4u);
    (void)isopod_key_header(header, &CKKS, ISOPOD_KEY_PUBLIC,
                            plain_blob + ISOPOD_KEY_HEADER_BYTES / 4u, key_id);
    (void)isopod_key_header(header, &CKKS, ISOPOD_KEY_SECRET_NTT,
                            ntt_blob + ISOPOD_KEY_HEADER_BYTES / 4u, key_id);
}

static void seals(void) {
    static uint32_t sealed[(ISOPOD_KEY_HEADER_BYTES + 32u + 8u * N + ISOPOD_KEY_SEAL_BYTES + 7u) /
                           8u * 2u * 2u];
    uint8_t seal[ISOPOD_KEY_SEAL_BYTES];
    uint32_t slot;
    const isopod_key_slots slots = {sealed, sizeof sealed / 2u, 2};
    ARBITRARY(sealed);
    sealed[ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_PUBLIC;
    sealed[sizeof sealed / 8u + ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_PUBLIC_SEEDED;
    sealed[ISOPOD_KEY_WORD_PRIMES] = BETWEEN(0, 0xffff);
    sealed[sizeof sealed / 8u + ISOPOD_KEY_WORD_PRIMES] = BETWEEN(0, 0xffff);
    (void)isopod_key_seal(seal, &CKKS, plain_blob, SIZE_TO(sizeof plain_blob), ANY32);
    (void)isopod_key_seal(seal, &CKKS, ternary_blob, SIZE_TO(sizeof ternary_blob), ANY32);
    (void)isopod_sealed_public_key_open(&key, &CKKS, sealed, SIZE_TO(sizeof sealed / 2u));
    (void)isopod_sealed_public_key_newest(&key, &CKKS, &slots, &slot);
}

static int load(void *state, uint8_t prime, void *blob, size_t bytes) {
    uint32_t *words = blob;
    arbitrary(blob, bytes);
    words[ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_PUBLIC_PRIME;
    words[ISOPOD_KEY_WORD_PRIMES] = BETWEEN(0, 0xffff);
    return SIGNED(-1, 1);
}

static void split_keys(void) {
    static uint32_t part[ISOPOD_SPLIT_KEY_BYTES(N, 1, 0) / 4u];
    const isopod_key_loader loader = {load, NULL, part, sizeof part};
    isopod_split_key split;
    (void)isopod_split_key_open(&split, &CKKS, &loader);
}

int main(void) {
    any_tables(&CKKS);
    any_blob(plain_blob, sizeof plain_blob, ISOPOD_KEY_PUBLIC, 0);
    any_blob(seeded_blob, sizeof seeded_blob, ISOPOD_KEY_PUBLIC_SEEDED, 0);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    any_blob(ntt_blob, sizeof ntt_blob, ISOPOD_KEY_SECRET_NTT, 0);
    pairs(1, ISOPOD_KEY_PUBLIC);
    pairs(2, ISOPOD_KEY_PUBLIC_SEEDED);
    pairs(1, ISOPOD_KEY_SECRET_TERNARY);
    pairs(2, ISOPOD_KEY_SECRET_NTT);
    pairs(1, (isopod_key_kind)0);
    identify();
    seals();
    split_keys();
    return 0;
}
