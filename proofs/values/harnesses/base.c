/* The folder base: streams of pieces, workspaces, arbitrary sets of parameters. */
// sources: base/piece_stream.c base/workspace.c base/parameters.c base/parameter_sets.c
// sources: base/parameter_lists.c base/status_text.c base/parameter_lists_bfv.c
// stubs: primitives.c
// options: -eva-slevel 30 -eva-auto-loop-unroll 64 -eva-split-return auto
#include "arbitrary.h"
#include "base/memory.h"
#include "base/parameters.h"
#include "base/piece_stream.h"
#include "base/workspace.h"

#define MOST 64u

static uint32_t a[MOST / 4u + 1u];

static void pieces(void) {
    static uint8_t piece[MOST], out[MOST];
    isopod_piece_stream stream;
    ARBITRARY(piece);
    ARBITRARY(stream);
    stream.piece = piece;
    stream.pending = BETWEEN(0, MOST);
    (void)isopod_piece_stream_check(&stream, SIZE_TO(SIZE_MAX));
    (void)isopod_piece_stream_take(&stream, out, SIZE_TO(MOST));
    isopod_piece_stream_give(&stream, piece, BETWEEN(0, MOST));
}

static void workspaces(void) {
    uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES];
    isopod_workspace workspace = {MAYBE ? NULL : a, MOST};
    ARBITRARY(owner);
    ARBITRARY(a);
    isopod_workspace_wipe(&workspace, SIZE_TO(MOST));
    if (isopod_workspace_holds(&workspace, SIZE_TO(SIZE_MAX)) && workspace.memory != NULL) {
        isopod_workspace_own(&workspace, owner);
        (void)isopod_workspace_is_owned(&workspace, owner);
        (void)isopod_workspace_room(&workspace);
    }
}

static void parameters(void) {
    static isopod_prime primes[15], plain;
    static isopod_prime64 primes64[15];
    isopod_params params;
    ARBITRARY(params);
    ARBITRARY(primes);
    ARBITRARY(primes64);
    ARBITRARY(plain);
    params.primes = MAYBE ? primes : NULL;
    params.primes64 = MAYBE ? primes64 : NULL;
    params.plain = &plain;
    if (MAYBE) {
        params.log2_ring_degree = (uint8_t)BETWEEN(0, 9);
    } else if (MAYBE) {
        params.log2_ring_degree = (uint8_t)BETWEEN(16, 255);
    } else {
        params.log2_ring_degree = (uint8_t)BETWEEN(10, 15);
    }
    if (isopod_parameters_check(&params) == ISOPOD_OK) {
        uint32_t level = BETWEEN(1, 15);
        (void)isopod_parameters_data_bits(&params, level);
    }
    params.primes = primes;
    params.primes64 = NULL;
    (void)isopod_parameters_product(&params, BETWEEN(1, 2));
    (void)isopod_parameters_modulus(&params, BETWEEN(0, 14));
    (void)isopod_is_valid_prime(&plain, BETWEEN(10, 15), BETWEEN(1, 1u << 20));
    (void)isopod_parameters_product_bits(&isopod_ckks_4096x2_linear, BETWEEN(1, 2));
    for (uint32_t i = 0; i < ISOPOD_CKKS_SET_COUNT; i++) {
        (void)isopod_parameters_check(isopod_ckks_sets[i]);
    }
    for (uint32_t i = 0; i < ISOPOD_BFV_SET_COUNT; i++) {
        (void)isopod_parameters_check(isopod_bfv_sets[i]);
    }
}

int main(void) {
    pieces();
    workspaces();
    parameters();
    (void)isopod_status_text((isopod_status)SIGNED(INT32_MIN, INT32_MAX));
    return 0;
}
