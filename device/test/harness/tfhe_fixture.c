/* Keys, entropy and encryptions of one TFHE set for the tests (tfhe_fixture.h). */
#include "tfhe_fixture.h"

#include "check.h"
#include "vector_input.h"
#include "../vectors_generated.h"

enum { SECRET_START = 0x60, MASK_START = 0x80, NOISE_START = 0xa0 };

const isopod_tfhe_params *tfhe_fixture_set(const char *name) {
    for (uint32_t s = 0; s < ISOPOD_TFHE_SET_COUNT; s++) {
        if (fixture_is_text(isopod_tfhe_sets[s]->name, name)) {
            return isopod_tfhe_sets[s];
        }
    }
    CHECK(!"a set of this name");
    return isopod_tfhe_sets[0];
}

const isopod_tfhe_suite *tfhe_fixture_suite(uint32_t number) {
    return number == 1   ? &isopod_tfhe_chacha20
           : number == 2 ? &isopod_tfhe_shake256
                         : &isopod_tfhe_aes128;
}

uint32_t *tfhe_fixture_blob(const tfhe_fixture *fixture, isopod_tfhe_key_kind kind) {
    uint8_t mask_seed[32], noise_key[32];
    uint32_t *blob = check_memory(isopod_tfhe_blob_bytes(fixture->params, kind));
    size_t mark = check_memory_mark();
    isopod_tfhe_keygen keygen = {
        fixture->params,
        &fixture->tables,
        mask_seed,
        noise_key,
        fixture->secret,
        check_memory(ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(fixture->n, fixture->word_bytes))};
    fixture_bytes(mask_seed, MASK_START, sizeof mask_seed);
    fixture_bytes(noise_key, NOISE_START, sizeof noise_key);
    CHECK(isopod_tfhe_keygen_blob(blob, &keygen, kind) == ISOPOD_OK);
    check_memory_release(mark);
    return blob;
}

static isopod_status open_key(tfhe_fixture *fixture, uint32_t way) {
    if (way == TFHE_STREAM) {
        return isopod_tfhe_stream_key_open(&fixture->key, fixture->params, fixture->blob,
                                           fixture->blob_bytes);
    }
    return way <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED
               ? isopod_tfhe_public_key_open(&fixture->key, fixture->params, fixture->blob,
                                             fixture->blob_bytes)
               : isopod_tfhe_secret_key_open(&fixture->key, fixture->params, fixture->blob,
                                             fixture->blob_bytes);
}

static void open_set(tfhe_fixture *fixture, const isopod_tfhe_params *params) {
    uint8_t seed[32];
    fixture->params = params;
    fixture->n = 1u << params->log2_ring_degree;
    fixture->word_bytes = params->log2_modulus / 8u;
    size_t bytes = ISOPOD_TFHE_TABLES_BYTES(fixture->n);
    void *memory = check_memory(bytes);
    fixture->secret = check_memory(fixture->n / 4u);
    CHECK(isopod_tfhe_tables_build(&fixture->tables, params, memory, bytes) == ISOPOD_OK);
    fixture_bytes(seed, SECRET_START, sizeof seed);
    isopod_tfhe_keygen_secret(fixture->secret, params, seed);
}

static void set_root(tfhe_fixture *fixture) {
    uint8_t *first = check_memory(1), *device_key = check_memory(32);
    isopod_entropy entropy = {fixture_fill, first, {0}, 0};
    isopod_sender sender = {.device = 1001, .epoch = 3, .sequence = 42, .key = device_key};
    fixture_from_hex(device_key, isopod_vectors_device_keys[1].key);
    fixture->entropy = entropy;
    fixture->sender = sender;
}

void tfhe_fixture_open(tfhe_fixture *fixture, const isopod_tfhe_params *params, uint32_t way) {
    isopod_tfhe_key_kind kind =
        way >= TFHE_PREPARED ? ISOPOD_TFHE_KEY_SECRET : (isopod_tfhe_key_kind)way;
    open_set(fixture, params);
    fixture->blob = tfhe_fixture_blob(fixture, kind);
    fixture->blob_bytes = isopod_tfhe_blob_bytes(params, kind);
    CHECK(open_key(fixture, way) == ISOPOD_OK);
    if (way == TFHE_PREPARED) {
        size_t bytes = ISOPOD_TFHE_PREPARED_BYTES(fixture->n);
        CHECK(isopod_tfhe_key_prepare(&fixture->key, &fixture->tables, check_memory(bytes),
                                      bytes) == ISOPOD_OK);
    }
    set_root(fixture);
    isopod_tfhe_config config = {.params = params,
                                 .tables = way == TFHE_STREAM ? NULL : &fixture->tables,
                                 .suite = &isopod_tfhe_chacha20,
                                 .key = &fixture->key,
                                 .width = (uint8_t)fixture->word_bytes,
                                 .accept_label = params->label};
    const size_t bytes = isopod_tfhe_workspace_bytes(&config, fixture->n);
    fixture->encryptor.workspace = (isopod_workspace){check_memory(bytes), bytes};
    fixture->encryptor.entropy = &fixture->entropy;
    fixture->encryptor.sender = &fixture->sender;
    fixture->config = config;
}

static void *fill_run(isopod_tfhe_run *run, uint32_t *state) {
    static const uint8_t bits_of[10] = {0, 1, 8, 16, 32, 64, 8, 16, 32, 64};
    uint32_t bits = bits_of[run->type], bytes = bits < 8 ? 1 : bits / 8;
    uint8_t *data = check_memory((size_t)bytes * run->count);
    for (uint32_t i = 0; i < run->count; i++) {
        uint64_t value = (vector_next(state) * UINT64_C(0x9e3779b97f4a7c15)) >> (64u - bits);
        for (uint32_t b = 0; b < bytes; b++) {
            data[bytes * i + b] = (uint8_t)(value >> 8 * b);
        }
    }
    return data;
}

static uint32_t decimal(const char **text) {
    uint32_t value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        value = 10 * value + (uint32_t)(**text - '0');
    }
    return value;
}

isopod_tfhe_values tfhe_fixture_values(const char *schema) {
    isopod_tfhe_run *runs = check_memory(ISOPOD_TFHE_RUNS * sizeof *runs);
    uint32_t state = VECTOR_FIRST;
    isopod_tfhe_values values = {runs, 0};
    while (*schema != '\0') {
        isopod_tfhe_run *run = &runs[values.count++];
        run->type = (uint8_t)decimal(&schema);
        schema++;
        run->count = (uint16_t)decimal(&schema);
        schema += *schema == '+';
        run->data = fill_run(run, &state);
    }
    return values;
}

size_t tfhe_fixture_encrypt(tfhe_fixture *fixture, const isopod_tfhe_values *values, uint8_t *out,
                            size_t capacity) {
    isopod_tfhe context;
    size_t total = 0, length = 0;
    isopod_status status =
        isopod_tfhe_begin(&context, &fixture->config, &fixture->encryptor, values);
    size_t promised = isopod_tfhe_bytes(&context);
    while (status == ISOPOD_OK) {
        total += length;
        status = isopod_tfhe_next(&context, out + total, capacity, &length);
    }
    CHECK_QUIET(status == ISOPOD_DONE && total == promised);
    return status == ISOPOD_DONE ? total : 0;
}

size_t tfhe_fixture_frame(tfhe_fixture *fixture, const isopod_tfhe_values *values, uint8_t *out) {
    static const uint16_t capacities[6] = {1, 7, 64, 4096, 3, 1000};
    isopod_tfhe context;
    isopod_tfhe_frame frame;
    size_t total = 0, length = 0;
    uint32_t turn = 0;
    isopod_status status =
        isopod_tfhe_begin(&context, &fixture->config, &fixture->encryptor, values);
    if (status == ISOPOD_OK) {
        status = isopod_tfhe_frame_begin(&frame, &context);
    }
    size_t promised = status == ISOPOD_OK ? isopod_tfhe_frame_bytes(&frame) : 0;
    while (status == ISOPOD_OK) {
        total += length;
        status = isopod_tfhe_frame_next(&frame, out + total, capacities[turn++ % 6], &length);
    }
    CHECK_QUIET(status == ISOPOD_DONE && total == promised);
    return status == ISOPOD_DONE ? total : 0;
}

int32_t tfhe_fixture_symbol(const tfhe_fixture *fixture, uint32_t i) {
    if (fixture->params->secret == ISOPOD_SECRET_BINARY) {
        return (int32_t)(fixture->secret[i / 32] >> (i % 32) & 1u);
    }
    return (int32_t)(fixture->secret[i / 16] >> (2 * (i % 16)) & 3u) - 1;
}

uint64_t tfhe_fixture_word(const uint8_t *bytes, uint32_t width, uint32_t i) {
    uint64_t value = 0;
    for (uint32_t b = width; b-- > 0;) {
        value = value << 8 | bytes[(size_t)width * i + b];
    }
    return value;
}

uint64_t tfhe_fixture_product(const tfhe_fixture *fixture, const uint8_t *a, uint32_t i) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < fixture->n; k++) {
        uint64_t term = tfhe_fixture_word(a, fixture->word_bytes, k) *
                        (uint64_t)(int64_t)tfhe_fixture_symbol(fixture, (i - k) & (fixture->n - 1));
        sum += k <= i ? term : 0 - term;
    }
    return fixture->word_bytes == 8 ? sum : sum & 0xffffffffu;
}
