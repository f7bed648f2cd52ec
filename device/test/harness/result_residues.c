/* Residues of sealed results, in the word size that this file is compiled for. */
#include "result_residues.h"

#include "../../src/base/memory.h"
#include "../../src/ring/ntt.h"
#include "../../src/ring/packing.h"
#include "../../src/ring/pointwise.h"
#include "../../src/ring/power.h"
#include "check.h"
#include "vector_input.h"

#if ISOPOD_WORD_BITS == 64
#define result_residues result_residues64
#define result_polynomials result_polynomials64
void result_polynomials(const fixture *set, const result_message *message, uint8_t prime,
                        uint32_t *refill, uint64_t *c0, uint64_t *c1);
#endif

static isopod_residue residue(int64_t word, isopod_residue q) {
    int64_t modulus = (int64_t)q;
    return (isopod_residue)((word % modulus + modulus) % modulus);
}

static isopod_residue twice(isopod_residue x, isopod_residue q, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        x = 2 * x >= q ? 2 * x - q : 2 * x;
    }
    return x;
}

/* The residue of one coefficient with its noise, which follows from a number of the recurrence. */
static isopod_residue noisy(isopod_residue x, uint32_t number, uint32_t raised, isopod_residue q) {
    if (raised == 0) {
        return (x + residue((int64_t)(number % 41u) - 20, q)) % q;
    }
    x = twice(x, q, 40) + residue((int64_t)number - ((int64_t)1 << 31), q);
    return twice(x % q, q, raised - 40);
}

static void load(const fixture *set, const result_message *message, const isopod_word_prime *prime,
                 isopod_word *out) {
    uint32_t state = VECTOR_FIRST;
    isopod_word inverse = isopod_montgomery_one(prime);
    if (set->params->plain != NULL) {
        inverse = isopod_to_montgomery(set->params->plain->modulus, prime);
        inverse = isopod_montgomery_power(inverse, prime->modulus - 2u, prime);
    }
    for (uint32_t i = 0; i < set->n; i++) {
        isopod_word word = (isopod_word)residue(message->words[i], prime->modulus);
        isopod_word x = isopod_montgomery(word, inverse, prime);
        out[i] = (isopod_word)noisy(isopod_canonical(x, prime), vector_next(&state),
                                    message->raised, prime->modulus);
    }
}

/* c0 = NTT(m) - c1*NTT(s) for c1 as given: the key's blob is -NTT(s). */
static void encrypt(const fixture *set, uint8_t prime, isopod_word *message,
                    const isopod_residue *c1) {
    isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, prime);
    const void *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    const isopod_residue *key = (const isopod_residue *)payload + (size_t)set->n * prime;
    isopod_ntt_layers(message, &ntt);
    isopod_multiply_add(message, (const isopod_word *)c1, key, set->n, ntt.prime);
}

void result_polynomials(const fixture *set, const result_message *message, uint8_t prime,
                        uint32_t *refill, isopod_residue *c0, isopod_residue *c1) {
    uint8_t seed[32];
    fixture_bytes(seed, 0x80, sizeof seed);
    isopod_mask_expand(c1, &isopod_suite_chacha20, seed, set->params, prime, refill);
    load(set, message, isopod_word_prime_of(set->params, prime), (isopod_word *)c0);
    encrypt(set, prime, (isopod_word *)c0, c1);
}

uint32_t result_residues(const fixture *set, const result_message *message, uint8_t prime,
                         uint32_t *refill, uint8_t *const out[2]) {
    const isopod_word_prime *modulus = isopod_word_prime_of(set->params, prime);
    size_t mark = check_memory_mark();
    isopod_residue *c0 = check_memory(sizeof *c0 * set->n);
    isopod_residue *c1 = check_memory(sizeof *c1 * set->n);
    result_polynomials(set, message, prime, refill, c0, c1);
    uint32_t bytes = isopod_pack_in_place(c0, set->n, modulus->bits);
    (void)isopod_pack_in_place(c1, set->n, modulus->bits);
    isopod_copy(out[0], (const uint8_t *)c0, bytes);
    isopod_copy(out[1], (const uint8_t *)c1, bytes);
    check_memory_release(mark);
    return bytes;
}
