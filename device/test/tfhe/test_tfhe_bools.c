/* Booleans of a message, in any number and alignment: each is checked and becomes one field. */
#include "../../src/tfhe/bools.h"
#include "../harness/check.h"
#include "../harness/tests.h"

#define MOST 112u

static uint8_t bools[MOST + 1];

static void check_valid(uint32_t count, uint32_t offset) {
    for (uint32_t i = 0; i < sizeof bools; i++) {
        bools[i] = 2; /* bytes beside the values, not to be read */
    }
    for (uint32_t i = 0; i < count; i++) {
        bools[offset + i] = i * 5 / 3 & 1u;
    }
    CHECK_QUIET(isopod_bools_are_valid(bools + offset, count) == 1);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t bit = 1; bit < 8; bit++) {
            bools[offset + i] ^= (uint8_t)(1u << bit);
            CHECK_QUIET(isopod_bools_are_valid(bools + offset, count) == 0);
            bools[offset + i] ^= (uint8_t)(1u << bit);
        }
    }
}

static void check_packed(uint32_t words, uint32_t offset) {
    uint32_t out[MOST / ISOPOD_BOOLS_GROUP + 1], z = 12345;
    for (uint32_t i = 0; i < sizeof bools; i++) {
        z = z * 1664525u + 1013904223u;
        bools[i] = (uint8_t)(z >> 31);
    }
    out[words] = 77;
    isopod_bools_pack(out, bools + offset, words);
    for (uint32_t i = 0; i < words * ISOPOD_BOOLS_GROUP; i++) {
        uint32_t field = out[i / ISOPOD_BOOLS_GROUP] >> 2 * (i % ISOPOD_BOOLS_GROUP) & 3u;
        CHECK_QUIET(field == bools[offset + i]);
    }
    CHECK_QUIET(out[words] == 77);
}

void test_tfhe_bools(void) {
    for (uint32_t offset = 0; offset < 2; offset++) {
        check_case("booleans from offset", offset);
        for (uint32_t count = 0; count <= MOST; count++) {
            check_valid(count, offset);
        }
        for (uint32_t words = 0; words <= MOST / ISOPOD_BOOLS_GROUP; words++) {
            check_packed(words, offset);
        }
        CHECK(isopod_bools_are_valid(bools + offset, MOST) == 1);
    }
}
