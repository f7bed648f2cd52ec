/* The NTT modulo a 64-bit prime for Armv7-M, layer by layer (words64.S). Representatives are
 * unsigned: an input x < 0 has a multiple of q added, and every layer adds at most 2q. So 0 <= x <
 * 2^62 + (2l + 1) q after l layers, below 2^63 for 15 of them if q < 2^57; above, values are
 * reduced on the way. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/montgomery.h"
#include "../../../ring/ntt.h"
#include "words64.h"

#define LARGEST_UNREDUCED_BITS 57u

static void make_positive(int64_t *x, const isopod_ntt *ntt) {
    const uint64_t half = (uint64_t)1 << 62, modulus = ntt->prime->modulus;
    const uint64_t multiple = half + modulus - half % modulus;
    for (const int64_t *end = x + ntt->length; x != end; x++) {
        *x += (int64_t)(multiple & isopod_word_negative(*x));
    }
}

static void reduce(int64_t *x, const isopod_ntt *ntt) {
    const isopod_prime64 *prime = ntt->prime;
    isopod64_words with = {isopod_canonical(isopod_montgomery_one(prime), prime),
                           prime->modulus,
                           0u - (uint32_t)prime->inverse,
                           x + ntt->length,
                           NULL,
                           0};
    isopod64_scale_words(x, &with);
}

void isopod_ntt_layers(int64_t *x, const isopod_ntt *ntt) {
    uint32_t half = ntt->length / 2, reduces = ntt->prime->bits > LARGEST_UNREDUCED_BITS;
    isopod64_layer_words layer = {.x = x,
                                  .end = x + ntt->length,
                                  .modulus = ntt->prime->modulus,
                                  .negative_inverse = 0u - (uint32_t)ntt->prime->inverse};
    make_positive(x, ntt);
    for (uint32_t own = 1; half != 0; own *= 2, half /= 2) {
        /* 2^62 + q, or q, and three layers more: below 2^63 for q < 2^60 */
        if (reduces && (own & 0x249249u) != 0) {
            reduce(x, ntt);
        }
        layer.twiddles = ntt->twiddles + own * (ntt->chunks + (uint32_t)ntt->chunk);
        layer.half_bytes = 8u * half;
        isopod64_layer(&layer);
    }
}

#endif
