/* The decoder of real slots in 32-bit words (spec/decryption.md, section 2), in portable C: |D_k|
 * <= 2^28. Constant time. */
#include "decode.h"

#include "../../base/bit_reverse.h"
#include "../fixed32.h"
#include "../../base/memory.h"
#include "../../ring/montgomery.h"
#include "../../backend/backend.h"

#if ISOPOD_PORTABLE(DECODE32)
#define WORD int32_t
#define BOUND_BITS ISOPOD_DECODE32_BITS
#define FOLDED(folded, n, k) ((folded)[k])
#define FOLDED_WORD int32_t
#define QUARTER isopod_quarter32
#define DOT isopod_dot32
#define FRACTION isopod_fraction32
#define DECODE isopod_decode32
#include "decode_template.h"

/* The residue of |x| < q in (-q/2, q/2]. */
static inline int32_t centred(int32_t x, const isopod_prime *prime) {
    int32_t value = (int32_t)isopod_canonical(x, prime);
    int32_t half = (int32_t)(prime->modulus >> 1);
    return value - (int32_t)(prime->modulus & isopod_ct_negative(half - value));
}

/* Differences are below q < 2^30 and 2^(L+2) <= 2^30. A refused value may lose upper bits. D_0 = 2
 * m_0 is computed as the difference of m_0 and -m_0. Here -m_0 takes the place of m_{n/2}, which is
 * not used otherwise. */
uint32_t isopod_fold32(int32_t *x, const isopod_decoding *decoding, const isopod_prime *prime) {
    int32_t left = ISOPOD_DECODE32_BITS - 1 - decoding->magnitude;
    uint32_t down = left < 0 ? (uint32_t)-left : 0, up = left < 0 ? 0 : (uint32_t)left;
    int32_t half = down == 0 ? 0 : ((int32_t)1 << (down - 1)) - 1, odd = down == 0 ? 0 : 1;
    uint32_t n = decoding->n, refused = 0;
    x[n / 2] = -x[0];
    for (uint32_t k = 0; k < n / 2; k++) {
        uint32_t opposite = k == 0 ? n / 2 : n - k;
        int32_t d = centred(x[k], prime) - centred(x[opposite], prime);
        refused |= (uint32_t)(d + ((int32_t)4 << decoding->magnitude)) >> (decoding->magnitude + 3);
        x[k] = (int32_t)((uint32_t)((d + half + (d >> down & odd)) >> down) << up);
    }
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        isopod_wipe(x, (size_t)2 * n);
    }
    return refused;
}
#endif
