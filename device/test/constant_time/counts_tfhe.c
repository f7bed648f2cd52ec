/* TFHE encryption of random values under random keys, and key generation, in regions. Masks have
 * no rejections, so nonces are random, too. */
#include "../harness/check.h"
#include "counter/markers.h"
#include "counts.h"

typedef struct {
    const isopod_tfhe_params *params;
    uint32_t way;
    const char *schema;
} profile;

static const profile profiles[] = {
    {&isopod_tfhe_1024_tuniform, ISOPOD_TFHE_KEY_SECRET, "1*37+2*2+4*1"},
    {&isopod_tfhe_1024_tuniform, ISOPOD_TFHE_KEY_PUBLIC, "1*37+2*2+4*1"},
    {&isopod_tfhe_2048_tfhe_rs, ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, "2*3+9*1"},
    {&isopod_tfhe_2048_tfhe_rs, ISOPOD_TFHE_KEY_PUBLIC, "1*3+3*2"},
    {&isopod_tfhe_2048_tfhe_rs, TFHE_STREAM, "2*2"},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

void counts_randomise_tfhe_key(const tfhe_fixture *set) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    if (set->key.kind == ISOPOD_TFHE_KEY_SECRET_TRANSFORMED) {
        for (uint32_t i = 0; i < set->n; i++) {
            payload[i] = counts_random() % set->params->prime->modulus;
        }
    } else if (set->key.kind == ISOPOD_TFHE_KEY_SECRET) {
        if (set->params->secret == ISOPOD_SECRET_TERNARY) {
            counts_randomise_symbols(payload, set->n / 16);
        } else {
            (void)counts_random_fill(NULL, (uint8_t *)payload, set->n / 8);
        }
    }
}

void counts_randomise_tfhe_values(const isopod_tfhe_values *values) {
    static const uint8_t bytes_of[10] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8};
    for (uint32_t r = 0; r < values->count; r++) {
        const isopod_tfhe_run *run = &values->runs[r];
        uint8_t *data = (uint8_t *)(uintptr_t)run->data;
        uint32_t bytes = (uint32_t)bytes_of[run->type] * run->count;
        (void)counts_random_fill(NULL, data, bytes);
        for (uint32_t i = 0; run->type == ISOPOD_TFHE_BOOL && i < bytes; i++) {
            data[i] &= 1u;
        }
    }
}

static void encrypt(const tfhe_fixture *set, const isopod_tfhe_values *values) {
    static isopod_tfhe context;
    static uint8_t out[512];
    size_t length;
    counts_measure();
    isopod_region_begin();
    isopod_status status = isopod_tfhe_begin(&context, &set->config, &set->encryptor, values);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    isopod_region_begin();
    while (status == ISOPOD_OK) {
        status = isopod_tfhe_next(&context, out, sizeof out, &length);
    }
    isopod_region_end();
    CHECK(status == ISOPOD_DONE);
    counts_report();
}

/* Makes the secret key in the first region, all blobs in the second. */
static void make_keys(const isopod_tfhe_keygen *keygen, const uint8_t *seed, uint32_t *blob) {
    isopod_status status = ISOPOD_OK;
    counts_measure();
    isopod_region_begin();
    isopod_tfhe_keygen_secret((uint32_t *)(uintptr_t)keygen->secret, keygen->params, seed);
    isopod_region_end();
    isopod_region_begin();
    for (uint32_t kind = ISOPOD_TFHE_KEY_PUBLIC; kind <= ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
         kind++) {
        status |= isopod_tfhe_keygen_blob(blob, keygen, (isopod_tfhe_key_kind)kind);
    }
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    counts_report();
}

static void run_keygen(const isopod_tfhe_params *params, uint32_t trials) {
    tfhe_fixture set;
    uint8_t mask_seed[32], seeds[64];
    tfhe_fixture_open(&set, params, ISOPOD_TFHE_KEY_SECRET);
    fixture_bytes(mask_seed, 0x30, sizeof mask_seed);
    uint32_t *blob = check_memory(isopod_tfhe_blob_bytes(params, ISOPOD_TFHE_KEY_PUBLIC));
    const isopod_tfhe_keygen keygen = {
        params,     &set.tables,
        mask_seed,  seeds + 32,
        set.secret, check_memory(ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(set.n, set.word_bytes))};
    for (uint32_t trial = 0; trial < trials; trial++) {
        (void)counts_random_fill(NULL, seeds, sizeof seeds);
        make_keys(&keygen, seeds, blob);
    }
}

static void run_encryption(const profile *profile, uint32_t trials) {
    tfhe_fixture set;
    tfhe_fixture_open(&set, profile->params, profile->way);
    const isopod_tfhe_values values = tfhe_fixture_values(profile->schema);
    set.entropy.fill = counts_random_fill;
    for (uint32_t trial = 0; trial < trials; trial++) {
        counts_randomise_tfhe_key(&set);
        counts_randomise_tfhe_values(&values);
        encrypt(&set, &values);
    }
}

void counts_tfhe(uint32_t number, uint32_t trials) {
    check_memory_reset();
    if (number < PROFILES) {
        run_encryption(&profiles[number], trials);
    } else {
        run_keygen(number == PROFILES ? &isopod_tfhe_1024_tuniform : &isopod_tfhe_2048_tfhe_rs,
                   trials);
    }
}
