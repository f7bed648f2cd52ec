/* Loads of compact polynomials and their NTT (ring/polynomial.h) for RV32IM: for primes of up to 27
 * bits the first two layers are computed while coefficients are loaded. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../ring/polynomial.h"

#include "../../encode/encode.h"
#include "butterfly.h"
#include "layers.h"

#define EACH _Pragma("GCC unroll 16") for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++)

void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    EACH {
        out[i] = error[i];
    }
}

/* Coefficients of a quarter of the message: step 2 or -2 in the packed words, with one sign. */
ISOPOD_INLINE void add_run(int32_t *out, const int8_t *error, const int32_t *at, int32_t step,
                           int32_t sign) {
    EACH {
        out[i] = error[i] + sign * at[step * (int32_t)i];
    }
}

static void load_run(int32_t *out, const int8_t *error, const int32_t *at, uint32_t quarter) {
    switch (quarter) {
    case 0:
        add_run(out, error, at, 2, 1);
        break;
    case 1:
        add_run(out, error, at, -2, 1);
        break;
    case 2:
        add_run(out, error, at, 2, -1);
        break;
    default:
        add_run(out, error, at, -2, -1);
    }
}

/* The order of words is that of spec/ckks.md, section 4; isopod_message32_add loads the first block
 * of a quarter, whose first coefficient is an exception. */
void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t m = polynomial->n / 4, t = first & (m - 1), quarter = first / m;
    const int32_t *message = polynomial->words;
    if (t == 0) {
        isopod_load_error(polynomial, first, out);
        isopod_message32_add(message, polynomial->n, first, out);
        return;
    }
    uint32_t is_down = quarter & 1u, is_second = (quarter ^ quarter >> 1) & 1u;
    load_run(out, polynomial->error + first, message + 2 * (is_down ? m - t : t) + is_second,
             quarter);
}

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t symbols = ((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK];
    int32_t factor = polynomial->factor;
    EACH {
        out[i] = (int32_t)(symbols >> 2 * i & 3u) * factor - factor;
    }
}

/* The place and twiddles of the first two layers of the whole transform, for a prime of up to 27
 * bits. */
typedef struct {
    isopod_roots roots;
    isopod_prime prime;
    int32_t *out;
    uint32_t quarter;
} first_pair;

ISOPOD_INLINE void first_butterfly(const first_pair *to, uint32_t i, int32_t four[4]) {
    int32_t *low = to->out + i, *high = low + 2 * to->quarter;
    isopod_butterfly(four, &to->roots, &to->prime, ISOPOD_FLOOR);
    low[0] = four[0], low[to->quarter] = four[1];
    high[0] = four[2], high[to->quarter] = four[3];
}

/* Loads any polynomial, 16 coefficients of each quarter at a time. */
static void load_blocks(const first_pair *to, const isopod_polynomial *polynomial) {
    int32_t parts[4][ISOPOD_FOLD_BLOCK];
    for (uint32_t first = 0; first < to->quarter; first += ISOPOD_FOLD_BLOCK) {
        for (uint32_t p = 0; p < 4; p++) {
            polynomial->load(polynomial, first + p * to->quarter, parts[p]);
        }
        for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
            int32_t four[4] = {parts[0][i], parts[1][i], parts[2][i], parts[3][i]};
            first_butterfly(to, first + i, four);
        }
    }
}

/* m_k, m_{k+M}, m_{k+2M}, m_{k+3M} from the packed words 2k, 2(M-k)+1, 2k+1 and 2(M-k). */
static void load_message(const first_pair *shared, const isopod_polynomial *polynomial) {
    const first_pair to = *shared;
    const int32_t *up = polynomial->words, *down = up + 2 * (size_t)to.quarter;
    const int8_t *e0 = polynomial->error, *e1 = e0 + to.quarter;
    const int8_t *e2 = e1 + to.quarter, *e3 = e2 + to.quarter;
    int32_t first[4] = {e0[0] + up[0], e1[0] + up[1], e2[0], e3[0] - up[1]};
    first_butterfly(&to, 0, first);
    for (uint32_t k = 1; k < to.quarter; k++) {
        up += 2, down -= 2;
        int32_t four[4] = {e0[k] + up[0], e1[k] + down[1], e2[k] - up[1], e3[k] - down[0]};
        first_butterfly(&to, k, four);
    }
}

static void load_pair(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    const first_pair to = {isopod_roots_at(ntt->twiddles, 1, ntt->prime), *ntt->prime, out,
                           ntt->length / 4};
    if (polynomial->load == isopod_load_message32) {
        load_message(&to, polynomial);
    } else {
        load_blocks(&to, polynomial);
    }
}

void isopod_rv32im_head(int32_t *x, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    if (ntt->chunks == 1) {
        load_pair(x, polynomial, ntt);
        isopod_rv32im_middle(x, ntt, 4);
    } else {
        isopod_polynomial_fold(x, polynomial, ntt);
        isopod_rv32im_middle(x, ntt, ntt->chunks);
    }
}

void isopod_polynomial_ntt(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        isopod_rv32im_head(out, polynomial, ntt);
        isopod_rv32im_last(out, ntt);
    } else {
        isopod_polynomial_fold(out, polynomial, ntt);
        isopod_ntt_layers(out, ntt);
    }
}

const uint8_t isopod_reads_lean_tables = 0;

#endif
