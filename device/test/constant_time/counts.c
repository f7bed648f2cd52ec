/* Encrypts again and again under random secrets, each encryption in marked regions (bench/counter):
 * begin, within it the ternary sampler and this program's own replay of it (boards only: regions of
 * callgrind do not nest), and the pieces. The driver compares the counts.
 *
 * The mask is public and its rejections take time, so all trials have the same one; of the ternary
 * sampler, the number of rejected symbols is printed. Linked with --wrap for both.
 *
 * Usage: counts PROFILE TRIALS all|message, where "message" leaves keys and entropy as they are. */
#include "../../src/memory.h"
#include "../../src/root.h"
#include "../../src/sample.h"
#include "../check.h"
#include "../fixture.h"
#include "counter/markers.h"

#define PIECE_BYTES 512u

typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    const isopod_suite *suite;
    uint8_t chunks;
    int8_t log2_bound;
    isopod_value_type type;
} profile;

static const profile profiles[] = {
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, &isopod_suite_shake256, 4, 0,
     ISOPOD_VALUES_FLOAT64},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 4, 0, ISOPOD_VALUES_INT32},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC_SEEDED, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32},
    {&isopod_ckks_4096x2_linear, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 4, 6,
     ISOPOD_VALUES_FLOAT64},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_UINT32},
    {&isopod_bfv_4096x3_sum, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 4, 0, ISOPOD_VALUES_INT32},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

#if defined(__x86_64__)
static void begin_nested(void) {}
static void end_nested(void) {}
#else
#define begin_nested isopod_region_begin
#define end_nested isopod_region_end
#endif

static uint64_t generator = 0x9e3779b97f4a7c15u;
static uint8_t entropy_first;

/* xorshift64* (Vigna 2016): test input, not randomness. */
static uint32_t next_random(void) {
    generator ^= generator >> 12;
    generator ^= generator << 25;
    generator ^= generator >> 27;
    return (uint32_t)(generator * 0x2545f4914f6cdd1du >> 32);
}

isopod_status __real_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      uint8_t wire_kind);
isopod_status __wrap_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      uint8_t wire_kind);
void __real_isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);
void __wrap_isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);

isopod_status __wrap_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      uint8_t wire_kind) {
    isopod_status status = __real_isopod_root_take(context, noise, wire_kind);
    fixture_bytes(context->mask_seed, 0x30, sizeof context->mask_seed);
    return status;
}

/* Symbols of three that were dropped before the n-th other one. */
static uint32_t rejected_symbols(uint32_t n, isopod_stream *stream) {
    uint32_t word = 0, left = 0, rejected = 0;
    while (n > 0) {
        if (left == 0) {
            isopod_stream_words(stream, &word, 1);
            left = 16;
        }
        rejected += (word & 3u) == 3u;
        n -= (word & 3u) != 3u;
        word >>= 2;
        left--;
    }
    return rejected;
}

static uint32_t rejected;
static int is_measured;

void __wrap_isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    isopod_stream replay = *stream;
    if (!is_measured) {
        __real_isopod_sample_ternary(out, n, stream);
        return;
    }
    begin_nested();
    __real_isopod_sample_ternary(out, n, stream);
    end_nested();
    begin_nested();
    rejected = rejected_symbols(n, &replay);
    end_nested();
}

static int random_fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(next_random() >> 24);
    }
    return 0;
}

static int same_fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    fixture_bytes(out, entropy_first, length);
    return 0;
}

/* Any symbols, any residues: a random secret key in the place of the opened one. Public keys are no
 * secret and stay. */
static void randomise_key(const fixture *set) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    for (uint32_t i = 0; i < set->n / 16 && set->key.kind == ISOPOD_KEY_SECRET_TERNARY; i++) {
        payload[i] = 0;
        for (uint32_t symbol = 0; symbol < 16; symbol++) {
            payload[i] = payload[i] << 2 | next_random() % 3u;
        }
    }
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        for (uint32_t i = 0; i < set->n && set->key.kind == ISOPOD_KEY_SECRET_NTT; i++) {
            *payload++ = next_random() % set->params->primes[j].modulus;
        }
    }
}

/* Signs, zeros, subnormal numbers and every exponent below 2^log2_bound, as bit patterns. */
static uint32_t random_float32(int log2_bound) {
    uint32_t bits = next_random(), exponent = next_random() % (uint32_t)(127 + log2_bound);
    return next_random() % 8u == 0 ? bits & 0x80000000u : (bits & 0x807fffffu) | exponent << 23;
}

static uint64_t random_float64(int log2_bound) {
    uint64_t bits = (uint64_t)next_random() << 32 | next_random();
    uint64_t exponent = (uint64_t)(1022 + log2_bound) - next_random() % 80u;
    return next_random() % 8u == 0 ? bits & 0x8000000000000000u
                                   : (bits & 0x800fffffffffffffu) | exponent << 52;
}

static void randomise_values(void *data, const profile *profile, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        switch (profile->type) {
        case ISOPOD_VALUES_FLOAT32:
            ((uint32_t *)data)[i] = random_float32(profile->log2_bound);
            break;
        case ISOPOD_VALUES_FLOAT64:
            ((uint64_t *)data)[i] = random_float64(profile->log2_bound);
            break;
        case ISOPOD_VALUES_UINT32:
            ((uint32_t *)data)[i] = next_random() % profile->params->plain->modulus;
            break;
        default:
            ((int32_t *)data)[i] = (int32_t)(next_random() % 3u) - 1;
            break;
        }
    }
}

static void encrypt(const fixture *set, const isopod_values *values) {
    static isopod_encryption context;
    static uint8_t out[PIECE_BYTES];
    size_t length;
    isopod_region_begin();
    isopod_status status = fixture_begin(set, &context, values);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    isopod_region_begin();
    while (status == ISOPOD_OK) {
        status = isopod_encryption_next(&context, out, sizeof out, &length);
    }
    isopod_region_end();
    CHECK(status == ISOPOD_DONE);
    check_report("rejected", rejected);
}

static void prepare(fixture *set, const profile *profile) {
    check_memory_reset();
    fixture_open(set, profile->params, profile->kind);
    fixture_configure(set, profile->suite, profile->chunks);
    set->config.log2_bound = profile->log2_bound;
    fixture_workspace(set);
}

static void run(const profile *profile, uint32_t trials, int everything) {
    fixture set;
    prepare(&set, profile);
    is_measured = 1;
    uint32_t count = set.params->plain != NULL ? set.n : set.n / 2;
    void *data = check_memory((size_t)8 * count);
    isopod_values values = {data, count, profile->type};
    set.entropy.fill = everything ? random_fill : same_fill;
    for (uint32_t trial = 0; trial < trials; trial++) {
        if (everything) {
            randomise_key(&set);
        }
        set.entropy.counter = everything ? next_random() : 0;
        isopod_wipe(set.entropy.fingerprint, sizeof set.entropy.fingerprint);
        randomise_values(data, profile, count);
        encrypt(&set, &values);
    }
}

static uint32_t number(const char *text) {
    uint32_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (uint32_t)(*text - '0');
    }
    return value;
}

int main(int argc, char **argv) {
    if (argc != 4 || number(argv[1]) >= PROFILES) {
        platform_write("usage: counts PROFILE TRIALS all|message\n");
        return 2;
    }
    run(&profiles[number(argv[1])], number(argv[2]), fixture_is_text(argv[3], "all"));
    return check_summary() == 0 ? 0 : 1;
}
