/* Tables, keys, entropy and encryptions of one set for the tests (fixture.h). */
#include "fixture.h"

#include "../../src/encode/encode.h"
#include "../../src/random/keccak.h"
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "check.h"
#include "key_calls.h"

void fixture_bytes(uint8_t *out, uint8_t first, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(first + i);
    }
}

int fixture_fill(void *state, uint8_t *out, size_t length) {
    uint8_t *first = state;
    fixture_bytes(out, (*first)++, length);
    return 0;
}

/* Tables with the quotients of every prime. */
static void tables64(fixture *fixture) {
    uint32_t primes = fixture->params->prime_count;
    size_t bytes =
        ISOPOD64_TABLES_BYTES(fixture->n, primes) + ISOPOD64_QUOTIENT_BYTES(fixture->n, primes);
    CHECK(isopod64_tables_build(&fixture->tables, fixture->params, check_memory(bytes), bytes) ==
          ISOPOD_OK);
}

int fixture_fits(const isopod_params *params) {
    size_t words = (size_t)params->prime_count << params->log2_ring_degree;
    return (isopod_parameters_has_primes64(params) ? 40 : 20) * words <= platform_arena_bytes;
}

uint8_t fixture_next_prime(const isopod_params *params, uint8_t prime) {
    uint8_t next = (uint8_t)(prime + 1u), last = (uint8_t)(params->prime_count - 1u);
    return params->log2_ring_degree == 15 && next < last ? last : next;
}

void fixture_tables(fixture *fixture, const isopod_params *params) {
    fixture->params = params;
    fixture->n = 1u << params->log2_ring_degree;
    if (params->primes64 != NULL) {
        tables64(fixture);
        return;
    }
    size_t bytes = params->plain != NULL
                       ? ISOPOD_BFV_TABLES_BYTES(fixture->n, params->prime_count)
                       : ISOPOD_CKKS_TABLES_BYTES(fixture->n, params->prime_count);
    void *memory = check_memory(bytes);
    CHECK((params->plain != NULL ? isopod_bfv_tables_build : isopod_ckks_tables_build)(
              &fixture->tables, params, memory, bytes) == ISOPOD_OK);
}

void fixture_seal_blob(uint32_t *blob) {
    uint8_t *bytes = (uint8_t *)blob;
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, bytes, 48);
    isopod_keccak_absorb(&sponge, bytes + ISOPOD_KEY_HEADER_BYTES,
                         blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES]);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, bytes + 48, 32);
}

isopod_status fixture_key_open(fixture *fixture, int is_public) {
    const isopod_params *params = fixture->params;
    const uint32_t *blob = fixture->blob;
    const uint64_t *blob64 = (const void *)blob;
    size_t bytes = fixture->blob_bytes;
    if (params->primes64 != NULL) {
        return is_public ? isopod64_public_key_open(&fixture->key, params, blob64, bytes)
                         : isopod64_secret_key_open(&fixture->key, params, blob64, bytes);
    }
    return is_public ? isopod_public_key_open(&fixture->key, params, blob, bytes)
                     : isopod_secret_key_open(&fixture->key, params, blob, bytes);
}

/* The pair of the known answers; the seeded public payload comes first, for its key_id. */
static void make_blob(fixture *fixture, const isopod_key_seeds *seeds, isopod_key_kind kind) {
    const key_calls *calls = key_calls_of(fixture->params);
    size_t bytes = calls->workspace_bytes(fixture->n, 2), mark = check_memory_mark();
    const isopod_key_pair_config config = {fixture->params, &fixture->tables, 2};
    const isopod_workspace workspace = {check_memory(bytes), bytes};
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
    isopod_key_pair pair = {0};
    calls->start(&pair, &config, &workspace, seeds);
    key_payload(&pair, ISOPOD_KEY_PUBLIC_SEEDED, fixture->blob, 16384);
    CHECK(calls->identify(key_id, &pair, fixture->blob) == ISOPOD_OK);
    if (kind != ISOPOD_KEY_PUBLIC_SEEDED) {
        key_payload(&pair, kind, fixture->blob, 16384);
    }
    CHECK(calls->head(fixture->blob, &pair, key_id) == ISOPOD_OK);
    calls->close(&pair);
    check_memory_release(mark);
}

void fixture_open(fixture *fixture, const isopod_params *params, isopod_key_kind kind) {
    fixture_tables(fixture, params);
    uint32_t public_bytes = key_payload_bytes(params, ISOPOD_KEY_PUBLIC);
    uint32_t *ternary = check_memory(fixture->n / 4);
    isopod_key_seeds seeds;
    fixture_bytes(seeds.secret.bytes, 0x60, 32);
    fixture_bytes(seeds.mask_seed, 0x80, 32);
    fixture_bytes(seeds.noise.bytes, 0xa0, 32);
    isopod_keygen_secret(ternary, params, seeds.secret.bytes);
    fixture->ternary = ternary;
    fixture->blob = check_memory(ISOPOD_KEY_HEADER_BYTES + 32 + (size_t)public_bytes);
    fixture->blob_bytes = ISOPOD_KEY_HEADER_BYTES + (size_t)key_payload_bytes(params, kind);
    make_blob(fixture, &seeds, kind);
    CHECK(fixture_key_open(fixture, kind <= ISOPOD_KEY_PUBLIC_SEEDED) == ISOPOD_OK);
}

static size_t message_bytes(const fixture *fixture) {
    const isopod_encryption_config *config = &fixture->config;
    int message64 = config->log2_scale + config->log2_bound > (int)ISOPOD_MESSAGE32_BITS;
    if (fixture->params->plain != NULL) {
        return ISOPOD_BFV_MESSAGE_BYTES(
            fixture->n, ISOPOD_BFV_APART(fixture->params->plain->modulus, config->chunks,
                                         config->fault_check != NULL));
    }
    return config->layout >= ISOPOD_COMPLEX ? ISOPOD_CKKS_FULL_MESSAGE_BYTES(fixture->n, message64)
                                            : ISOPOD_CKKS_MESSAGE_BYTES(fixture->n, message64);
}

void fixture_workspace(fixture *fixture) {
    const isopod_encryption_config *config = &fixture->config;
    isopod_workspace *workspace = &fixture->encryptor.workspace;
    uint32_t n = fixture->n;
    size_t message = message_bytes(fixture);
    if (fixture->params->primes64 != NULL) {
        workspace->bytes = fixture->key.kind == ISOPOD_KEY_SECRET_TERNARY
                               ? ISOPOD64_SECRET_TERNARY_WORKSPACE(n, config->chunks, message)
                           : fixture->key.kind == ISOPOD_KEY_SECRET_NTT
                               ? ISOPOD64_SECRET_NTT_WORKSPACE(n, config->chunks, message)
                               : ISOPOD64_PUBLIC_WORKSPACE(n, config->chunks, message);
        workspace->memory = check_memory(workspace->bytes);
        return;
    }
    switch (fixture->key.kind) {
    case ISOPOD_KEY_SECRET_TERNARY:
        workspace->bytes = ISOPOD_SECRET_TERNARY_WORKSPACE(n, config->chunks, message);
        break;
    case ISOPOD_KEY_SECRET_NTT:
        workspace->bytes = ISOPOD_SECRET_NTT_WORKSPACE(n, config->chunks, message);
        break;
    default:
        workspace->bytes = ISOPOD_PUBLIC_WORKSPACE(n, config->chunks, message);
        break;
    }
    workspace->memory = check_memory(workspace->bytes);
}

static int8_t largest_bound(const isopod_params *params) {
    if (params->plain != NULL) {
        return 0;
    }
    int bits = -(int)params->log2_scale_default - 2;
    for (uint32_t j = 0; j < params->prime_count; j++) {
        bits += (int)isopod_parameters_bits(params, j);
    }
    return (int8_t)(bits < 3 ? bits : 3);
}

void fixture_configure(fixture *fixture, const isopod_suite *suite, uint8_t chunks) {
    static uint8_t first;
    first = 0;
    static const uint8_t device_key[32] = {9, 8, 7};
    const isopod_entropy entropy = {fixture_fill, &first, {0}, 0};
    const isopod_sender sender = {.device = 1001, .epoch = 3, .sequence = 42, .key = device_key};
    isopod_encryption_config config = {.params = fixture->params,
                                       .tables = &fixture->tables,
                                       .suite = suite,
                                       .key = &fixture->key,
                                       .encoder = &isopod_encoder_slots64,
                                       .chunks = chunks,
                                       .log2_scale = fixture->params->log2_scale_default,
                                       .log2_bound = largest_bound(fixture->params),
                                       .accept_label = fixture->params->label};
    fixture->entropy = entropy;
    fixture->sender = sender;
    fixture->config = config;
    fixture->encryptor.entropy = &fixture->entropy;
    fixture->encryptor.sender = &fixture->sender;
    fixture_workspace(fixture);
}

void fixture_layout(fixture *fixture, uint32_t layout) {
    fixture->config.layout = (uint8_t)layout;
    fixture->config.encoder = layout == ISOPOD_COEFFICIENTS ? &isopod_encoder_coefficients64
                              : layout >= ISOPOD_COMPLEX    ? &isopod_encoder_complex64
                                                            : &isopod_encoder_slots64;
}

void fixture_nearest(fixture *fixture) {
    fixture->config.encoder = fixture->config.layout >= ISOPOD_COMPLEX
                                  ? &isopod_encoder_complex64_nearest
                                  : &isopod_encoder_slots64_nearest;
}

const float *fixture_values(uint32_t count, int8_t log2_bound, uint32_t seed) {
    float *values = check_memory(count * sizeof(float));
    float unit = log2_bound < 0 ? 1.0f / (float)(1u << -log2_bound) : (float)(1u << log2_bound);
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)((int32_t)seed >> 8) / 8388608.0f * unit;
    }
    return values;
}

isopod_status fixture_begin(const fixture *fixture, isopod_encryption *context,
                            const isopod_values *values) {
    return (fixture->params->plain != NULL ? isopod_bfv_begin : isopod_ckks_begin)(
        context, &fixture->config, &fixture->encryptor, values);
}

void rounded_workspace(fixture *set) {
    const isopod_rounded_method *method = set->config.rounding->method;
    uint32_t primes = set->config.level != 0 ? set->config.level : set->params->prime_count;
    uint32_t is_ternary = set->key.kind == ISOPOD_KEY_SECRET_TERNARY;
    size_t bytes = ISOPOD_ROUNDED_PUBLIC_WORKSPACE(set->n, primes);
    if (method == &isopod_rounded_public_small) {
        bytes = ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(set->n, primes);
    } else if (method == &isopod_rounded_secret) {
        bytes = ISOPOD_ROUNDED_SECRET_WORKSPACE(set->n, primes, is_ternary);
    }
    set->encryptor.workspace.memory = check_memory(bytes);
    set->encryptor.workspace.bytes = bytes;
}

void rounded_configure(fixture *set) {
    static const isopod_rounding roundings[3] = {
        {.method = &isopod_rounded_secret, .dropped = {4, 0}},
        {.method = &isopod_rounded_public, .dropped = {4, 1}},
        {.method = &isopod_rounded_public_small, .dropped = {4, 1}}};
    uint32_t is_public = set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED;
    set->config.rounding = &roundings[is_public ? (set->config.chunks == 2 ? 2 : 1) : 0];
    set->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    rounded_workspace(set);
}

isopod_status rounded_begin(const fixture *set, isopod_rounded *context,
                            const isopod_value_source *source) {
    return (set->params->plain != NULL ? isopod_bfv_rounded_begin : isopod_ckks_rounded_begin)(
        context, &set->config, &set->encryptor, source);
}

#define PRODUCT_COLUMNS 4u
#define PRODUCT_DERIVED ISOPOD_MOMENTS_COLUMNS(PRODUCT_COLUMNS, ISOPOD_MOMENTS_PRODUCTS)

void rounded_configure_products(fixture *set) {
    static isopod_rounding rounding;
    rounding = *set->config.rounding;
    rounding.columns = PRODUCT_DERIVED;
    set->config.rounding = &rounding;
}

isopod_value_source rounded_products(const fixture *set, const isopod_values *values) {
    static isopod_moments moments;
    static int32_t memory[ISOPOD_MOMENTS_WORDS(PRODUCT_COLUMNS)];
    isopod_moments_input input = {.readings = {.values = *values},
                                  .columns = PRODUCT_COLUMNS,
                                  .kind = ISOPOD_MOMENTS_PRODUCTS,
                                  .memory = memory};
    isopod_value_source source;
    uint32_t rows = set->n / PRODUCT_DERIVED, whole = values->count / PRODUCT_COLUMNS;
    input.readings.values.count = (rows < whole ? rows : whole) * PRODUCT_COLUMNS;
    input.readings.log2_unit = values->type == ISOPOD_VALUES_FLOAT32 ? -15 : 0;
    CHECK(isopod_moments_begin(&moments, &source, &input, &set->config) == ISOPOD_OK);
    return source;
}

size_t fixture_encrypt(fixture *fixture, const isopod_values *values, uint8_t *out,
                       size_t capacity) {
    isopod_ckks context;
    size_t total = 0, length = 0;
    isopod_status status = fixture_begin(fixture, &context, values);
    while (status == ISOPOD_OK) {
        status = isopod_encryption_next(&context, out + total, capacity, &length);
        total += length;
    }
    CHECK(status == ISOPOD_DONE);
    return status == ISOPOD_DONE ? total : 0;
}

static const void *encode(const fixture *fixture, const isopod_values *values, int message64) {
    const isopod_ckks_config *config = &fixture->config;
    isopod_encoding encoding = {fixture->params->log2_ring_degree,
                                config->log2_scale,
                                config->log2_bound,
                                values->count,
                                UINT32_MAX,
                                NULL};
    void *message = check_memory((size_t)4 * fixture->n);
    if (message64) {
        isopod_encode64(message, fixture->tables.cosine64, values, &encoding);
    } else {
        isopod_encode32(message, fixture->tables.cosine32, values, &encoding);
    }
    return message;
}

static void load_block(int64_t block[ISOPOD_FOLD_BLOCK], const void *message, uint32_t n,
                       uint32_t first) {
    int32_t words[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message32_add(message, n, first, words);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        block[i] = words[i];
    }
}

void fixture_words(const fixture *fixture, const isopod_values *values, int64_t *out) {
    int message64 =
        fixture->config.log2_scale + fixture->config.log2_bound > (int)ISOPOD_MESSAGE32_BITS;
    size_t mark = check_memory_mark();
    const void *message = encode(fixture, values, message64);
    for (uint32_t i = 0; i < fixture->n; i += ISOPOD_FOLD_BLOCK) {
        if (message64) {
            for (uint32_t t = 0; t < ISOPOD_FOLD_BLOCK; t++) {
                out[i + t] = 0;
            }
            isopod_message64_add(message, fixture->n, i, out + i);
        } else {
            load_block(out + i, message, fixture->n, i);
        }
    }
    check_memory_release(mark);
}

void fixture_message(const fixture *fixture, const isopod_values *values, uint32_t prime,
                     uint32_t *out) {
    int64_t q = fixture->params->primes[prime].modulus;
    size_t mark = check_memory_mark();
    int64_t *words = check_memory((size_t)8 * fixture->n);
    fixture_words(fixture, values, words);
    for (uint32_t i = 0; i < fixture->n; i++) {
        out[i] = (uint32_t)((words[i] % q + q) % q);
    }
    check_memory_release(mark);
}

uint32_t fixture_residue(const uint8_t *packed, uint32_t bits, uint32_t index) {
    uint32_t first = bits * index, last = first + bits - 1;
    uint64_t window = 0;
    for (uint32_t byte = last / 8 + 1; byte > first / 8; byte--) {
        window = window << 8 | packed[byte - 1];
    }
    return (uint32_t)(window >> (first % 8)) & ((1u << bits) - 1u);
}

const uint8_t *fixture_unpack(const fixture *fixture, uint8_t prime, const uint8_t *packed,
                              uint32_t *c0, uint32_t *c1) {
    uint32_t bits = fixture->params->primes[prime].bits, n = fixture->n;
    uint32_t is_public = fixture->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED;
    uint32_t slices = is_public ? fixture->config.chunks : 1u, slice = n / slices;
    for (uint32_t s = 0; s < slices; s++) {
        for (uint32_t i = 0; i < slice; i++) {
            c0[s * slice + i] = fixture_residue(packed, bits, i);
        }
        packed += slice / 8 * bits;
        for (uint32_t i = 0; is_public && i < slice; i++) {
            c1[s * slice + i] = fixture_residue(packed, bits, i);
        }
        packed += is_public ? slice / 8 * bits : 0;
    }
    return packed;
}

int fixture_is_text(const char *a, const char *b) {
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

int fixture_is_hex(const uint8_t *bytes, size_t length, const char *hex) {
    static const char digits[17] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        if (hex[2 * i] != digits[bytes[i] >> 4] || hex[2 * i + 1] != digits[bytes[i] & 15u]) {
            return 0;
        }
    }
    return hex[2 * length] == '\0';
}

void fixture_from_hex(uint8_t *out, const char *hex) {
    for (; *hex != '\0'; hex += 2) {
        uint32_t high = (uint32_t)(hex[0] <= '9' ? hex[0] - '0' : hex[0] - 'a' + 10);
        uint32_t low = (uint32_t)(hex[1] <= '9' ? hex[1] - '0' : hex[1] - 'a' + 10);
        *out++ = (uint8_t)(high << 4 | low);
    }
}

int fixture_has_digest(const void *data, size_t length, const char *sha3) {
    uint8_t digest[32];
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, data, length);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    return fixture_is_hex(digest, sizeof digest, sha3);
}
