/* Eight ChaCha20 blocks ([RFC8439], section 2.3) side by side, sixteen where there is AVX-512:
 * vector i holds word i of all of them. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/memory.h"
#include "../../../random/chacha20.h"

#include "../base/avx2.h"
#include "chacha20_sixteen.h"

/* "expand 32-byte k" */
static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

#define GROUP_BLOCKS 8u
#define GROUP_WORDS (GROUP_BLOCKS * ISOPOD_CHACHA20_WORDS)

ISOPOD_AVX2_INLINE __m256i rotate_bytes(__m256i x, __m128i bytes) {
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes));
}

#define ROTATE_BITS(x, by)                                                                         \
    _mm256_or_si256(_mm256_slli_epi32(x, by), _mm256_srli_epi32(x, 32 - (by)))

ISOPOD_AVX2_INLINE void quarter(__m256i *a, __m256i *b, __m256i *c, __m256i *d) {
    const __m128i by16 = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    const __m128i by8 = _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate_bytes(_mm256_xor_si256(*d, *a), by16);
    *c = _mm256_add_epi32(*c, *d);
    *b = _mm256_xor_si256(*b, *c);
    *b = ROTATE_BITS(*b, 12);
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate_bytes(_mm256_xor_si256(*d, *a), by8);
    *c = _mm256_add_epi32(*c, *d);
    *b = _mm256_xor_si256(*b, *c);
    *b = ROTATE_BITS(*b, 7);
}

ISOPOD_AVX2_INLINE void diagonals(__m256i x[16]) {
    quarter(&x[0], &x[5], &x[10], &x[15]);
    quarter(&x[1], &x[6], &x[11], &x[12]);
    quarter(&x[2], &x[7], &x[8], &x[13]);
    quarter(&x[3], &x[4], &x[9], &x[14]);
}

ISOPOD_AVX2_INLINE void columns(__m256i x[16]) {
    quarter(&x[0], &x[4], &x[8], &x[12]);
    quarter(&x[1], &x[5], &x[9], &x[13]);
    quarter(&x[2], &x[6], &x[10], &x[14]);
    quarter(&x[3], &x[7], &x[11], &x[15]);
}

/* The state of eight blocks before the rounds, and after the quarter rounds of columns 1 to 3 in
 * the first round, which do not depend on the counter. */
typedef struct {
    __m256i input[16];
    __m256i begun[16];
} block_group;

ISOPOD_AVX2_APART void start_group(block_group *group, const uint8_t key[32],
                                   const uint32_t input[4]) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        group->input[i] = _mm256_set1_epi32((int)constants[i]);
        group->input[12 + i] = _mm256_set1_epi32((int)input[i]);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        group->input[4 + i] = _mm256_set1_epi32((int)isopod_load32(key + 4 * i));
    }
    group->input[12] =
        _mm256_add_epi32(group->input[12], _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++) {
        group->begun[i] = group->input[i];
    }
#pragma GCC unroll 16
    for (unsigned i = 1; i < 4; i++) {
        __m256i *x = group->begun + i;
        quarter(x, x + 4, x + 8, x + 12);
    }
}

ISOPOD_AVX2_INLINE void store_half(uint32_t *out, const __m256i x[8], const __m256i input[8]) {
    __m256i rows[8];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        rows[i] = _mm256_add_epi32(x[i], input[i]);
    }
    isopod_transpose(rows);
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        isopod_store(out + ISOPOD_CHACHA20_WORDS * i, rows[i]);
    }
}

ISOPOD_AVX2_APART void run_groups(uint32_t *out, block_group *group, uint32_t groups) {
    __m256i x[16];
    for (; groups > 0; groups--, out += GROUP_WORDS) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < 16; i++) {
            x[i] = group->begun[i];
        }
        x[12] = group->input[12];
        quarter(&x[0], &x[4], &x[8], &x[12]);
        diagonals(x);
        /* Unrolled, because a loop would spill registers to the stack and reload them at its
         * end. */
#pragma GCC unroll 9
        for (unsigned i = 1; i < 10; i++) {
            columns(x);
            diagonals(x);
        }
        store_half(out, x, group->input);
        store_half(out + 8, x + 8, group->input + 8);
        group->input[12] = _mm256_add_epi32(group->input[12], _mm256_set1_epi32(GROUP_BLOCKS));
    }
}

/* Computes any number of blocks; the last ones are the beginning of a whole group. */
static void run_blocks(uint32_t *out, block_group *group, uint32_t count) {
    uint32_t last[GROUP_WORDS];
    run_groups(out, group, count / GROUP_BLOCKS);
    if (count % GROUP_BLOCKS != 0) {
        out += count / GROUP_BLOCKS * GROUP_WORDS;
        run_groups(last, group, 1);
        isopod_copy((uint8_t *)out, (const uint8_t *)last,
                    (size_t)(count % GROUP_BLOCKS) * ISOPOD_CHACHA20_WORDS * sizeof *out);
        isopod_wipe(last, sizeof last);
    }
}

/* Computes blocks by sixteens and returns how many; the rest is left to the caller. */
static uint32_t run_sixteens(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                             uint32_t count) {
    uint32_t state[ISOPOD_CHACHA20_WORDS];
    const uint32_t groups = isopod_has_avx512() ? count / ISOPOD_SIXTEEN : 0;
    if (groups == 0) {
        return 0;
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        state[i] = constants[i];
        state[12 + i] = input[i];
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        state[4 + i] = isopod_load32(key + 4 * i);
    }
    isopod_chacha20_sixteens(out, state, groups);
    isopod_wipe(state, sizeof state);
    return groups * ISOPOD_SIXTEEN;
}

/* Computes the remaining blocks by eights; for a single block vectors are not worth it. */
static void run_eights(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                       uint32_t count) {
    block_group group;
    start_group(&group, key, input);
    run_blocks(out, &group, count);
    isopod_wipe(&group, sizeof group);
}

ISOPOD_NOINLINE static void run(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                                uint32_t count) {
    const uint32_t made = run_sixteens(out, key, input, count);
    if (made < count) {
        const uint32_t rest[4] = {input[0] + made, input[1], input[2], input[3]};
        run_eights(out + (size_t)made * ISOPOD_CHACHA20_WORDS, key, rest, count - made);
    }
}

uint32_t isopod_native_chacha20_blocks(uint32_t *out, const uint8_t key[32],
                                       const uint32_t input[4], uint32_t count) {
    if (count < 2 || !isopod_has_avx2()) {
        return 0;
    }
    run(out, key, input, count);
    isopod_wipe_stack();
    return 1;
}

#endif
