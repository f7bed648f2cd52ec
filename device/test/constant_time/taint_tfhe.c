/* TFHE encryption and key generation with entropy, secret key and message all undefined at once. */
#include "taint_tfhe.h"

#include <valgrind/memcheck.h>

#include "../harness/check.h"
#include "../harness/tfhe_fixture.h"

static int hidden_fill(void *state, uint8_t *out, size_t length) {
    int status = fixture_fill(state, out, length);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(out, length);
    return status;
}

/* Opens the key again, so that the checks of the blob run on the secret, too. */
static void hide_key(tfhe_fixture *set, uint32_t way) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    size_t bytes = set->blob_bytes - ISOPOD_KEY_HEADER_BYTES;
    if (way <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED) {
        return;
    }
    (void)VALGRIND_MAKE_MEM_UNDEFINED(payload, bytes);
    CHECK((way == TFHE_STREAM ? isopod_tfhe_stream_key_open : isopod_tfhe_secret_key_open)(
              &set->key, set->params, set->blob, set->blob_bytes) == ISOPOD_OK);
    if (way == TFHE_PREPARED) {
        size_t prepared = ISOPOD_TFHE_PREPARED_BYTES(set->n);
        CHECK(isopod_tfhe_key_prepare(&set->key, &set->tables, check_memory(prepared), prepared) ==
              ISOPOD_OK);
    }
}

static void hide_values(const isopod_tfhe_values *values) {
    static const uint8_t bytes_of[10] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8};
    for (uint32_t r = 0; r < values->count; r++) {
        const isopod_tfhe_run *run = &values->runs[r];
        (void)VALGRIND_MAKE_MEM_UNDEFINED(run->data, (size_t)bytes_of[run->type] * run->count);
    }
}

static void run_way(const isopod_tfhe_params *params, uint32_t way, uint32_t turn) {
    uint8_t device_key[32] = {7};
    tfhe_fixture set;
    check_memory_reset();
    tfhe_fixture_open(&set, params, way);
    isopod_tfhe_values values = tfhe_fixture_values("1*37+2*2+3*1+4*1+5*1+6*1+9*1");
    uint8_t *wire = check_memory((size_t)2 * set.n * set.word_bytes + 4096);
    set.config.suite = tfhe_fixture_suite(turn % 3 == 2 ? 4 : turn % 3 + 1);
    set.config.width = (uint8_t)(set.word_bytes / (1 + turn % 2));
    set.entropy.fill = hidden_fill;
    set.sender.key = device_key;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(device_key, sizeof device_key);
    hide_key(&set, way);
    hide_values(&values);
    CHECK(tfhe_fixture_frame(&set, &values, wire) > 0);
}

static void run_keygen(const isopod_tfhe_params *params) {
    tfhe_fixture set;
    uint8_t seeds[96];
    check_memory_reset();
    tfhe_fixture_open(&set, params, ISOPOD_TFHE_KEY_SECRET);
    fixture_bytes(seeds, 0x60, sizeof seeds);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(seeds, 32);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(seeds + 64, 32);
    isopod_tfhe_keygen_secret(set.secret, params, seeds);
    isopod_tfhe_keygen keygen = {
        params,     &set.tables,
        seeds + 32, seeds + 64,
        set.secret, check_memory(ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(set.n, set.word_bytes))};
    for (uint32_t kind = ISOPOD_TFHE_KEY_PUBLIC; kind <= ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
         kind++) {
        size_t bytes = isopod_tfhe_blob_bytes(params, (isopod_tfhe_key_kind)kind);
        CHECK(isopod_tfhe_keygen_blob(check_memory(bytes), &keygen, (isopod_tfhe_key_kind)kind) ==
              ISOPOD_OK);
    }
}

uint32_t taint_tfhe(void) {
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_SECRET,
                                    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, TFHE_PREPARED, TFHE_STREAM};
    uint32_t runs = 0;
    for (uint32_t s = 0; s < ISOPOD_TFHE_SET_COUNT; s++) {
        for (uint32_t w = 0; w < 5; w++) {
            run_way(isopod_tfhe_sets[s], ways[w], runs++);
        }
        run_keygen(isopod_tfhe_sets[s]);
    }
    return runs;
}
