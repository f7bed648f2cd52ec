/* A holder's half of a result at n = 4096: packed bytes of any contents, a share of any residues
 * below its primes, and holders of fixed numbers. The product gives back anything within the bound
 * of unpack.h. */
// sources: holder/partial.c base/parameters.c base/parameter_sets.c
// stubs: primitives.c
// options: -eva-slevel 60 -eva-auto-loop-unroll 128 -eva-use-spec isopod_reduce
// options: -eva-slevel-function half_modulo:300
#include "arbitrary.h"
#include "holder/partial.h"
#include "ring/inverse_ntt.h"
#include "ring/unpack.h"

#define N 4096u
#define SET isopod_bfv_4096x3_owners
#define HEAD ((ISOPOD_KEY_HEADER_BYTES + sizeof(isopod_share_head)) / 4u)

static int32_t twiddles_of[3][N], half[3u * N / 2u];
static const int32_t *const twiddles[3] = {twiddles_of[0], twiddles_of[1], twiddles_of[2]};
static const isopod_tables tables = {.twiddles = twiddles};
static uint32_t blob[HEAD + 3u * N];
static uint8_t c1[N * 3u * 26u / 8u];

/*@ requires count % 32 == 0 && count >= 32 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1));
    requires \valid_read(shared) &&
        \valid_read(packed + (0 .. count / 32 * 4 * shared->bits - 1));
    requires \valid_read(key + (0 .. count - 1)) && \initialized(key + (0 .. count - 1)); */
uint32_t isopod_unpack_multiply(int32_t *x, const uint8_t *packed, const uint32_t *key,
                                uint32_t count, const isopod_prime *shared) {
    int32_t q = (int32_t)shared->modulus;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = SIGNED(1 - q, q - 1);
    }
    return ANY32;
}

/*@ requires \valid_read(ntt) && ntt->coarse == \null && ntt->chunks == 1;
    requires \valid(x + (0 .. ntt->length - 1)) && \initialized(x + (0 .. ntt->length - 1));
    requires \valid_read(ntt->twiddles + (0 .. ntt->length - 1)); */
void isopod_inverse_ntt(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    int32_t q = (int32_t)ntt->prime->modulus;
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = SIGNED(1 - q, q - 1);
    }
}

static void contribute(const isopod_holder *holder, const uint8_t *numbers, uint8_t count) {
    const isopod_answering answering = {numbers, count};
    const isopod_partial of = {holder, c1, &answering};
    ((isopod_share_head *)(void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4u))->number = numbers[0];
    (void)isopod_partial_half(half, &of, 0);
    (void)isopod_partial_half(half, &of, 1);
}

int main(void) {
    static const uint8_t all[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, two[2] = {10, 1};
    const isopod_holder holder = {&SET, &tables, blob};
    ARBITRARY(c1);
    ARBITRARY(blob);
    //@ loop unroll 3;
    for (uint32_t j = 0; j < 3u; j++) {
        int32_t most = (int32_t)(SET.primes[j].modulus / 2u);
        for (uint32_t i = 0; i < N; i++) {
            twiddles_of[j][i] = SIGNED(-most, most);
        }
    }
    contribute(&holder, all, 10);
    contribute(&holder, two, 2);
    return 0;
}
