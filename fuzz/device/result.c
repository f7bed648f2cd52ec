/* Fuzz target of the device library's result reader. The input is an item without its tag, which
 * is computed here under the valid key, so that the fuzzer starts after authentication. Accepted
 * fields lie within the item and write back to exactly the bytes read; under another key nothing
 * is accepted.
 *
 * With -DREPLAY the program runs the files in its arguments, for compilers without libFuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../device/src/cbor/cbor.h"
#include "../../device/src/random/chacha20.h"
#include "../../device/src/base/memory.h"
#include "../../device/src/base/parameters.h"
#include "../../device/src/tag/poly1305.h"
#include "isopod/result.h"

#define TAG_ITEM (1u + ISOPOD_TAG_BYTES)
#define HEAD_MAXIMUM 512u

static const uint8_t link_key[ISOPOD_LINK_KEY_BYTES] = {7};
static const uint8_t other_key[ISOPOD_LINK_KEY_BYTES] = {8};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds) {
    if (!holds) {
        abort();
    }
}

/* Tag of spec/wire.md, section 2, on the primitives; `text` has room for 31 bytes more. */
static void make_tag(uint8_t tag[16], uint8_t *text, size_t length) {
    size_t padded = (length + 15) / 16 * 16;
    const uint32_t counter[4] = {0, 0, 0, 1};
    uint32_t key[16], accumulator[5], multiplier[4];
    uint8_t subkey[32];
    isopod_hchacha20(subkey, link_key, text + ISOPOD_RESULT_NONCE_OFFSET);
    isopod_chacha20_block(key, subkey, counter);
    isopod_poly1305_start(accumulator, multiplier, key);
    isopod_store64(text + padded, length);
    isopod_poly1305_blocks(accumulator, multiplier, text, padded / 16 + 1);
    isopod_poly1305_finish(tag, accumulator, key + 4);
}

/* The item in a buffer of exactly its length, so that a sanitizer catches every read after it. */
static uint8_t *sealed(const uint8_t *data, size_t size) {
    uint8_t *text = calloc(size + 32, 1), *item = malloc(size + TAG_ITEM), tag[16];
    check(text != NULL && item != NULL);
    memcpy(text, data, size);
    memcpy(item, data, size);
    make_tag(tag, text, size);
    (void)isopod_cbor_bytes(item + size, tag, sizeof tag);
    free(text);
    return item;
}

static uint8_t *write_float(uint8_t *at, uint64_t bits) {
    *at++ = 0xfb;
    for (int shift = 56; shift >= 0; shift -= 8) {
        *at++ = (uint8_t)(bits >> shift);
    }
    return at;
}

static uint8_t *write_optional(uint8_t *at, const uint8_t *bytes) {
    return isopod_cbor_bytes(at, bytes, bytes != NULL ? 16u : 0);
}

/* The fields from run to error */
static uint8_t *write_provenance(uint8_t *at, const isopod_result *result) {
    at = isopod_cbor_bytes(at, result->run, ISOPOD_RUN_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, result->sequence);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, result->index);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, result->total);
    at = write_optional(at, result->challenge);
    at = isopod_cbor_bytes(at, result->request, ISOPOD_DIGEST_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_TEXT, result->job_bytes);
    memcpy(at, result->job, result->job_bytes);
    at = isopod_cbor_head(at + result->job_bytes, ISOPOD_CBOR_UNSIGNED, result->frames);
    at = isopod_cbor_bytes(at, result->origin, ISOPOD_DIGEST_BYTES);
    at = isopod_cbor_bytes(at, result->manifest, result->manifest_bytes);
    at = write_optional(at, result->packing);
    return write_float(write_float(at, result->bound), result->error);
}

/* The header: all bytes before the residues of c0. */
static size_t write_head(uint8_t *out, const isopod_result *result, const uint8_t *nonce) {
    const isopod_claim *claim = &result->claim;
    const uint32_t grid[7] = {result->layout, claim->first,       claim->rows,       claim->columns,
                              claim->stride,  result->dropped[0], result->dropped[1]};
    uint8_t *at = isopod_cbor_head(out, ISOPOD_CBOR_ARRAY, ISOPOD_RESULT_FIELDS);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_KIND_RESULT);
    at = isopod_cbor_bytes(at, result->params->set_id, ISOPOD_SET_ID_BYTES);
    at = isopod_cbor_bytes(at, result->key_id, ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_bytes(at, nonce, ISOPOD_NONCE_BYTES);
    at = write_provenance(at, result);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, claim->primes);
    at = write_float(at, claim->scale);
    for (uint32_t i = 0; i < 7; i++) {
        at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, grid[i]);
    }
    return (size_t)(isopod_cbor_head(at, ISOPOD_CBOR_BYTES, result->c0_bytes) - out);
}

static void check_accepted(const isopod_result *result, const uint8_t *item, size_t size) {
    uint8_t *head = malloc(HEAD_MAXIMUM + (size_t)result->manifest_bytes), second[9];
    check(head != NULL);
    size_t length = write_head(head, result, item + ISOPOD_RESULT_NONCE_OFFSET);
    size_t between =
        (size_t)(isopod_cbor_head(second, ISOPOD_CBOR_BYTES, result->c1_bytes) - second);
    const isopod_claim *claim = &result->claim;
    uint64_t end = claim->first + (uint64_t)claim->stride * (claim->rows - 1u) + claim->columns;
    uint32_t has_half =
        result->params->plain == NULL && result->layout != ISOPOD_COEFFICIENTS_ROUNDED;
    uint32_t slots = 1u << (result->params->log2_ring_degree - has_half);
    check(length < size && memcmp(head, item, length) == 0);
    check(result->c0 == item + length && result->c1 == result->c0 + result->c0_bytes + between);
    check(memcmp(result->c0 + result->c0_bytes, second, between) == 0);
    check(result->c1 + result->c1_bytes == item + size);
    check(claim->primes >= 1 && claim->primes <= ISOPOD_DECRYPT_PRIMES);
    check(claim->rows >= 1 && claim->columns >= 1 && end <= slots);
    check(claim->stride >= claim->columns && result->index < result->total);
    free(head);
}

static void open_with(const isopod_params *params, const uint8_t *item, size_t size) {
    isopod_result result;
    isopod_status status = isopod_result_open(&result, params, link_key, item, size + TAG_ITEM);
    check(status != ISOPOD_ERROR_AUTHENTICATION);
    if (status == ISOPOD_OK) {
        check_accepted(&result, item, size);
    }
    check(isopod_result_open(&result, params, other_key, item, size + TAG_ITEM) ==
          ISOPOD_ERROR_AUTHENTICATION);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < ISOPOD_RESULT_NONCE_OFFSET + 16u) {
        return 0;
    }
    uint8_t *item = sealed(data, size);
    open_with(&isopod_ckks_1024x1_sum, item, size);
    open_with(&isopod_bfv_1024x1_count, item, size);
    open_with(&isopod_ckks_4096x3_sum, item, size);
    free(item);
    return 0;
}

#ifdef REPLAY
static void replay(const char *path) {
    static uint8_t data[1u << 20];
    FILE *file = fopen(path, "rb");
    check(file != NULL);
    size_t size = fread(data, 1, sizeof data, file);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    (void)printf("%d passed, 0 failed, 0 skipped\n", argc - 1);
    return 0;
}
#endif
