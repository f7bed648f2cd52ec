/* A holder of a key of several owners at n = 4096: a share and a result of any contents, any
 * holders who answer, any board. */
// sources: holder ring random start/counter.c link/serial.c cbor/cbor.c base/workspace.c
// sources: base/parameters.c base/parameter_sets.c keys/blob_parts.c keys/blob.c wire/result.c
// sources: schemes/claim.c cbor/cbor_read.c schemes/plain_modulus.c decrypt/decrypt.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
#include "arbitrary.h"
#include "holder/share.h"
#include "isopod/holder.h"

#define N 4096u
#define SET isopod_bfv_4096x3_owners
#define BLOB (ISOPOD_KEY_HEADER_BYTES + sizeof(isopod_share_head) + (size_t)N * 12u)

static int32_t twiddles_of[3][N], plain[N];
static const int32_t *const twiddles[3] = {twiddles_of[0], twiddles_of[1], twiddles_of[2]};
static isopod_tables tables;
static uint32_t blob[BLOB / 4u];
static uint64_t memory[ISOPOD_HOLDER_WORKSPACE(N) / 8u];
static uint8_t item[N * 12u], numbers[ISOPOD_HOLDERS];

static int fill(void *state, uint8_t *out, size_t length) {
    arbitrary(out, length);
    return SIGNED(-1, 1);
}

static int flash_read(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    arbitrary(out, length);
    return SIGNED(-1, 1);
}

static int flash_write(void *state, uint8_t page, uint32_t offset, const uint8_t *in,
                       size_t length) {
    return SIGNED(-1, 1);
}

static int erase(void *state, uint8_t page) {
    return SIGNED(-1, 1);
}

static int put(void *state, const uint8_t *bytes, size_t length) {
    return SIGNED(-1, 1);
}

int main(void) {
    isopod_holder holder;
    isopod_result result;
    isopod_entropy entropy;
    const isopod_flash flash = {flash_read, flash_write, erase, NULL, 4096, 8};
    const isopod_holder_board board = {&entropy, &flash, put, NULL};
    const isopod_workspace workspace = {memory, SIZE_TO(sizeof memory)};
    const isopod_answering answering = {numbers, (uint8_t)BETWEEN(0, ISOPOD_HOLDERS)};
    ARBITRARY(entropy);
    entropy.fill = fill;
    entropy.state = NULL;
    ARBITRARY(twiddles_of);
    ARBITRARY(plain);
    ARBITRARY(blob);
    ARBITRARY(memory);
    ARBITRARY(item);
    ARBITRARY(numbers);
    tables.twiddles = twiddles;
    tables.plain = plain;
    ARBITRARY(tables.set_id);
    if (isopod_holder_open(&holder, &SET, &tables, blob, SIZE_TO(sizeof blob)) != ISOPOD_OK) {
        return 1;
    }
    ARBITRARY(result);
    result.params = &SET;
    result.key_id = item + 20;
    result.c1 = item + 200;
    (void)isopod_holder_contribute(&holder, &result, &answering, &board, &workspace);
    return 0;
}
