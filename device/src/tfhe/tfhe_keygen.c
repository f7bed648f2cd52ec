/* TFHE keys from their seeds (spec/tfhe.md, section 5): p1 = p0 s + e, hashed to the key_id, in
 * every kind of blob. Constant time with respect to s and e. */
#include "isopod/tfhe_keygen.h"

#include "../keys/blob.h"
#include "../random/keccak.h"
#include "../base/memory.h"
#include "tfhe_blob.h"
#include "tfhe_method.h"
#include "tfhe_small.h"

static const uint8_t key_id_label[] = ISOPOD_HASH_LABEL_TFHE_KEY_ID;

size_t isopod_tfhe_blob_bytes(const isopod_tfhe_params *params, isopod_tfhe_key_kind kind) {
    uint32_t payload = isopod_tfhe_payload_bytes(params, kind);
    return payload != 0 ? (size_t)payload + ISOPOD_KEY_HEADER_BYTES : 0;
}

void isopod_tfhe_keygen_secret(uint32_t *secret, const isopod_tfhe_params *params,
                               const uint8_t seed[32]) {
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_SECRET_KEY, 0};
    isopod_stream_start(&stream, &isopod_suite_chacha20, seed, name);
    isopod_tfhe_sample_small(secret, params, &stream);
    isopod_wipe(&stream, sizeof stream);
    isopod_wipe_stack();
}

/* The parts of the workspace. */
typedef struct {
    uint32_t *words;
    int32_t *scratch;
    uint32_t *transformed;
    uint32_t count; /* 32-bit words of a polynomial */
    uint32_t n;
} workshop;

static workshop workshop_of(const isopod_tfhe_keygen *keygen) {
    uint32_t n = isopod_tfhe_degree(keygen->params);
    uint32_t count = n * (keygen->params->log2_modulus / 32u);
    uint32_t *words = keygen->workspace;
    workshop shop = {words, (int32_t *)words + count, words + count + n, count, n};
    return shop;
}

/* Replaces p0 by p1 = p0*s + e. */
ISOPOD_FRAME_APART static void make_second(const isopod_tfhe_keygen *keygen, const workshop *shop) {
    isopod_ntt ntt = isopod_ring_ntt(keygen->params, keygen->tables->twiddles);
    isopod_tfhe_addend addend = {keygen->params, NULL, shop->n};
    isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0, 0};
    isopod_stream stream;
    isopod_tfhe_product(shop->words, shop->transformed, shop->scratch, &ntt, keygen->params);
    isopod_stream_start(&stream, &isopod_suite_chacha20, keygen->noise_key, name);
    isopod_tfhe_add_errors(shop->words, &addend, &stream);
    isopod_wipe(&stream, sizeof stream);
    isopod_wipe_shallow_stack(); /* in this frame, since adding errors needs much stack */
}

static void copy_words(uint32_t *out, const uint32_t *in, uint32_t count) {
    isopod_copy((uint8_t *)out, (const uint8_t *)in, (size_t)4 * count);
}

/* Makes the pair, hashes it, and copies the parts that the kind of blob holds. */
ISOPOD_FRAME_APART static void make_pair(uint32_t *payload, uint8_t key_id[ISOPOD_DIGEST_BYTES],
                                         const isopod_tfhe_keygen *keygen,
                                         isopod_tfhe_key_kind kind) {
    workshop shop = workshop_of(keygen);
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, key_id_label, sizeof key_id_label);
    isopod_keccak_absorb(&sponge, keygen->params->set_id, sizeof keygen->params->set_id);
    isopod_tfhe_public_mask(shop.words, keygen->mask_seed, shop.count);
    isopod_keccak_absorb(&sponge, (const uint8_t *)shop.words, (size_t)4 * shop.count);
    if (kind == ISOPOD_TFHE_KEY_PUBLIC) {
        copy_words(payload, shop.words, shop.count);
    }
    make_second(keygen, &shop);
    isopod_keccak_absorb(&sponge, (const uint8_t *)shop.words, (size_t)4 * shop.count);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, key_id, ISOPOD_DIGEST_BYTES);
    if (kind == ISOPOD_TFHE_KEY_PUBLIC) {
        copy_words(payload + shop.count, shop.words, shop.count);
    } else if (kind == ISOPOD_TFHE_KEY_PUBLIC_SEEDED) {
        isopod_copy((uint8_t *)payload, keygen->mask_seed, ISOPOD_MASK_SEED_BYTES);
        copy_words(payload + ISOPOD_MASK_SEED_BYTES / 4u, shop.words, shop.count);
    }
}

static void write_header(uint32_t *blob, const isopod_tfhe_keygen *keygen,
                         isopod_tfhe_key_kind kind, const uint8_t key_id[ISOPOD_DIGEST_BYTES]) {
    static const uint8_t magic[] = ISOPOD_KEY_MAGIC;
    isopod_copy((uint8_t *)blob, magic, sizeof magic);
    blob[ISOPOD_KEY_WORD_KIND] = kind;
    blob[ISOPOD_KEY_WORD_RING_DEGREE] = isopod_tfhe_degree(keygen->params);
    isopod_copy((uint8_t *)(blob + ISOPOD_KEY_WORD_SET_ID), keygen->params->set_id,
                ISOPOD_SET_ID_BYTES);
    isopod_copy((uint8_t *)(blob + ISOPOD_KEY_WORD_KEY_ID), key_id, ISOPOD_KEY_ID_BYTES);
    blob[ISOPOD_KEY_WORD_PRIMES] = 0;
    blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] = isopod_tfhe_payload_bytes(keygen->params, kind);
}

isopod_status isopod_tfhe_keygen_blob(uint32_t *blob, const isopod_tfhe_keygen *keygen,
                                      isopod_tfhe_key_kind kind) {
    isopod_status status = isopod_tfhe_parameters_check(keygen->params);
    if (status == ISOPOD_OK && !isopod_tfhe_tables_fit(keygen->tables, keygen->params)) {
        status = ISOPOD_ERROR_TABLES;
    }
    if (status == ISOPOD_OK && isopod_tfhe_payload_bytes(keygen->params, kind) == 0) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    workshop shop = workshop_of(keygen);
    isopod_ntt ntt = isopod_ring_ntt(keygen->params, keygen->tables->twiddles);
    isopod_small secret = {keygen->secret, keygen->params->secret};
    uint32_t *payload = blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint8_t key_id[ISOPOD_DIGEST_BYTES], digest[ISOPOD_DIGEST_BYTES];
    isopod_ring_transform(shop.transformed, &secret, &ntt);
    make_pair(payload, key_id, keygen, kind);
    if (kind == ISOPOD_TFHE_KEY_SECRET) {
        copy_words(payload, keygen->secret, isopod_tfhe_secret_bytes(keygen->params) / 4u);
    } else if (kind == ISOPOD_TFHE_KEY_SECRET_TRANSFORMED) {
        copy_words(payload, shop.transformed, shop.n);
    }
    write_header(blob, keygen, kind, key_id);
    isopod_blob_digest(digest, blob, blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES]);
    isopod_copy((uint8_t *)(blob + ISOPOD_KEY_WORD_DIGEST), digest, sizeof digest);
    isopod_wipe(keygen->workspace, (size_t)4 * (shop.count + 2u * shop.n));
    isopod_wipe_stack();
    return ISOPOD_OK;
}
