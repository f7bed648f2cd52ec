/* The fault check notices one fault in one of two computations: a bit of a chunk, of the noise or
 * of the mask, or a skipped step. */
#include "../../src/encode/encode.h"
#include "../../src/base/memory.h"
#include "../../src/encrypt/method.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

typedef enum { NOWHERE, CHUNK, NOISE, NO_NOISE, MASK, PLACES } place;

/* Place of the fault; it happens in call number `call`, counted from 1. */
static place fault_place;
static uint32_t fault_call, calls;
static const struct isopod_encryption_method *intact_method;
static const isopod_suite *intact_suite;

static int strikes(place place) {
    return place == fault_place && ++calls == fault_call;
}

static size_t faulty_workspace_bytes(const isopod_ckks_config *config, size_t message_bytes) {
    return intact_method->workspace_bytes(config, message_bytes);
}

static isopod_status faulty_sample(isopod_ckks *context, const isopod_noise_key *noise) {
    uint8_t *workspace = context->encryptor->workspace.memory;
    if (strikes(NO_NOISE)) {
        return ISOPOD_OK;
    }
    isopod_status status = intact_method->sample(context, noise);
    if (strikes(NOISE)) {
        workspace[context->encryptor->workspace.bytes - 77] ^= 0x10;
    }
    return status;
}

static uint32_t faulty_chunk(isopod_ckks *context) {
    uint32_t bytes = intact_method->chunk(context);
    if (strikes(CHUNK)) {
        ((uint8_t *)isopod_encryption_memory_of(context).chunk)[bytes / 3] ^= 0x80;
    }
    return bytes;
}

static void faulty_blocks(isopod_stream *stream, uint32_t *out, uint32_t count) {
    intact_suite->blocks(stream, out, count);
    if (stream->next[ISOPOD_STREAM_DOMAIN] == ISOPOD_DOMAIN_MASK && strikes(MASK)) {
        out[5] ^= 2u;
    }
}

typedef struct {
    fixture set;
    isopod_key key;
    struct isopod_encryption_method method;
    isopod_suite suite;
    isopod_values values;
    uint8_t *out;
} faulty;

static isopod_values values_of(const fixture *set) {
    uint32_t *integers = check_memory((size_t)4 * set->n);
    if (set->params->plain == NULL) {
        return (isopod_values){fixture_values(set->n / 2, set->config.log2_bound, 1), set->n / 2,
                               ISOPOD_VALUES_FLOAT32};
    }
    for (uint32_t i = 0; i < set->n; i++) {
        integers[i] = 7u * i % (set->params->plain->modulus / 2u);
    }
    return (isopod_values){integers, set->n, ISOPOD_VALUES_UINT32};
}

static void open(faulty *faulty, const isopod_params *params, isopod_key_kind kind,
                 uint8_t chunks) {
    fixture *set = &faulty->set;
    check_memory_reset();
    fixture_open(set, params, kind);
    fixture_configure(set, &isopod_suite_chacha20, chunks);
    /* 64-bit messages under CKKS */
    set->config.log2_bound = params->plain != NULL ? 0 : 6;
    fixture_workspace(set);
    intact_method = set->key.method;
    intact_suite = &isopod_suite_chacha20;
    faulty->method = *intact_method;
    faulty->method.workspace_bytes = faulty_workspace_bytes;
    faulty->method.sample = faulty_sample;
    faulty->method.chunk = faulty_chunk;
    faulty->suite = *intact_suite;
    faulty->suite.blocks = faulty_blocks;
    set->key.method = &faulty->method;
    set->config.suite = &faulty->suite;
    faulty->values = values_of(set);
    faulty->out = check_memory((size_t)48 * set->n);
}

/* The status that ends the encryption; *length bytes were written. */
static isopod_status end_of(faulty *faulty, place place, uint32_t call, size_t *length) {
    fixture *set = &faulty->set;
    isopod_ckks context;
    size_t piece = 0;
    *(uint8_t *)set->entropy.state = 1;
    set->sender.sequence = 0;
    set->entropy.fingerprint[0] ^= 1u; /* allows the same entropy again */
    fault_place = place;
    fault_call = call;
    calls = 0;
    *length = 0;
    isopod_status status = fixture_begin(set, &context, &faulty->values);
    while (status == ISOPOD_OK) {
        status = isopod_ckks_next(&context, faulty->out + *length, 4096, &piece);
        *length += piece;
    }
    if (status == ISOPOD_ERROR_FAULT) {
        CHECK(piece == 0);
        CHECK(isopod_ckks_next(&context, faulty->out, 4096, &piece) == ISOPOD_ERROR_STATE);
    }
    return status;
}

static size_t nonzero_bytes(const uint8_t *bytes, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] != 0;
    }
    return count;
}

/* Strikes each place, in the first computation and in the second. */
static void check_places(faulty *faulty, uint32_t chunk_calls) {
    const isopod_workspace *workspace = &faulty->set.encryptor.workspace;
    size_t length;
    for (place place = CHUNK; place < PLACES; place++) {
        uint32_t last = place == CHUNK ? chunk_calls : 2;
        for (uint32_t call = 1; call <= last; call++) {
            if (place == MASK && faulty->set.key.kind <= ISOPOD_KEY_PUBLIC_SEEDED) {
                continue; /* its mask is part of the key */
            }
            check_case("fault in place", 100u * place + call);
            CHECK(end_of(faulty, place, call, &length) == ISOPOD_ERROR_FAULT);
            CHECK(nonzero_bytes(workspace->memory, workspace->bytes) == 0);
            CHECK(length == 0 || place == CHUNK);
        }
    }
}

static void check_kind(const isopod_params *params, isopod_key_kind kind, uint8_t chunks,
                       uint32_t chunk_calls) {
    static faulty faulty;
    size_t plain_bytes, bytes;
    open(&faulty, params, kind, chunks);
    uint8_t *plain = check_memory((size_t)48 * faulty.set.n);
    check_case("without a fault check", kind);
    CHECK(end_of(&faulty, NOWHERE, 1, &plain_bytes) == ISOPOD_DONE);
    isopod_copy(plain, faulty.out, plain_bytes);
    CHECK(end_of(&faulty, CHUNK, 1, &bytes) == ISOPOD_DONE);
    CHECK(!isopod_equal(plain, faulty.out, plain_bytes));
    faulty.set.config.fault_check = &isopod_compute_twice;
    fixture_workspace(&faulty.set); /* larger for integers */
    check_case("without a fault", kind);
    CHECK(end_of(&faulty, NOWHERE, 1, &bytes) == ISOPOD_DONE);
    CHECK(bytes == plain_bytes);
    CHECK(isopod_equal(plain, faulty.out, plain_bytes));
    check_places(&faulty, chunk_calls);
}

/* The last argument counts calls of the chunk function: two per chunk, as many again for c1. */
void test_faults(void) {
    const isopod_params *reals = &isopod_ckks_4096x2_linear, *integers = &isopod_bfv_1024x1_count;
    const isopod_params *integers64 = &isopod_bfv_4096x2w_seal_default;
    const isopod_params *reals64 = &isopod_ckks_8192x3w_sum;
    check_kind(reals, ISOPOD_KEY_SECRET_NTT, 2, 8);
    check_kind(reals, ISOPOD_KEY_SECRET_TERNARY, 1, 4);
    check_kind(reals, ISOPOD_KEY_PUBLIC, 1, 2);
    check_kind(reals, ISOPOD_KEY_PUBLIC_SEEDED, 4, 2);
    check_kind(integers, ISOPOD_KEY_SECRET_NTT, 2, 4);
    check_kind(integers, ISOPOD_KEY_PUBLIC, 4, 2);
    check_kind(integers64, ISOPOD_KEY_SECRET_TERNARY, 4, 2);
    check_kind(integers64, ISOPOD_KEY_PUBLIC_SEEDED, 1, 2);
    check_kind(reals64, ISOPOD_KEY_SECRET_NTT, 1, 2);
    check_kind(reals64, ISOPOD_KEY_PUBLIC, 8, 2);
}
