/* Every set, key kind, number of chunks and suite, through the public pull interface: the
 * polynomials decrypt to the encoded message plus noise of the right size, and do not depend on the
 * number of chunks or the size of the pieces. */
#include "../../src/ring/pointwise.h"
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static const isopod_suite *const suites[3] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                              &isopod_suite_seal_shake256};

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (base %= modulus; exponent != 0; exponent >>= 1, base = base * base % modulus) {
        if ((exponent & 1) != 0) {
            result = result * base % modulus;
        }
    }
    return result;
}

/* psi^-brv(i), i < n. */
static uint32_t *inverse_roots(const fixture *fixture, const isopod_prime *prime) {
    uint32_t *roots = check_memory((size_t)4 * fixture->n),
             bits = fixture->params->log2_ring_degree;
    uint64_t q = prime->modulus, value = 1, inverse = power(prime->root, q - 2, q);
    for (uint32_t i = 0; i < fixture->n; i++, value = value * inverse % q) {
        uint32_t reversed = 0;
        for (uint32_t b = 0; b < bits; b++) {
            reversed |= (i >> b & 1u) << (bits - 1 - b);
        }
        roots[reversed] = (uint32_t)value;
    }
    return roots;
}

/* Textbook inverse of the negacyclic NTT: Gentleman-Sande, bit-reversed in, natural out, division
 * everywhere. */
static void reference_inverse(uint32_t *x, const fixture *fixture, uint32_t prime) {
    uint64_t q = fixture->params->primes[prime].modulus;
    uint32_t n = fixture->n;
    size_t mark = check_memory_mark();
    const uint32_t *roots = inverse_roots(fixture, &fixture->params->primes[prime]);
    for (uint32_t blocks = n / 2, half = 1; blocks >= 1; blocks /= 2, half *= 2) {
        for (uint32_t g = 0; g < blocks; g++) {
            for (uint32_t i = 2 * half * g; i < 2 * half * g + half; i++) {
                uint64_t low = x[i], high = x[i + half];
                x[i] = (uint32_t)((low + high) % q);
                x[i + half] = (uint32_t)((low + q - high) * roots[blocks + g] % q);
            }
        }
    }
    uint64_t scale = power(n, q - 2, q);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (uint32_t)(x[i] * scale % q);
    }
    check_memory_release(mark);
}

typedef struct {
    uint32_t *c0;
    uint32_t *c1;
} ciphertext;

/* Secret key: CBD(21), variance 10.5, |x| <= 21. Public key: variance 10.5*(1 + 4n/3), |x| below 8
 * deviations. */
static void check_noise(const fixture *fixture, const uint32_t *noisy, const uint32_t *message,
                        uint32_t q) {
    uint64_t squares = 0, largest = 0;
    for (uint32_t i = 0; i < fixture->n; i++) {
        uint64_t difference = ((uint64_t)noisy[i] + q - message[i]) % q;
        uint64_t magnitude = difference > q / 2 ? q - difference : difference;
        largest = magnitude > largest ? magnitude : largest;
        squares += magnitude < 65536 ? magnitude * magnitude : (uint64_t)1 << 40;
    }
    uint32_t is_public = fixture->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED;
    uint64_t expected =
        (is_public ? 2 * (3 + 4 * (uint64_t)fixture->n) * 21 / 12 : 10) * fixture->n;
    CHECK(squares > expected * 8 / 10 && squares < expected * 12 / 10);
    CHECK(is_public ? largest * largest < 64 * expected / fixture->n : largest <= 21);
}

static void secret_ntt(const fixture *fixture, uint8_t prime, uint32_t *out) {
    isopod_ntt ntt = isopod_ntt_of(fixture->params, &fixture->tables, prime);
    isopod_polynomial secret = {isopod_load_ternary, fixture->ternary, NULL,
                                ntt.prime,           fixture->n,       1};
    isopod_polynomial_ntt((int32_t *)out, &secret, &ntt);
    isopod_canonical_all((int32_t *)out, fixture->n, ntt.prime);
}

static void decrypt_and_check(fixture *fixture, const isopod_values *values, const uint8_t *packed,
                              const uint8_t *mask_seed) {
    uint32_t refill = 0;
    uint32_t *message = check_memory((size_t)4 * fixture->n);
    uint32_t *secret = check_memory((size_t)4 * fixture->n);
    ciphertext received = {check_memory((size_t)4 * fixture->n),
                           check_memory((size_t)4 * fixture->n)};
    for (uint8_t j = 0; j < fixture->params->prime_count; j++) {
        uint64_t q = fixture->params->primes[j].modulus;
        packed = fixture_unpack(fixture, j, packed, received.c0, received.c1);
        if (fixture->key.kind >= ISOPOD_KEY_SECRET_TERNARY) {
            isopod_mask_expand(received.c1, fixture->config.suite, mask_seed, fixture->params, j,
                               &refill);
        }
        secret_ntt(fixture, j, secret);
        for (uint32_t i = 0; i < fixture->n; i++) {
            received.c0[i] =
                (uint32_t)((received.c0[i] + (uint64_t)received.c1[i] * secret[i]) % q);
        }
        reference_inverse(received.c0, fixture, j);
        fixture_message(fixture, values, j, message);
        check_noise(fixture, received.c0, message, (uint32_t)q);
    }
}

/* Gives the mask seed of the encryption that follows from the same entropy. */
static void peek_mask_seed(fixture *fixture, const isopod_values *values, uint8_t *mask_seed) {
    isopod_ckks context;
    CHECK(isopod_ckks_begin(&context, &fixture->config, &fixture->encryptor, values) == ISOPOD_OK);
    for (size_t i = 0; i < sizeof context.mask_seed; i++) {
        mask_seed[i] = context.mask_seed[i];
    }
    isopod_ckks_abort(&context);
}

static void encrypt_case(const isopod_ckks_params *params, isopod_key_kind kind,
                         const isopod_suite *suite, uint8_t chunks) {
    fixture fixture;
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
    check_memory_reset();
    fixture_open(&fixture, params, kind);
    fixture_configure(&fixture, suite, chunks);
    isopod_values values = {fixture_values(fixture.n / 2, fixture.config.log2_bound, 7),
                            fixture.n / 2, ISOPOD_VALUES_FLOAT32};
    uint8_t *packed = check_memory((size_t)8 * fixture.n * params->prime_count);
    peek_mask_seed(&fixture, &values, mask_seed);
    fixture_configure(&fixture, suite, chunks);
    if (fixture_encrypt(&fixture, &values, packed, 1000) > 0) {
        decrypt_and_check(&fixture, &values, packed, mask_seed);
    }
}

void test_encryption(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        const isopod_ckks_params *params = isopod_ckks_sets[s];
        uint32_t chunk_choices = params->log2_ring_degree > 12 ? 2 : 4;
        for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
            for (uint32_t c = 0; c < chunk_choices; c++) {
                uint32_t chunks = chunk_choices == 4 ? 1u << c : 1u << (3 * c);
                const isopod_suite *suite = suites[(kind + c) % 3];
                check_case(params->name, kind * 10 + chunks);
                encrypt_case(params, (isopod_key_kind)kind, suite, (uint8_t)chunks);
            }
        }
    }
}
