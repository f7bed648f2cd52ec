/* The NTT modulo a 32-bit prime for Armv7-M ([LN16]), two layers at a time (ntt_pass.S,
 * ntt_last.S), reduced late ([HARVEY14]). Bounds: twiddles |w| <= q/2; redc gives |product| / 2^32
 * + q/2.
 *
 * Passes above 27 bits (any q < 2^30, |x| < 2^31): redc of one product is within 3q/4, a reduced x
 * within 3q/4 (0.69 q where q > 0.9 * 2^30), so |out| < 2.2 q for q <= 0.9 * 2^30 and < 1.95 q
 * above: below 2^31 either way.
 *
 * Passes up to 27 bits (q < 1.125 * 2^27) reduce nothing: with |w1*w2|, |w1*w3| < 0.52 q, |out| <=
 * |x0| + (|x2|/2 + |x1|/2 + 0.52 |x3|) * q / 2^32 + q <= 1.06 |x| + q. From 2.2 q, and at most six
 * such passes before the last (n = 32768): |x| < 10.2 q < 1.44 * 2^30, and < 11.8 q < 1.66 * 2^30
 * after the last. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/ntt.h"

#include "../../../ring/montgomery.h"
#include "../../../ring/twiddle.h"
#include "ntt_pass.h"

typedef void pass_function(int32_t *x, const isopod_ntt_pass *pass);
pass_function isopod_ntt_pass_bits27_4, isopod_ntt_pass_bits27_16, isopod_ntt_pass_bits27_64,
    isopod_ntt_pass_bits27_256, isopod_ntt_pass_bits30_4, isopod_ntt_pass_bits30_16,
    isopod_ntt_pass_bits30_64, isopod_ntt_pass_bits30_256, isopod_ntt_last_pass;

#if !ISOPOD_HAS(HELIUM)
void isopod_ntt_fold(int32_t out[ISOPOD_FOLD_BLOCK], const int32_t part[ISOPOD_FOLD_BLOCK],
                     int32_t weight, const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    for (const int32_t *end = out + ISOPOD_FOLD_BLOCK; out != end; out++, part++) {
        *out = isopod_reduce(*out, &prime) + isopod_montgomery(*part, weight, &prime);
    }
}
#endif

isopod_ntt_pass isopod_ntt_pass_at(const int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    uint32_t at = blocks + ntt->chunk * (blocks / ntt->chunks);
    isopod_ntt_pass pass = {
        ntt->twiddles + at,  ntt->twiddles + (size_t)2 * at, x + ntt->length,
        ntt->prime->modulus, ntt->prime->negative_inverse,   ntt->prime->barrett};
    return pass;
}

#if ISOPOD_HAS(HELIUM)
#define layer isopod_ntt_layer
#else
static void layer(int32_t *x, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    uint32_t half = ntt->length / 2;
    int32_t twiddle = ntt->twiddles[ntt->chunks + ntt->chunk];
    for (uint32_t i = 0; i < half; i++) {
        int32_t high = isopod_montgomery(x[i + half], twiddle, &prime);
        int32_t low = isopod_reduce(x[i], &prime);
        x[i] = low + high;
        x[i + half] = low - high;
    }
}

void isopod_ntt_distant_pass(int32_t *x, const isopod_ntt_pass *pass, uint32_t distance) {
    const isopod_prime prime = {.modulus = pass->modulus,
                                .negative_inverse = pass->negative_inverse,
                                .barrett = pass->barrett};
    const int32_t *first = pass->first, *second = pass->second;
    for (; x != pass->end; x += 3 * distance, first++, second += 2) {
        for (const int32_t *end = x + distance; x != end; x++) {
            int32_t x2 = isopod_montgomery(x[2 * distance], *first, &prime);
            int32_t x3 = isopod_montgomery(x[3 * distance], *first, &prime);
            int32_t x0 = isopod_reduce(x[0], &prime);
            int32_t x1 = isopod_reduce(x[distance], &prime);
            int32_t b1 = isopod_montgomery(x1 + x3, second[0], &prime);
            int32_t b3 = isopod_montgomery(x1 - x3, second[1], &prime);
            x[0] = x0 + x2 + b1;
            x[distance] = x0 + x2 - b1;
            x[2 * distance] = x0 - x2 + b3;
            x[3 * distance] = x0 - x2 - b3;
        }
    }
}
#endif

static pass_function *pass_of(uint32_t distance, uint32_t is_prime27) {
    switch (distance) {
    case 4:
        return is_prime27 ? isopod_ntt_pass_bits27_4 : isopod_ntt_pass_bits30_4;
    case 16:
        return is_prime27 ? isopod_ntt_pass_bits27_16 : isopod_ntt_pass_bits30_16;
    case 64:
        return is_prime27 ? isopod_ntt_pass_bits27_64 : isopod_ntt_pass_bits30_64;
    default:
        return is_prime27 ? isopod_ntt_pass_bits27_256 : isopod_ntt_pass_bits30_256;
    }
}

/* `count` twiddles, a multiple of four, from `at` on, all with one coarse factor. */
static void fill(int32_t *out, const isopod_ntt *ntt, uint32_t at, uint32_t count) {
    const isopod_prime prime = *ntt->prime;
    const int32_t *fine = ntt->twiddles + at % ISOPOD_LEAN_TWIDDLES;
    int32_t coarse = ntt->coarse[at / ISOPOD_LEAN_TWIDDLES];
    for (uint32_t i = 0; i < count; i += 4) {
        out[i] = isopod_montgomery(fine[i], coarse, &prime);
        out[i + 1] = isopod_montgomery(fine[i + 1], coarse, &prime);
        out[i + 2] = isopod_montgomery(fine[i + 2], coarse, &prime);
        out[i + 3] = isopod_montgomery(fine[i + 3], coarse, &prime);
    }
}

void isopod_lean_fill(isopod_lean_twiddles *twiddles, const isopod_ntt *ntt, uint32_t at,
                      uint32_t groups) {
    fill(twiddles->first, ntt, at, groups);
    fill(twiddles->second, ntt, 2 * at, 2 * groups);
    for (uint32_t i = 0; i < groups && !isopod_ntt_has_prime27(ntt); i++) {
        twiddles->first[i] = isopod_centred(twiddles->first[i], ntt->prime);
        twiddles->second[2 * i] = isopod_centred(twiddles->second[2 * i], ntt->prime);
        twiddles->second[2 * i + 1] = isopod_centred(twiddles->second[2 * i + 1], ntt->prime);
    }
}

/* The pass by pieces of a few groups. Its blocks are 32 or more and a power of two, so that pieces
 * end at the borders of coarse factors. */
static void lean_pass(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, pass_function *run) {
    isopod_ntt_pass pass = isopod_ntt_pass_at(x, ntt, blocks);
    isopod_lean_twiddles twiddles;
    const int32_t *end = pass.end;
    uint32_t own = blocks / ntt->chunks, at = blocks + ntt->chunk * own;
    uint32_t groups = own < ISOPOD_LEAN_GROUPS ? own : ISOPOD_LEAN_GROUPS;
    for (; x != end; x += groups * (ntt->length / own), at += groups) {
        isopod_lean_fill(&twiddles, ntt, at, groups);
        pass.first = twiddles.first;
        pass.second = twiddles.second;
        pass.end = x + groups * (ntt->length / own);
        run(x, &pass);
    }
}

/* Whether twiddles of this pass are not in the table. */
static uint32_t is_lean(const isopod_ntt *ntt, uint32_t blocks) {
    return ntt->coarse != NULL && 4 * blocks > ISOPOD_LEAN_TWIDDLES;
}

/* The pass with twiddles that are in the table. */
static void table_pass(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, uint32_t is_prime27) {
    isopod_ntt_pass pass = isopod_ntt_pass_at(x, ntt, blocks);
    uint32_t distance = ntt->length * ntt->chunks / blocks / 4;
    if (distance > 256) {
        isopod_ntt_distant_pass(x, &pass, distance);
    } else {
        pass_of(distance, is_prime27)(x, &pass);
    }
}

/* Calls one of the two, so that only its frame is on the stack. */
static void run_pass(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, uint32_t is_prime27) {
    if (is_lean(ntt, blocks)) {
        lean_pass(x, ntt, blocks, pass_of(ntt->length * ntt->chunks / blocks / 4, is_prime27));
    } else {
        table_pass(x, ntt, blocks, is_prime27);
    }
}

uint32_t isopod_ntt_first(int32_t *x, const isopod_ntt *ntt) {
    if ((ntt->length & 0xaaaaaaaau) != 0) {
        layer(x, ntt);
        return 2u * ntt->chunks;
    }
    run_pass(x, ntt, ntt->chunks, 0);
    return 4u * ntt->chunks;
}

void isopod_ntt_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    for (; 4 * blocks < ntt->length * ntt->chunks; blocks *= 4) {
        run_pass(x, ntt, blocks, ntt->prime->modulus < ISOPOD_UNREDUCED_MODULUS);
    }
}

void isopod_ntt_last(int32_t *x, const isopod_ntt *ntt) {
    uint32_t blocks = ntt->length * ntt->chunks / 4;
    isopod_ntt_pass pass = isopod_ntt_pass_at(x, ntt, blocks);
    if (is_lean(ntt, blocks)) {
        lean_pass(x, ntt, blocks, isopod_ntt_last_pass);
    } else {
        isopod_ntt_last_pass(x, &pass);
    }
}

void isopod_ntt_layers(int32_t *x, const isopod_ntt *ntt) {
    isopod_ntt_middle(x, ntt, isopod_ntt_first(x, ntt));
    isopod_ntt_last(x, ntt);
}

#endif
