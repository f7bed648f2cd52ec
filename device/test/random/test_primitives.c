/* Published known answers: ChaCha20 and Poly1305 of RFC 8439 (2.3.2, A.1, A.3), HChaCha20 of the
 * XChaCha draft (2.2.1), SHA3-256 and SHAKE-256 of FIPS 202 as in NIST's example values. */
#include "../../src/random/chacha20.h"
#include "../../src/random/keccak.h"
#include "../../src/base/memory.h"
#include "../../src/ring/packing.h"
#include "../../src/tag/poly1305.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static void check_chacha20(void) {
    uint8_t key[32], nonce[16];
    uint32_t block[16];
    uint32_t input[4] = {1, 0x09000000u, 0x4a000000u, 0};
    check_case("ChaCha20", 0);
    fixture_bytes(key, 0, sizeof key);
    isopod_chacha20_block(block, key, input);
    CHECK(fixture_is_hex((uint8_t *)block, 64,
                         "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                         "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"));
    for (uint32_t i = 0; i < 4; i++) {
        input[i] = 0;
    }
    for (uint32_t i = 0; i < sizeof key; i++) {
        key[i] = 0;
    }
    isopod_chacha20_block(block, key, input);
    CHECK(fixture_is_hex((uint8_t *)block, 64,
                         "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                         "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"));
    uint8_t subkey[32];
    fixture_bytes(key, 0, sizeof key);
    fixture_from_hex(nonce, "000000090000004a0000000031415927");
    isopod_hchacha20(subkey, key, nonce);
    CHECK(fixture_is_hex(subkey, sizeof subkey,
                         "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"));
}

#define MOST_BLOCKS 41u

/* Any number of blocks at once equals as many single ones, also where the counter wraps. */
static void check_chacha20_runs(void) {
    static uint32_t together[ISOPOD_CHACHA20_WORDS * (MOST_BLOCKS + 1)];
    uint8_t key[32];
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    check_case("ChaCha20, blocks at once", MOST_BLOCKS);
    fixture_bytes(key, 9, sizeof key);
    for (uint32_t count = 0; count <= MOST_BLOCKS; count++) {
        uint32_t input[4] = {0u - count / 2u, 1, 0x80000000u, 3};
        together[ISOPOD_CHACHA20_WORDS * count] = 77;
        isopod_chacha20_blocks(together, key, input, count);
        CHECK_QUIET(together[ISOPOD_CHACHA20_WORDS * count] == 77);
        for (uint32_t i = 0; i < count; i++, input[0]++) {
            isopod_chacha20_block(block, key, input);
            CHECK_QUIET(isopod_equal((const uint8_t *)block,
                                     (const uint8_t *)(together + ISOPOD_CHACHA20_WORDS * i),
                                     sizeof block));
        }
    }
    CHECK(together[0] != 77);
}

typedef struct {
    const char *key;
    const char *message;
    const char *tag;
} poly1305_answer;

/* RFC 8439, A.3, vectors 1 and 7 to 12, over whole blocks: they carry, wrap and saturate. */
static const poly1305_answer poly1305_answers[8] = {
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000000000000000",
     "00000000000000000000000000000000"},
    {"0200000000000000000000000000000000000000000000000000000000000000",
     "ffffffffffffffffffffffffffffffff", "03000000000000000000000000000000"},
    {"02000000000000000000000000000000ffffffffffffffffffffffffffffffff",
     "02000000000000000000000000000000", "03000000000000000000000000000000"},
    {"0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000"
     "000",
     "05000000000000000000000000000000"},
    {"0100000000000000000000000000000000000000000000000000000000000000",
     "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010"
     "101",
     "00000000000000000000000000000000"},
    {"0200000000000000000000000000000000000000000000000000000000000000",
     "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"},
    {"0100000000000000040000000000000000000000000000000000000000000000",
     "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000"
     "000010000000000000000"
     "00000000000000",
     "14000000000000005500000000000000"},
    {"0100000000000000040000000000000000000000000000000000000000000000",
     "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000"
     "000",
     "13000000000000000000000000000000"},
};

static void check_poly1305(void) {
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t key[8], accumulator[5], multiplier[4];
        uint8_t block[16], tag[16];
        char digits[33] = {0};
        check_case("Poly1305", i);
        fixture_from_hex((uint8_t *)key, poly1305_answers[i].key);
        isopod_poly1305_start(accumulator, multiplier, key);
        for (const char *at = poly1305_answers[i].message; *at != '\0'; at += 32) {
            isopod_copy((uint8_t *)digits, (const uint8_t *)at, 32);
            fixture_from_hex(block, digits);
            isopod_poly1305_blocks(accumulator, multiplier, block, 1);
        }
        isopod_poly1305_finish(tag, accumulator, key + 4);
        CHECK(fixture_is_hex(tag, sizeof tag, poly1305_answers[i].tag));
    }
}

static void sponge_of(isopod_keccak *sponge, const uint8_t *in, size_t length, uint8_t padding) {
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, in, length / 3);
    isopod_keccak_absorb(sponge, in + length / 3, length - length / 3);
    isopod_keccak_finish(sponge, padding);
}

static void check_sha3(void) {
    uint8_t text[200], digest[32];
    isopod_keccak sponge;
    check_case("SHA3-256", 0);
    for (uint32_t i = 0; i < sizeof text; i++) {
        text[i] = 0xa3;
    }
    sponge_of(&sponge, text, sizeof text, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    CHECK(fixture_is_hex(digest, 32,
                         "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787"));
    CHECK(fixture_has_digest("", 0,
                             "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"));
    CHECK(fixture_has_digest("abc", 3,
                             "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"));
}

static void check_shake256(void) {
    uint8_t text[200], out[512];
    isopod_keccak sponge;
    check_case("SHAKE-256", 0);
    sponge_of(&sponge, (const uint8_t *)"", 0, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, 64);
    CHECK(fixture_is_hex(out, 64,
                         "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"
                         "d75dc4ddd8c0f200cb05019d67b592f6fc821c49479ab48640292eacb3b7c4be"));
    for (uint32_t i = 0; i < sizeof text; i++) {
        text[i] = 0xa3;
    }
    sponge_of(&sponge, text, sizeof text, ISOPOD_SHAKE256_PADDING);
    for (uint32_t at = 0, step = 1; at < sizeof out; at += step, step = step * 3 % 101) {
        step = step < sizeof out - at ? step : (uint32_t)sizeof out - at;
        isopod_keccak_squeeze(&sponge, out + at, step);
    }
    CHECK(fixture_is_hex(out + 480, 32,
                         "6a1a9d7846436e4dca5728b6f760eef0ca92bf0be5615e96959d767197a0beeb"));
}

/* Bytes left out and inserted later count as absorbed in their place. */
static void check_insert(void) {
    _Alignas(4) uint8_t text[112], wanted[32], found[32];
    isopod_keccak sponge;
    fixture_bytes(text, 1, sizeof text);
    sponge_of(&sponge, text, sizeof text, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, wanted, sizeof wanted);
    for (uint32_t at = 0; at < 72; at++) {
        uint32_t length = 1 + at % 40;
        check_case("insert", at);
        isopod_keccak_start(&sponge);
        isopod_keccak_absorb(&sponge, text, at);
        sponge.position += length;
        isopod_keccak_absorb(&sponge, text + at + length, sizeof text - at - length);
        isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
        isopod_keccak_insert(&sponge, at, text + at, length);
        isopod_keccak_squeeze(&sponge, found, sizeof found);
        CHECK(isopod_equal(found, wanted, sizeof found));
    }
}

/* Compares packing with one bit at a time. */
static void check_packing(void) {
    for (uint32_t bits = 21; bits <= 30; bits++) {
        uint32_t residues[64], packed[64], state = 7, wrong = 0;
        check_case("packing", bits);
        for (uint32_t i = 0; i < 64; i++) {
            state = state * 1664525u + 1013904223u;
            residues[i] = packed[i] = i < 4 ? (1u << bits) - 1u - i % 2 : state >> (32 - bits);
        }
        CHECK(isopod_pack_in_place(packed, 64, bits) == 8 * bits);
        for (uint32_t i = 0; i < 64 * bits; i++) {
            uint32_t bit = (uint32_t)((uint8_t *)packed)[i / 8] >> (i % 8) & 1u;
            wrong += bit != (residues[i / bits] >> (i % bits) & 1u);
        }
        CHECK(wrong == 0);
    }
}

static void check_wipe(void) {
    uint8_t bytes[40];
    for (uint32_t first = 0; first < 8; first++) {
        for (uint32_t length = 0; length <= 24; length++) {
            uint32_t wrong = 0;
            check_case("wipe", 100 * first + length);
            fixture_bytes(bytes, 1, sizeof bytes);
            isopod_wipe(bytes + first, length);
            for (uint32_t i = 0; i < sizeof bytes; i++) {
                wrong += bytes[i] != (i >= first && i < first + length ? 0 : i + 1);
            }
            CHECK(wrong == 0);
        }
    }
}

void test_primitives(void) {
    check_chacha20();
    check_chacha20_runs();
    check_poly1305();
    check_sha3();
    check_shake256();
    check_insert();
    check_packing();
    check_wipe();
}
