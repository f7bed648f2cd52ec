/* The distribution of TFHE errors against theory. TUniform(b): every pattern of b + 2 bits gives
 * the documented value, so interior values are twice as likely as the ends, exactly. Gaussian:
 * every threshold from both sides, then moments and histogram of many samples. */
#include "../../src/tfhe/error/error.h"
#include "../../src/tfhe/error/gaussian_thresholds.h"
#include "../../src/random/suite_block.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../harness/vector_input.h"

/* Fields x, x + 1, ... of 32 samples packed by the rule of the contract, bit by bit. */
static void pack_fields(uint32_t *words, uint32_t first, uint32_t width) {
    for (uint32_t w = 0; w < width; w++) {
        words[w] = 0;
    }
    for (uint32_t i = 0; i < 32 * width; i++) {
        uint32_t field = (first + i / width) & ((1u << width) - 1u);
        words[i / 32] |= (field >> (i % width) & 1u) << (i % 32);
    }
}

static void check_tuniform(uint32_t log2_bound, uint32_t step) {
    uint32_t width = log2_bound + 2, words[19 + ISOPOD_ERROR_READ_BEHIND];
    int32_t out[32];
    check_case("TUniform", log2_bound);
    for (uint32_t first = 0; first < 1u << width; first += step) {
        pack_fields(words, first, width);
        isopod_error_tuniform(out, log2_bound, words);
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t x = (first + i) & ((1u << width) - 1u);
            CHECK_QUIET(out[i] == (int32_t)(x / 2 + x % 2) - (1 << log2_bound));
        }
    }
}

/* Sample 7 from these three draws; the others come from zeros, which give 0. */
static int32_t gaussian_of(uint32_t first, uint32_t second, uint32_t third) {
    uint32_t words[96] = {0};
    int32_t out[32];
    words[7] = first;
    words[16 + 7] = second;
    words[32 + 7] = third;
    isopod_error_gaussian(out, words);
    CHECK_QUIET(out[6] == 0 && out[8] == 0 && out[31] == 0);
    return out[7];
}

static void check_thresholds(void) {
    check_case("thresholds", 0);
    for (int32_t x = 0; x < (int32_t)ISOPOD_GAUSSIAN_THRESHOLDS; x++) {
        uint32_t threshold = isopod_gaussian_thresholds[x];
        CHECK_QUIET(gaussian_of(2 * (threshold - 1), 0, 0) == x);
        CHECK_QUIET(gaussian_of(2 * threshold, 0, 0) == x + 1);
        CHECK_QUIET(gaussian_of(2 * threshold + 1, 0, 0) == -(x + 1));
        CHECK_QUIET(gaussian_of(0, 2 * threshold, 0) == 5 * (x + 1));
        CHECK_QUIET(gaussian_of(0, 0, 2 * threshold + 1) == -25 * (x + 1));
    }
    CHECK(gaussian_of(0xffffffffu, 0xffffffffu, 0xffffffffu) == -992);
    CHECK(gaussian_of(0xfffffffeu, 0xfffffffeu, 0xfffffffeu) == 992);
}

#define SAMPLES 32768u

/* Sum of squares within five deviations of its mean 128^2: the deviation of the mean square is
 * 128^2 sqrt(2 / SAMPLES) = 128. The sum: 128 sqrt(SAMPLES) = 23170. And P(|e| <= 86) = 0.5004 by
 * the Gaussian, SAMPLES * that within five deviations of 90.5. */
static void check_moments(void) {
    uint32_t words[ISOPOD_GAUSSIAN_WORDS];
    int32_t out[32];
    int64_t sum = 0, squares = 0;
    uint32_t within = 0;
    uint8_t key[32];
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0, 0};
    check_case("moments", 0);
    fixture_bytes(key, 0x77, sizeof key);
    isopod_stream_start(&stream, &isopod_suite_chacha20, key, name);
    for (uint32_t i = 0; i < SAMPLES / 32; i++) {
        isopod_stream_words(&stream, words, ISOPOD_GAUSSIAN_WORDS);
        isopod_error_gaussian(out, words);
        for (uint32_t l = 0; l < 32; l++) {
            sum += out[l];
            squares += (int64_t)out[l] * out[l];
            within += (uint32_t)(out[l] <= 86 && out[l] >= -86);
        }
    }
    check_report("variance", (uint64_t)squares / SAMPLES);
    CHECK(sum < 5 * 23170 && sum > -5 * 23170);
    CHECK(squares / SAMPLES < 16384 + 5 * 128 && squares / SAMPLES > 16384 - 5 * 128);
    CHECK(within < 16397 + 453 && within > 16397 - 453);
}

/* Noise of whole ciphertexts: phase minus message, over the N coefficients. */
static void check_ciphertext(const isopod_tfhe_params *params, uint32_t kind, uint64_t largest) {
    tfhe_fixture set;
    check_memory_reset();
    check_case(params->name, kind);
    tfhe_fixture_open(&set, params, kind);
    isopod_tfhe_values values = tfhe_fixture_values("1*64");
    const uint8_t *bits = values.runs[0].data;
    uint8_t *out = check_memory((size_t)2 * set.n * set.word_bytes + 4096);
    CHECK(tfhe_fixture_encrypt(&set, &values, out, 4096) == (set.n + (size_t)64) * set.word_bytes);
    const uint8_t *bodies = out + (size_t)set.n * set.word_bytes;
    uint64_t worst = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t offset = params->centred ? (uint64_t)1 << (params->log2_delta - 1u) : 0;
        uint64_t noise = tfhe_fixture_word(bodies, set.word_bytes, i) -
                         tfhe_fixture_product(&set, out, i) -
                         ((uint64_t)bits[i] << params->log2_delta) + offset;
        int64_t centred = set.word_bytes == 4 ? (int32_t)(uint32_t)noise : (int64_t)noise;
        uint64_t magnitude = (uint64_t)(centred < 0 ? -centred : centred);
        worst = magnitude > worst ? magnitude : worst;
    }
    check_report("largest of 64", worst);
    CHECK(worst < largest && worst > largest / 50);
}

void test_tfhe_noise(void) {
    check_tuniform(8, 1);
    check_tuniform(17, 32);
    check_tuniform(17, 4099);
    check_thresholds();
    check_moments();
    /* six deviations: 75674 sqrt(1 + 2048/2 * 2) = 2^21.7, 128 sqrt(1 + 1024 * 4/3) = 4732 */
    check_ciphertext(tfhe_fixture_set("tfhe-2048-tfhe-rs"), 17, 6u * 3425000u);
    check_ciphertext(tfhe_fixture_set("tfhe-1024-tfhepp"), 17, 6u * 4732u);
}
