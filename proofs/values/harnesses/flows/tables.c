/* Tables of CKKS and BFV at n = 1024, built in memory of any length; encode.c analyses cosines.
 */
// sources: schemes/tables.c schemes/tables_bfv.c ring base/parameters.c
// sources: base/parameter_sets.c random/suite_chacha20.c random/noise.c keys/keygen.c
// stubs: primitives.c random_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
#include "encode/cosines.h"
#include "isopod/keygen.h"
#include "isopod/tables.h"
#include "set.h"

static uint64_t memory[ISOPOD_CKKS_TABLES_BYTES(N, 1) / 8u + 1u];

/*@ requires log2_degree == 10 && \valid(cosine32 + (0 .. 512)) && \valid(cosine64 + (0 .. 512)); */
void isopod_build_cosines(int32_t *cosine32, int64_t *cosine64, uint32_t log2_degree) {
    arbitrary(cosine32, 4u * 513u);
    arbitrary(cosine64, 8u * 513u);
}

static void from_seeds(void) {
    static uint8_t seed[32];
    uint32_t refill = ANY32;
    ARBITRARY(seed);
    isopod_keygen_secret(ternary_blob, &CKKS, seed);
    isopod_mask_expand(plain_blob, &isopod_suite_chacha20, seed, &CKKS, 0, &refill);
}

int main(void) {
    isopod_tables built;
    from_seeds();
    (void)isopod_ckks_tables_build(&built, &CKKS, memory, SIZE_TO(sizeof memory));
    (void)isopod_bfv_tables_build(&built, &BFV, memory, SIZE_TO(sizeof memory));
    (void)isopod_ckks_tables_build(&built, &BFV, NULL, ANY32);
    return 0;
}
