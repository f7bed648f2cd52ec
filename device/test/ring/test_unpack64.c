/* Fields of every width that a 64-bit prime may have, at any address: unpacking, multiplying, and
 * finding those not below the modulus. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#define ISOPOD_WORD_BITS 64
#include "../../src/base/memory.h"
#include "../../src/ring/montgomery.h"
#include "../../src/ring/unpack.h"

#define COUNT (3u * ISOPOD_UNPACK_GROUP)
#define LEAST_BITS 21u
#define MOST_BITS 60u

/* An odd modulus of this many bits; it need not be prime here. */
static isopod_prime64 modulus_of(uint32_t bits) {
    isopod_prime64 prime = {.modulus = ((uint64_t)1 << bits) - ((uint64_t)1 << bits / 2) + 1u,
                            .bits = bits,
                            .inverse = 1};
    uint64_t square = 1;
    for (uint32_t i = 0; i < 6; i++) {
        prime.inverse *= 2u - prime.modulus * prime.inverse;
    }
    for (uint32_t i = 0; i < 128; i++) {
        square = 2 * square >= prime.modulus ? 2 * square - prime.modulus : 2 * square;
    }
    prime.montgomery_square = square;
    return prime;
}

static uint64_t random_below(uint64_t modulus, uint32_t *state) {
    uint64_t high = vector_next(state);
    return (high << 32 | vector_next(state)) % modulus;
}

/* Packs fields at the end of their memory, behind `offset` bytes. */
static uint8_t *pack(const uint64_t *fields, uint32_t bits, uint32_t offset) {
    uint8_t *packed = check_memory(offset + COUNT / 8u * bits) + (offset % 4u);
    for (uint32_t i = 0; i < COUNT * bits; i++) {
        packed[i / 8] |= (uint8_t)((fields[i / bits] >> i % bits & 1u) << i % 8);
    }
    return packed;
}

static void check_products(const int64_t *x, const uint64_t *fields, const uint64_t *key,
                           const isopod_prime64 *prime) {
    int64_t one = isopod_montgomery_one(prime), q = (int64_t)prime->modulus;
    for (uint32_t i = 0; i < COUNT; i++) {
        int64_t product = isopod_montgomery((int64_t)fields[i], (int64_t)key[i], prime);
        int64_t taken = isopod_montgomery((int64_t)fields[COUNT - 1u - i], one, prime);
        CHECK_QUIET(x[i] > -q && x[i] < q && (x[i] - (product - taken)) % q == 0);
    }
}

static void check_width(uint32_t bits, uint32_t offset) {
    isopod_prime64 prime = modulus_of(bits);
    uint64_t *fields = check_memory(8u * COUNT), *key = check_memory(8u * COUNT);
    int64_t *x = check_memory(8u * COUNT);
    uint32_t state = VECTOR_FIRST + bits;
    for (uint32_t i = 0; i < COUNT; i++) {
        fields[i] = i % 7 == 0 ? prime.modulus - 1u : random_below(prime.modulus, &state);
        key[i] = i % 5 == 0 ? prime.modulus - 1u : random_below(prime.modulus, &state);
    }
    const uint8_t *packed = pack(fields, bits, offset);
    CHECK(isopod_unpack(x, packed, COUNT, &prime) >> 31 == 0);
    CHECK(isopod_equal((uint8_t *)x, (uint8_t *)fields, 8u * COUNT));
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = (int64_t)fields[COUNT - 1u - i];
    }
    CHECK(isopod_unpack_multiply(x, packed, key, COUNT, &prime) >> 31 == 0);
    check_products(x, fields, key, &prime);
    for (uint32_t i = 0; i < COUNT; i += 31) {
        uint64_t right = fields[i];
        fields[i] = i % 2 == 0 ? prime.modulus : ((uint64_t)1 << bits) - 1u;
        packed = pack(fields, bits, offset);
        CHECK(isopod_unpack(x, packed, COUNT, &prime) >> 31 == 1);
        CHECK(isopod_unpack_multiply(x, packed, key, COUNT, &prime) >> 31 == 1);
        fields[i] = right;
    }
}

void test_unpack64(void) {
    for (uint32_t bits = LEAST_BITS; bits <= MOST_BITS; bits++) {
        for (uint32_t offset = 0; offset < 4; offset++) {
            check_memory_reset();
            check_case("bits", bits);
            check_width(bits, offset);
        }
    }
}
