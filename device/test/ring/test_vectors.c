/* Known answers of the independent model for everything below a ciphertext. */
#include "../../src/random/chacha20.h"
#include "../../src/encode/encode.h"
#include "../../src/base/memory.h"
#include "../../src/ring/pointwise.h"
#include "../../src/tag/poly1305.h"
#include "../../src/ring/polynomial.h"
#include "../../src/encrypt/method.h"
#include "../../src/tag/hedge.h"
#include "../../src/random/sample.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void check_streams(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_streams); r++) {
        const struct isopod_vector_streams *vector = &isopod_vectors_streams[r];
        uint8_t key[32];
        uint32_t words[250];
        isopod_stream stream;
        isopod_stream_name name = {vector->domain, vector->index};
        check_case("stream", r);
        fixture_bytes(key, (uint8_t)vector->key_start, sizeof key);
        isopod_stream_start(&stream, vector_suite(vector->suite), key, name);
        isopod_stream_words(&stream, words, 1);
        isopod_stream_words(&stream, words + 1, 249);
        CHECK(vector->length == sizeof words);
        CHECK(fixture_is_hex((uint8_t *)words, 32, vector->first_32));
        CHECK(fixture_has_digest(words, sizeof words, vector->sha3));
        isopod_stream_seek(&stream, 200);
        uint32_t again[50];
        isopod_stream_words(&stream, again, 50);
        CHECK(isopod_equal((uint8_t *)again, (uint8_t *)(words + 200), sizeof again));
    }
}

static void check_roots(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_roots); r++) {
        const struct isopod_vector_roots *vector = &isopod_vectors_roots[r];
        uint8_t hedge[16], device_key[32], key_id[16], nonce[16], mask_seed[64];
        uint8_t first = (uint8_t)vector->entropy_start;
        isopod_entropy entropy = {fixture_fill, &first, {0}, 0};
        const isopod_frame_name frame = {0, vector->sequence, vector->epoch};
        const isopod_root_name name = {&entropy,
                                       &frame,
                                       device_key,
                                       key_id,
                                       vector_set(vector->set)->set_id,
                                       hedge,
                                       (uint8_t)vector->suite,
                                       (uint8_t)vector->kind};
        isopod_root_draft draft;
        isopod_noise_key noise;
        const isopod_suite *suite = vector_suite(vector->suite);
        check_case("root", r);
        fixture_from_hex(hedge, vector->hedge);
        fixture_bytes(device_key, (uint8_t)vector->device_key_start, sizeof device_key);
        fixture_bytes(key_id, (uint8_t)vector->key_id_start, sizeof key_id);
        CHECK(isopod_root_start(&draft, &name) == ISOPOD_OK);
        isopod_keccak_squeeze(&draft.sponge, mask_seed, suite->mask_seed_bytes);
        isopod_keccak_squeeze(&draft.sponge, noise.bytes, sizeof noise.bytes);
        isopod_keccak_squeeze(&draft.sponge, nonce, sizeof nonce);
        CHECK(fixture_is_hex(mask_seed, suite->mask_seed_bytes, vector->mask_seed));
        CHECK(fixture_is_hex(noise.bytes, sizeof noise.bytes, vector->noise_key));
        CHECK(fixture_is_hex(nonce, sizeof nonce, vector->nonce));
    }
}

/* The values in pieces of every length up to all of them. */
static void check_hedges(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_hedges); r++) {
        const struct isopod_vector_hedges *vector = &isopod_vectors_hedges[r];
        uint8_t device_key[32], *values = check_memory(vector->length + 1u);
        const isopod_frame_name name = {5, vector->sequence, vector->epoch};
        check_case("hedge", r);
        fixture_bytes(device_key, (uint8_t)vector->device_key_start, sizeof device_key);
        fixture_bytes(values, 0, vector->length);
        for (uint32_t piece = 1; piece <= vector->length + 1u; piece += piece < 40 ? 1 : 331) {
            isopod_tag hedge;
            isopod_hedge_start(&hedge, device_key, &name);
            for (uint32_t at = 0; at < vector->length; at += piece) {
                uint32_t left = vector->length - at;
                isopod_tag_add(&hedge, values + at, left < piece ? left : piece);
            }
            isopod_tag_finish(&hedge);
            CHECK(fixture_is_hex(hedge.block, sizeof hedge.block, vector->hedge));
        }
    }
}

/* XChaCha20-Poly1305 over associated data only, from the library's parts (spec/wire.md, section 2).
 */
static void tag_of(uint8_t tag[16], const struct isopod_vector_tags *vector) {
    uint8_t key[32], nonce[16], subkey[32], block[16];
    uint32_t one_time[16], accumulator[5], multiplier[4];
    const uint32_t input[4] = {0, 0, (uint32_t)vector->domain, (uint32_t)(vector->domain >> 32)};
    fixture_bytes(key, (uint8_t)vector->key_start, sizeof key);
    fixture_bytes(nonce, (uint8_t)vector->nonce_start, sizeof nonce);
    isopod_hchacha20(subkey, key, nonce);
    isopod_chacha20_block(one_time, subkey, input);
    isopod_poly1305_start(accumulator, multiplier, one_time);
    for (uint32_t i = 0; i < vector->length; i += 16) {
        for (uint32_t b = 0; b < 16; b++) {
            block[b] = (uint8_t)(i + b < vector->length ? i + b : 0);
        }
        isopod_poly1305_blocks(accumulator, multiplier, block, 1);
    }
    isopod_store64(block, vector->length);
    isopod_store64(block + 8, 0);
    isopod_poly1305_blocks(accumulator, multiplier, block, 1);
    isopod_poly1305_finish(tag, accumulator, one_time + 4);
}

static void check_tags(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tags); r++) {
        uint8_t tag[16];
        check_case("tag", r);
        tag_of(tag, &isopod_vectors_tags[r]);
        CHECK(fixture_is_hex(tag, sizeof tag, isopod_vectors_tags[r].tag));
    }
}

static void check_device_keys(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_device_keys); r++) {
        const struct isopod_vector_device_keys *vector = &isopod_vectors_device_keys[r];
        static const char label[] = "isopod-v2-device";
        uint8_t master[32], device[8], key[32];
        isopod_keccak sponge;
        check_case("device key", r);
        fixture_bytes(master, (uint8_t)vector->master_start, sizeof master);
        isopod_store64(device, vector->device);
        isopod_keccak_start(&sponge);
        isopod_keccak_absorb(&sponge, (const uint8_t *)label, sizeof label - 1);
        isopod_keccak_absorb(&sponge, master, sizeof master);
        isopod_keccak_absorb(&sponge, device, sizeof device);
        isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
        isopod_keccak_squeeze(&sponge, key, sizeof key);
        CHECK(fixture_is_hex(key, sizeof key, vector->key));
    }
}

static void sample_ternary(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t *packed = check_memory(n / 4);
    isopod_sample_ternary(packed, n, stream);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (int8_t)((int32_t)(packed[i / 16] >> (2 * (i % 16)) & 3u) - 1);
    }
}

static void check_sampling(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_sampling); r++) {
        const struct isopod_vector_sampling *vector = &isopod_vectors_sampling[r];
        uint8_t key[32];
        isopod_stream stream;
        isopod_stream_name name = {vector->domain, 0};
        check_memory_reset();
        check_case("sampling", r);
        int8_t *out = check_memory(vector->ring_degree);
        fixture_bytes(key, (uint8_t)vector->key_start, sizeof key);
        isopod_stream_start(&stream, vector_suite(vector->suite), key, name);
        if (vector->domain == ISOPOD_DOMAIN_ERROR0 || vector->domain == ISOPOD_DOMAIN_ERROR1) {
            isopod_sample_error(out, vector->ring_degree, &stream);
        } else {
            sample_ternary(out, vector->ring_degree, &stream);
        }
        CHECK(fixture_has_digest(out, vector->ring_degree, vector->sha3));
    }
}

static void check_masks(void) {
    uint32_t refill = 0;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_masks); r++) {
        const struct isopod_vector_masks *vector = &isopod_vectors_masks[r];
        const isopod_ckks_params *params = vector_set(vector->set);
        uint32_t n = 1u << params->log2_ring_degree;
        uint8_t seed[ISOPOD_MASK_SEED_MAXIMUM];
        check_memory_reset();
        check_case(vector->set, r);
        uint32_t *mask = check_memory((size_t)4 * n);
        fixture_bytes(seed, (uint8_t)vector->seed_start, sizeof seed);
        refill = vector->prime == 0 ? 0 : refill;
        isopod_mask_expand(mask, vector_suite(vector->suite), seed, params, (uint8_t)vector->prime,
                           &refill);
        CHECK(fixture_has_digest(mask, (size_t)4 * n, vector->sha3));
    }
}

static void check_encoding(const struct isopod_vector_encodings *vector,
                           const isopod_ckks_tables *tables) {
    uint32_t n = vector->ring_degree, log2_degree = 0;
    isopod_values values = vector_values(vector->numbers, vector->pattern, n, vector->log2_bound);
    while (1u << log2_degree < n) {
        log2_degree++;
    }
    isopod_encoding encoding = {(uint8_t)log2_degree,
                                (uint8_t)vector->log2_scale,
                                (int8_t)vector->log2_bound,
                                values.count,
                                UINT32_MAX,
                                NULL};
    void *message = check_memory((size_t)4 * n);
    CHECK(values.count == vector->count);
    CHECK(isopod_values_check(&values, (int8_t)vector->log2_bound) == ISOPOD_OK);
    if (vector->width == 32) {
        isopod_encode32(message, tables->cosine32, &values, &encoding);
    } else {
        isopod_encode64(message, tables->cosine64, &values, &encoding);
    }
    CHECK(fixture_has_digest(message, (size_t)n / 2 * vector->width / 8, vector->sha3));
}

static void check_encodings(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_encodings); r++) {
        check_memory_reset();
        check_case("encoding", r);
        isopod_tables tables = vector_cosines(isopod_vectors_encodings[r].ring_degree);
        check_encoding(&isopod_vectors_encodings[r], &tables);
    }
}

static void load_random(const isopod_polynomial *polynomial, uint32_t first,
                        int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int32_t *words = polynomial->words;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = words[first + i];
    }
}

static const char *transform_digest(uint32_t n, uint32_t modulus) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_transforms); r++) {
        const struct isopod_vector_transforms *vector = &isopod_vectors_transforms[r];
        if (vector->ring_degree == n && vector->modulus == modulus) {
            return vector->sha3;
        }
    }
    return "";
}

static void check_transform(const fixture *set, uint32_t j, const int32_t *input, int32_t *out) {
    const isopod_prime *prime = &set->params->primes[j];
    isopod_polynomial polynomial = {load_random, input, NULL, prime, set->n, 0};
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        check_case(set->params->name, 10 * j + chunks);
        for (uint8_t c = 0; c < chunks; c++) {
            isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, (uint8_t)j);
            ntt.length /= chunks;
            ntt.chunks = chunks;
            ntt.chunk = c;
            isopod_polynomial_ntt(out + c * ntt.length, &polynomial, &ntt);
        }
        isopod_canonical_all(out, set->n, prime);
        CHECK(
            fixture_has_digest(out, (size_t)4 * set->n, transform_digest(set->n, prime->modulus)));
    }
}

static void check_transforms(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        fixture set;
        check_memory_reset();
        fixture_tables(&set, isopod_ckks_sets[s]);
        int32_t *input = check_memory((size_t)4 * set.n), *out = check_memory((size_t)4 * set.n);
        uint32_t state = VECTOR_FIRST;
        for (uint32_t i = 0; i < set.n; i++) {
            input[i] = (int32_t)(vector_next(&state) >> 1) - (1 << 30);
        }
        for (uint32_t j = 0; j < set.params->prime_count; j++) {
            check_transform(&set, j, input, out);
        }
    }
}

void test_vectors(void) {
    check_streams();
    check_roots();
    check_hedges();
    check_tags();
    check_device_keys();
    check_sampling();
    check_masks();
    check_encodings();
    check_transforms();
}
