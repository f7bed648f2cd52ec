/* Refusals of sets of 64-bit primes: keys, tables and sets of the other word size, damaged
 * constants and residues, too little memory. */
#include "../../src/base/parameters.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static isopod_status begin(const fixture *set) {
    isopod_encryption context;
    float one = 1.0f;
    isopod_values values = {&one, 1, ISOPOD_VALUES_FLOAT32};
    return isopod_ckks_begin(&context, &set->config, &set->encryptor, &values);
}

static void check_tables(fixture *set) {
    const isopod_params *params = set->params;
    size_t bytes = ISOPOD64_TABLES_BYTES(set->n, params->prime_count);
    uint64_t *memory = check_memory(bytes + 8);
    isopod_tables tables;
    CHECK(isopod64_tables_build(&tables, params, memory, bytes - 1) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod64_tables_build(&tables, params, (uint8_t *)memory + 4, bytes) ==
          ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod64_tables_build(&tables, params, NULL, bytes) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod64_tables_build(&tables, &isopod_ckks_1024x1_sum, memory, bytes) ==
          ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod_ckks_tables_build(&tables, params, memory, bytes) == ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod64_tables_build(&tables, params, memory, bytes) == ISOPOD_OK);
    CHECK(tables.backend64 == NULL && tables.twiddles == NULL);
    const int64_t *const *twiddles = set->tables.twiddles64;
    set->tables.twiddles64 = NULL;
    CHECK(begin(set) == ISOPOD_ERROR_TABLES);
    set->tables.twiddles64 = twiddles;
}

static void check_other_words(fixture *set) {
    const uint64_t *blob64 = (const void *)set->blob;
    isopod_key key;
    CHECK(isopod_public_key_open(&key, set->params, set->blob, set->blob_bytes) ==
          ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod64_public_key_open(&key, &isopod_ckks_8192x6_multiply, blob64, set->blob_bytes) ==
          ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod64_public_key_open(&key, &isopod_ckks_8192x3w_multiply, blob64, set->blob_bytes) ==
          ISOPOD_ERROR_KEY_SET);
    CHECK(isopod64_secret_key_open(&key, set->params, blob64, set->blob_bytes) ==
          ISOPOD_ERROR_KEY_KIND);
}

/* Refuses residue q of the last prime under a valid digest. */
static void check_residue(fixture *set) {
    uint32_t last = (uint32_t)(set->blob_bytes / 4) - 2, low = set->blob[last],
             high = set->blob[last + 1];
    uint64_t modulus = isopod_parameters_modulus(set->params, set->params->prime_count - 1u);
    set->blob[last] = (uint32_t)modulus;
    set->blob[last + 1] = (uint32_t)(modulus >> 32);
    fixture_seal_blob(set->blob);
    CHECK(fixture_key_open(set, 1) == ISOPOD_ERROR_KEY_FORMAT);
    set->blob[last] = (uint32_t)(modulus - 1u);
    set->blob[last + 1] = (uint32_t)((modulus - 1u) >> 32);
    fixture_seal_blob(set->blob);
    CHECK(fixture_key_open(set, 1) == ISOPOD_OK);
    set->blob[last] = low;
    set->blob[last + 1] = high;
    fixture_seal_blob(set->blob);
    set->blob[last] ^= 1u;
    CHECK(fixture_key_open(set, 1) == ISOPOD_ERROR_KEY_FORMAT);
    set->blob[last] ^= 1u;
    CHECK(fixture_key_open(set, 1) == ISOPOD_OK);
}

static void check_constants(const isopod_params *good) {
    isopod_prime64 primes[3];
    isopod_params set = *good;
    set.primes64 = primes;
    for (uint32_t defect = 0; defect <= 6; defect++) {
        for (uint32_t j = 0; j < 3; j++) {
            primes[j] = good->primes64[j];
        }
        check_case("constants", defect);
        primes[1].inverse += defect == 1;
        primes[1].barrett += defect == 2;
        primes[1].bits = (uint8_t)(primes[1].bits - (defect == 3));
        primes[1].modulus += defect == 4 ? 2u : 0u;
        primes[1].modulus <<= defect == 5 ? 7 : 0;
        set.primes = defect == 6 ? isopod_ckks_8192x6_multiply.primes : NULL;
        CHECK(isopod_parameters_check(&set) == (defect == 0 ? ISOPOD_OK : ISOPOD_ERROR_PARAMETERS));
    }
}

static void check_configuration(fixture *set) {
    isopod_encryption_config good = set->config;
    set->encryptor.workspace.bytes--;
    CHECK(begin(set) == ISOPOD_ERROR_WORKSPACE);
    set->encryptor.workspace.bytes++;
    set->config.log2_scale = (uint8_t)(set->params->log2_scale_max + 1);
    CHECK(begin(set) == ISOPOD_ERROR_SCALE);
    set->config = good;
    set->config.log2_bound = (int8_t)(58 - set->config.log2_scale);
    CHECK(begin(set) == ISOPOD_ERROR_BOUND);
    set->config = good;
    set->config.level = 4;
    CHECK(begin(set) == ISOPOD_ERROR_LEVEL);
    set->config = good;
    CHECK(begin(set) == ISOPOD_OK);
}

void test_errors64(void) {
    fixture set;
    fixture_open(&set, &isopod_ckks_8192x3w_sum, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 8);
    check_tables(&set);
    check_other_words(&set);
    check_residue(&set);
    check_constants(set.params);
    check_configuration(&set);
}
