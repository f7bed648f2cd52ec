/* Prints what isopod_kconfig.h has: suite, chunks, fault check, stack. Where there are chunks, BFV
 * and CKKS must take the workspaces of its macros, and refuse eight bytes less. */
#include "isopod_kconfig.h"

#include <stdio.h>

#include "isopod_tables.h"
#include "keys.h" /* bfv_key, ckks_key: blobs of public keys */

enum { N = 1024 };

static const char *name_of(const isopod_suite *suite) {
    return suite == &isopod_suite_chacha20   ? "chacha20"
           : suite == &isopod_suite_shake256 ? "shake256"
                                             : "seal";
}

#if ISOPOD_KCONFIG_CHUNKS > 0
static _Alignas(
    8) uint8_t bfv[ISOPOD_KCONFIG_BFV_WORKSPACE(N, ISOPOD_BFV_1024X1_COUNT_PLAIN_MODULUS)];
static _Alignas(8) uint8_t ckks[ISOPOD_KCONFIG_CKKS_WORKSPACE(N, 0)];

static int counted(void *state, uint8_t *out, size_t length) {
    uint8_t *next = state;
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(*next += 73);
    }
    return 0;
}

typedef struct {
    const isopod_params *params;
    const isopod_tables *tables;
    const uint32_t *blob;
    size_t blob_bytes;
    void *memory;
    size_t bytes; /* of the workspace */
} board;

static isopod_encryption_config config_of(const board *of, const isopod_key *key) {
    const isopod_encryption_config config = {.params = of->params,
                                             .tables = of->tables,
                                             .suite = ISOPOD_KCONFIG_SUITE,
                                             .key = key,
                                             .chunks = ISOPOD_KCONFIG_CHUNKS,
                                             .fault_check = ISOPOD_KCONFIG_FAULT_CHECK,
                                             .log2_scale = of->params->log2_scale_default};
    return config;
}

/* The status of an encryption in so many bytes of the workspace. */
static isopod_status begin(const board *of, size_t bytes) {
    static uint8_t state;
    isopod_key key = {0};
    isopod_entropy entropy = {.fill = counted, .state = &state};
    isopod_sender sender = {
        .device = 1, .epoch = 1, .key = (const uint8_t *)"a key of thirty-two bytes, public"};
    const isopod_encryptor encryptor = {{of->memory, bytes}, &entropy, &sender};
    const isopod_encryption_config config = config_of(of, &key);
    const isopod_values integer = {&(int32_t){1}, 1, ISOPOD_VALUES_INT32};
    const isopod_values real = {&(float){1}, 1, ISOPOD_VALUES_FLOAT32};
    isopod_encryption context;
    isopod_status status = isopod_public_key_open(&key, of->params, of->blob, of->blob_bytes);
    if (status == ISOPOD_OK) {
        status = of->params->plain != NULL
                     ? isopod_bfv_begin(&context, &config, &encryptor, &integer)
                     : isopod_ckks_begin(&context, &config, &encryptor, &real);
        isopod_encryption_abort(&context);
    }
    return status;
}

static int is_exact(const board *of) {
    const isopod_status whole = begin(of, of->bytes), less = begin(of, of->bytes - 8);
    if (whole != ISOPOD_OK || less != ISOPOD_ERROR_WORKSPACE) {
        printf("%s: %d, %d with 8 bytes less\n", of->params->name, whole, less);
        return 0;
    }
    return 1;
}

static int are_exact(void) {
    const board boards[] = {{&isopod_bfv_1024x1_count, &isopod_tables_bfv_1024x1_count, bfv_key,
                             sizeof bfv_key, bfv, sizeof bfv},
                            {&isopod_ckks_1024x1_sum, &isopod_tables_ckks_1024x1_sum, ckks_key,
                             sizeof ckks_key, ckks, sizeof ckks}};
    return isopod_bfv_1024x1_count.plain->modulus == ISOPOD_BFV_1024X1_COUNT_PLAIN_MODULUS &&
           is_exact(boards) && is_exact(boards + 1);
}
#else
static int are_exact(void) {
    return 1;
}
#endif

static const isopod_fault_check *volatile fault_check = ISOPOD_KCONFIG_FAULT_CHECK;

int main(void) {
    int is_sound = (fault_check != NULL) == ISOPOD_KCONFIG_HAS_FAULT_CHECK;
    is_sound &= are_exact();
    printf("%s %d %d %d\n", name_of(ISOPOD_KCONFIG_SUITE), ISOPOD_KCONFIG_CHUNKS,
           ISOPOD_KCONFIG_HAS_FAULT_CHECK, ISOPOD_KCONFIG_STACK_BYTES);
    return !is_sound;
}
