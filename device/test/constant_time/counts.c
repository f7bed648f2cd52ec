/* Encrypts, decrypts or makes keys again and again under random secrets, each time in marked
 * regions (bench/counter): a beginning, within it the ternary sampler and this program's own replay
 * of it (boards only: regions of callgrind do not nest), and the rest. The driver compares the
 * counts.
 *
 * The mask is public and its rejections take time, so all trials share one; of the ternary
 * sampler, the number of rejected symbols is printed. Linked with --wrap for both. Profiles are
 * those below, then those of counts_owner.c, counts_tfhe.c and counts_packet.c.
 *
 * Usage: counts PROFILE TRIALS all|message, where "message" leaves keys and entropy as they are. */
#include "counts.h"

#include "../../src/base/memory.h"
#include "../../src/encrypt/method.h"
#include "../../src/random/sample.h"
#include "../harness/check.h"
#include "counter/markers.h"

#define PIECE_BYTES 512u

typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    const isopod_suite *suite;
    uint8_t chunks;
    int8_t log2_bound;
    isopod_value_type type;
    isopod_layout layout;
    uint8_t level;        /* 0: all primes */
    uint8_t has_products; /* of the values, computed on the way */
} profile;

static const profile profiles[] = {
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32, ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, &isopod_suite_shake256, 4, 0,
     ISOPOD_VALUES_FLOAT64, ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 4, 0, ISOPOD_VALUES_INT32,
     ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC_SEEDED, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32, ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_4096x2_linear, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 4, 6,
     ISOPOD_VALUES_FLOAT64, ISOPOD_SLOTS, 0, 0},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_UINT32, ISOPOD_SLOTS, 0, 0},
    {&isopod_bfv_4096x3_sum, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 4, 0, ISOPOD_VALUES_INT32,
     ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 2, 0,
     ISOPOD_VALUES_FLOAT32, ISOPOD_COMPLEX, 0, 0},
    {&isopod_bfv_4096x2w_seal_default, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 4, 0,
     ISOPOD_VALUES_UINT32, ISOPOD_SLOTS, 0, 0},
    {&isopod_ckks_8192x3w_sum, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 4, 3,
     ISOPOD_VALUES_FLOAT64, ISOPOD_SLOTS, 1, 0},
    {&isopod_bfv_4096x2w_seal_default, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 2, 0,
     ISOPOD_VALUES_INT32, ISOPOD_SLOTS, 1, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32, ISOPOD_COEFFICIENTS_ROUNDED, 0, 0},
    {&isopod_ckks_2048x2_air, ISOPOD_KEY_PUBLIC, &isopod_suite_chacha20, 2, 6,
     ISOPOD_VALUES_FLOAT64, ISOPOD_COEFFICIENTS_ROUNDED, 0, 0},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_TERNARY, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_INT32, ISOPOD_COEFFICIENTS_ROUNDED, 0, 0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_FLOAT32, ISOPOD_COEFFICIENTS_ROUNDED, 0, 1},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1, 0,
     ISOPOD_VALUES_INT32, ISOPOD_COEFFICIENTS_ROUNDED, 0, 1},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])
#define PACKETS (PROFILES + COUNTS_OWNER_PROFILES + COUNTS_TFHE_PROFILES) /* the first one */

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
uint32_t counts_random(void) {
    generator ^= generator >> 12;
    generator ^= generator << 25;
    generator ^= generator >> 27;
    return (uint32_t)(generator * 0x2545f4914f6cdd1du >> 32);
}

isopod_status __real_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      const uint8_t *hedge);
isopod_status __wrap_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      const uint8_t *hedge);
void __real_isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);
void __wrap_isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);

isopod_status __wrap_isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                      const uint8_t *hedge) {
    isopod_status status = __real_isopod_root_take(context, noise, hedge);
    fixture_bytes(context->mask_seed, 0x30, sizeof context->mask_seed);
    return status;
}

isopod_status __real_isopod_root_take_keys(isopod_entropy *source, const isopod_params *params,
                                           isopod_key_seeds *seeds);
isopod_status __wrap_isopod_root_take_keys(isopod_entropy *source, const isopod_params *params,
                                           isopod_key_seeds *seeds);

isopod_status __wrap_isopod_root_take_keys(isopod_entropy *source, const isopod_params *params,
                                           isopod_key_seeds *seeds) {
    isopod_status status = __real_isopod_root_take_keys(source, params, seeds);
    fixture_bytes(seeds->mask_seed, 0x30, sizeof seeds->mask_seed);
    return status;
}

/* Symbols that the ternary sampler rejects before it has kept n. */
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

void counts_measure(void) {
    is_measured = 1;
}

void counts_report(void) {
    check_report("rejected", rejected);
    is_measured = 0;
}

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

int counts_random_fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(counts_random() >> 24);
    }
    return 0;
}

static int same_fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    fixture_bytes(out, entropy_first, length);
    return 0;
}

void counts_randomise_symbols(uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        words[i] = 0;
        for (uint32_t symbol = 0; symbol < 16; symbol++) {
            words[i] = words[i] << 2 | counts_random() % 3u;
        }
    }
}

/* A random residue: 32 bits, or 64 under a set of 64-bit primes. */
static uint32_t *put_residue(uint32_t *at, const isopod_params *params, uint32_t prime) {
    if (params->primes64 == NULL) {
        *at = counts_random() % params->primes[prime].modulus;
        return at + 1;
    }
    uint64_t high = (uint64_t)counts_random() << 32;
    isopod_store64((uint8_t *)at, (high | counts_random()) % params->primes64[prime].modulus);
    return at + 2;
}

void counts_randomise_key(const fixture *set) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    if (set->key.kind == ISOPOD_KEY_SECRET_TERNARY) {
        counts_randomise_symbols(payload, set->n / 16);
    }
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        for (uint32_t i = 0; i < set->n && set->key.kind == ISOPOD_KEY_SECRET_NTT; i++) {
            payload = put_residue(payload, set->params, j);
        }
    }
}

/* Signs, zeros, subnormal numbers and every exponent below 2^log2_bound, as bit patterns. */
static uint32_t random_float32(int log2_bound) {
    uint32_t bits = counts_random(), exponent = counts_random() % (uint32_t)(127 + log2_bound);
    return counts_random() % 8u == 0 ? bits & 0x80000000u : (bits & 0x807fffffu) | exponent << 23;
}

static uint64_t random_float64(int log2_bound) {
    uint64_t bits = (uint64_t)counts_random() << 32 | counts_random();
    uint64_t exponent = (uint64_t)(1022 + log2_bound) - counts_random() % 80u;
    return counts_random() % 8u == 0 ? bits & 0x8000000000000000u
                                     : (bits & 0x800fffffffffffffu) | exponent << 52;
}

void counts_randomise_values(const fixture *set, const isopod_values *values) {
    void *data = (void *)(uintptr_t)values->data;
    for (uint32_t i = 0; i < values->count; i++) {
        switch (values->type) {
        case ISOPOD_VALUES_FLOAT32:
            ((uint32_t *)data)[i] = random_float32(set->config.log2_bound);
            break;
        case ISOPOD_VALUES_FLOAT64:
            ((uint64_t *)data)[i] = random_float64(set->config.log2_bound);
            break;
        case ISOPOD_VALUES_UINT32:
            ((uint32_t *)data)[i] = counts_random() % (set->params->plain->modulus / 2u);
            break;
        default:
            ((int32_t *)data)[i] = (int32_t)(counts_random() % 3u) - 1;
            break;
        }
    }
}

static void encrypt(const fixture *set, const isopod_values *values) {
    static isopod_encryption context;
    static uint8_t out[PIECE_BYTES];
    size_t length;
    counts_measure();
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
    counts_report();
}

static void encrypt_rounded(const fixture *set, const isopod_values *values) {
    static isopod_rounded context;
    static uint8_t out[PIECE_BYTES];
    const isopod_value_source ready = {.values = *values};
    const isopod_value_source source =
        set->config.rounding->columns != 0 ? rounded_products(set, values) : ready;
    size_t length;
    counts_measure();
    isopod_region_begin();
    isopod_status status = rounded_begin(set, &context, &source);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    isopod_region_begin();
    while (status == ISOPOD_OK) {
        status = isopod_rounded_next(&context, out, sizeof out, &length);
    }
    isopod_region_end();
    CHECK(status == ISOPOD_DONE);
    counts_report();
}

static void prepare(fixture *set, const profile *profile) {
    check_memory_reset();
    fixture_open(set, profile->params, profile->kind);
    fixture_configure(set, profile->suite, profile->chunks);
    set->config.log2_bound = profile->log2_bound;
    fixture_layout(set, profile->layout);
    set->config.level = profile->level;
    if (profile->layout == ISOPOD_COEFFICIENTS_ROUNDED) {
        rounded_configure(set);
    } else {
        fixture_workspace(set);
    }
    if (profile->has_products) {
        rounded_configure_products(set);
    }
}

/* Integers of BFV, and those in rounded coefficients, get both linear tags, under other keys in
 * each trial. */
static void randomise_linear_key(fixture *set, isopod_value_type type) {
    static isopod_linear_key key;
    isopod_linear_secrets secrets = {.period = 1};
    const int are_integers = type != ISOPOD_VALUES_FLOAT32 && type != ISOPOD_VALUES_FLOAT64;
    if (are_integers &&
        (set->config.layout == ISOPOD_COEFFICIENTS_ROUNDED || set->params->plain != NULL)) {
        (void)counts_random_fill(NULL, secrets.group, sizeof secrets.group);
        (void)counts_random_fill(NULL, secrets.device, sizeof secrets.device);
        isopod_linear_key_open_columns(&key, &secrets);
        set->config.linear_key = &key;
    }
}

static void run(const profile *profile, uint32_t trials, int everything) {
    fixture set;
    prepare(&set, profile);
    randomise_linear_key(&set, profile->type);
    uint32_t count = set.params->plain != NULL ? set.n : set.n / 2;
    isopod_values values = {check_memory((size_t)8 * count), count, profile->type};
    if (profile->layout == ISOPOD_COMPLEX) {
        values.count = count / 2; /* complex values, each a pair in the same memory */
    }
    isopod_values numbers = {values.data, count, profile->type};
    set.entropy.fill = everything ? counts_random_fill : same_fill;
    set.config.hedge_without_values = !everything; /* other noise would reject other symbols */
    for (uint32_t trial = 0; trial < trials; trial++) {
        if (everything) {
            counts_randomise_key(&set);
            randomise_linear_key(&set, profile->type);
        }
        /* The place of a tag's pad in its block is that of the sequence among eight: public. */
        set.sender.sequence = everything ? counts_random() / 8u * 8u : 0;
        isopod_wipe(set.entropy.fingerprint, sizeof set.entropy.fingerprint);
        counts_randomise_values(&set, &numbers);
        (profile->layout == ISOPOD_COEFFICIENTS_ROUNDED ? encrypt_rounded : encrypt)(&set, &values);
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
    uint32_t chosen = argc == 4 ? number(argv[1]) : UINT32_MAX;
    if (chosen >= PACKETS + COUNTS_PACKET_PROFILES) {
        platform_write("usage: counts PROFILE TRIALS all|message\n");
        return 2;
    }
    if (chosen < PROFILES) {
        run(&profiles[chosen], number(argv[2]), fixture_is_text(argv[3], "all"));
    } else if (chosen < PROFILES + COUNTS_OWNER_PROFILES) {
        counts_owner(chosen - PROFILES, number(argv[2]));
    } else if (chosen < PACKETS) {
        counts_tfhe(chosen - PROFILES - COUNTS_OWNER_PROFILES, number(argv[2]));
    } else {
        counts_packet(chosen - PACKETS, number(argv[2]));
    }
    return check_summary() == 0 ? 0 : 1;
}
