/* Exact products in both rings, from extreme digits and factors, by every kernel, against the
 * schoolbook rule. */
#include "../../src/backend/backend.h"
#include "../../src/tfhe/ring/ring.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../harness/vector_input.h"

/* Digits that are all -2^15, all 2^15 - 1, alternating, or random. */
static uint32_t word_of(uint32_t pattern, uint32_t i, uint32_t *state) {
    switch (pattern) {
    case 0:
        return 0x80008000u - (i % 2 == 0 ? 0u : 0x00010000u); /* -2^15 with its carries */
    case 1:
        return 0x7fff7fffu;
    case 2:
        return i % 2 == 0 ? 0x7fff7fffu : 0x80018001u;
    case 3:
        return 0xffffffffu;
    case 4:
        return 0x80000000u;
    default:
        return vector_next(state);
    }
}

/* Factors whose symbols are all 1, all -1 (0 where there is none), or the key. */
static void set_factor(tfhe_fixture *set, uint32_t which, const uint32_t *key) {
    uint32_t words = set->n / (set->params->secret == ISOPOD_SECRET_BINARY ? 32 : 16);
    uint32_t ternary = set->params->secret == ISOPOD_SECRET_TERNARY;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t ones = ternary ? 0xaaaaaaaau : 0xffffffffu;
        set->secret[i] = which == 0 ? ones : which == 1 ? 0 : key[i];
    }
}

static void check_places(const tfhe_fixture *set, const uint8_t *a, const void *product) {
    static const uint16_t places[8] = {0, 1, 15, 16, 511, 512, 1000, 1023};
    for (uint32_t p = 0; p < 8; p++) {
        uint32_t at = p < 4 ? places[p] : set->n - 1024u + places[p];
        CHECK_QUIET(tfhe_fixture_word(product, set->word_bytes, at) ==
                    tfhe_fixture_product(set, a, at));
    }
}

typedef struct {
    uint32_t *a;
    uint32_t *words;
    uint32_t *transformed;
    double *prepared;
    int32_t *scratch;
} memory;

static void check_kernels(const tfhe_fixture *set, const memory *at) {
    isopod_small small = {set->secret, set->params->secret};
    isopod_ring ring = {isopod_ring_ntt(set->params, set->tables.twiddles),
                        set->params->log2_modulus};
    uint32_t words = set->n * set->word_bytes / 4;
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        for (uint32_t i = 0; i < words; i++) {
            at->words[i] = at->a[i];
        }
        isopod_ring_transform(at->transformed, &small, &ring.ntt);
        isopod_ring_prepare(at->prepared, &small, &ring.ntt);
        if (kernel == 1) {
            isopod_ring_product_prepared(at->words, at->prepared, at->scratch, &ring);
        } else if (set->word_bytes == 4) {
            isopod_ring_product32(at->words, at->transformed, at->scratch, &ring.ntt);
        } else {
            isopod_ring_product64(at->words, at->transformed, at->scratch, &ring.ntt);
        }
        check_places(set, (const uint8_t *)at->a, at->words);
    }
}

/* The second product by a held factor finds it where the first left it, in place of its symbols. */
static void check_held(const tfhe_fixture *set, const memory *at) {
#if ISOPOD_TAKES(RING_PREPARED)
    isopod_ring ring = {isopod_ring_ntt(set->params, set->tables.twiddles),
                        set->params->log2_modulus};
    uint32_t *symbols = (uint32_t *)at->prepared, words = set->n * set->word_bytes / 4;
    isopod_small small = {symbols, set->params->secret};
    for (uint32_t i = 0; i < set->n / 16; i++) {
        symbols[i] = set->secret[i];
    }
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < words; i++) {
            at->words[i] = at->a[i];
        }
        if (isopod_native_ring_product_held(at->words, at->prepared, turn == 0 ? &small : NULL,
                                            &ring)) {
            check_places(set, (const uint8_t *)at->a, at->words);
        }
    }
#else
    (void)set;
    (void)at;
#endif
}

static void check_set(const isopod_tfhe_params *params) {
    tfhe_fixture set;
    tfhe_fixture_open(&set, params, ISOPOD_TFHE_KEY_SECRET);
    size_t bytes = (size_t)set.n * set.word_bytes;
    memory at = {check_memory(bytes), check_memory(bytes), check_memory((size_t)4 * set.n),
                 check_memory(ISOPOD_TFHE_PREPARED_BYTES(set.n)), check_memory((size_t)4 * set.n)};
    const uint32_t *key = set.blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t state = VECTOR_FIRST;
    for (uint32_t which = 0; which < 3; which++) {
        set_factor(&set, which, key);
        for (uint32_t pattern = 0; pattern < 6; pattern++) {
            check_case(params->name, 10 * which + pattern);
            for (uint32_t i = 0; i < bytes / 4; i++) {
                at.a[i] = word_of(pattern, i, &state);
            }
            check_kernels(&set, &at);
            check_held(&set, &at);
        }
    }
}

void test_tfhe_products(void) {
    for (uint32_t s = 0; s < ISOPOD_TFHE_SET_COUNT; s++) {
        check_memory_reset();
        check_set(isopod_tfhe_sets[s]);
        CHECK(s < ISOPOD_TFHE_SET_COUNT);
    }
}
