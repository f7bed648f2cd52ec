/* Our side of the comparison of memory: the library as used by an application for small machines,
 * with one key blob, tables without quotients, four chunks, and residues passed on as they come.
 * All its memory is allocated here. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isopod/ckks.h"

enum { CHUNKS = 4, PIECE_BYTES = 4096 };

int isopod_bench_encrypt_twice(const char *set, const char *key_file, int is_secret);

static int fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    return getrandom(out, length, 0) == (ssize_t)length ? 0 : -1;
}

static const isopod_params *find_set(const char *name) {
    for (size_t i = 0; i < ISOPOD64_SET_COUNT; i++) {
        if (strcmp(isopod64_sets[i]->name, name) == 0) {
            return isopod64_sets[i];
        }
    }
    return NULL;
}

static uint64_t *read_file(const char *path, size_t *bytes) {
    struct stat facts;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &facts) != 0) {
        return NULL;
    }
    *bytes = (size_t)facts.st_size;
    uint64_t *words = malloc(*bytes);
    ssize_t got = words == NULL ? -1 : read(file, words, *bytes);
    close(file);
    return got == facts.st_size ? words : NULL;
}

static isopod_status encrypt(const isopod_ckks_config *config, const isopod_encryptor *encryptor,
                             const double *values) {
    uint32_t count = 1u << (config->params->log2_ring_degree - 1u);
    const isopod_values input = {values, count, ISOPOD_VALUES_FLOAT64};
    uint8_t piece[PIECE_BYTES];
    isopod_ckks context;
    size_t length;
    isopod_status status = isopod_ckks_begin(&context, config, encryptor, &input);
    while (status == ISOPOD_OK) {
        status = isopod_ckks_next(&context, piece, sizeof piece, &length);
    }
    return status;
}

static size_t workspace_bytes(uint32_t n, int is_secret) {
    size_t message = ISOPOD_CKKS_MESSAGE_BYTES(n, 1);
    return is_secret ? ISOPOD64_SECRET_NTT_WORKSPACE(n, CHUNKS, message)
                     : ISOPOD64_PUBLIC_WORKSPACE(n, CHUNKS, message);
}

static int run(const isopod_params *params, const uint64_t *blob, size_t blob_bytes,
               int is_secret) {
    uint32_t n = 1u << params->log2_ring_degree;
    size_t table_bytes = ISOPOD64_TABLES_BYTES(n, params->prime_count);
    isopod_tables tables;
    isopod_key key;
    isopod_entropy entropy = {.fill = fill};
    isopod_sender sender = {
        .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
    double *values = malloc(n / 2 * sizeof *values);
    void *table_memory = malloc(table_bytes), *workspace = malloc(workspace_bytes(n, is_secret));
    if (values == NULL || table_memory == NULL || workspace == NULL ||
        isopod64_tables_build(&tables, params, table_memory, table_bytes) != ISOPOD_OK ||
        (is_secret ? isopod64_secret_key_open
                   : isopod64_public_key_open)(&key, params, blob, blob_bytes) != ISOPOD_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        values[i] = (double)i / n;
    }
    const isopod_ckks_config config = {.params = params,
                                       .tables = &tables,
                                       .suite = &isopod_suite_chacha20,
                                       .key = &key,
                                       .encoder = &isopod_encoder_slots64,
                                       .chunks = CHUNKS,
                                       .log2_scale = params->log2_scale_default,
                                       .accept_label = params->label};
    const isopod_encryptor encryptor = {
        {workspace, workspace_bytes(n, is_secret)}, &entropy, &sender};
    return encrypt(&config, &encryptor, values) != ISOPOD_DONE ||
           encrypt(&config, &encryptor, values) != ISOPOD_DONE;
}

/* 0, or 1 if anything fails. Memory is left to the end of the process. */
int isopod_bench_encrypt_twice(const char *set, const char *key_file, int is_secret) {
    size_t bytes = 0;
    const isopod_params *params = find_set(set);
    const uint64_t *blob = read_file(key_file, &bytes);
    return params == NULL || blob == NULL || run(params, blob, bytes, is_secret);
}
