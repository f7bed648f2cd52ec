/* Seeds and nonces never repeat and depend on sender, values, key, suite and kind. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define ENCRYPTIONS 48u

typedef struct {
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
    uint8_t nonce[ISOPOD_NONCE_BYTES];
} seeds;

/* A dead generator that only swings between two outputs. */
static int swing(void *state, uint8_t *out, size_t length) {
    uint8_t *turn = state;
    fixture_bytes(out, *turn ^= 1u, length);
    return 0;
}

static void take(fixture *set, seeds *out) {
    isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
    isopod_ckks context;
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &values) == ISOPOD_OK);
    isopod_copy(out->mask_seed, context.mask_seed, sizeof out->mask_seed);
    isopod_copy(out->nonce, context.nonce, sizeof out->nonce);
    isopod_ckks_abort(&context);
}

static uint32_t repeats(const seeds *taken, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            found += isopod_equal(taken[a].mask_seed, taken[b].mask_seed, 32);
            found += isopod_equal(taken[a].nonce, taken[b].nonce, sizeof taken[b].nonce);
        }
    }
    return found;
}

static void check_fresh(fixture *set, int (*fill)(void *, uint8_t *, size_t)) {
    seeds *taken = check_memory(ENCRYPTIONS * sizeof(seeds));
    fixture_configure(set, &isopod_suite_chacha20, 1);
    set->entropy.fill = fill;
    for (uint32_t i = 0; i < ENCRYPTIONS; i++) {
        take(set, &taken[i]);
    }
    CHECK(repeats(taken, ENCRYPTIONS) == 0);
    CHECK(set->sender.sequence == 42 + ENCRYPTIONS);
}

/* Changes one input at a time under the same 32 bytes of entropy. */
static void check_inputs(fixture *set, const fixture *other) {
    static const isopod_suite *const suites[3] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                                  &isopod_suite_seal_shake256};
    static const uint8_t device_keys[2][32] = {{1}, {2}};
    seeds *taken = check_memory(16 * sizeof(seeds));
    seeds again;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        fixture_configure(set, suites[i], 1);
        take(set, &taken[count++]);
    }
    for (uint32_t i = 0; i < 5; i++) {
        fixture_configure(set, suites[0], 1);
        set->sender.sequence = (uint64_t)1 << (13 * i);
        take(set, &taken[count++]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        fixture_configure(set, suites[0], 1);
        set->sender.key = device_keys[i];
        take(set, &taken[count++]);
        fixture_configure(set, suites[0], 1);
        set->sender.epoch = 7 + i;
        take(set, &taken[count++]);
    }
    fixture_configure(set, suites[0], 1);
    set->config.hedge_without_values = 1;
    take(set, &taken[count++]);
    fixture changed = *other;
    fixture_configure(&changed, suites[0], 1);
    changed.config.key = &changed.key;
    take(&changed, &taken[count++]);
    CHECK(repeats(taken, count) == 0);
    fixture_configure(set, suites[0], 1);
    take(set, &again);
    CHECK(isopod_equal(again.mask_seed, taken[0].mask_seed, 32)); /* depends on nothing else */
}

/* A device that forgot epoch and sequence and whose source repeats itself: other values still have
 * another mask, equal values the same ciphertext. */
static void check_values(fixture *set) {
    const float *numbers = fixture_values(6, -8, 1);
    seeds *taken = check_memory(4 * sizeof(seeds));
    for (uint32_t i = 0; i < 4; i++) {
        isopod_values values = {numbers + i % 3 % 2, 4 + i % 3 / 2, ISOPOD_VALUES_FLOAT32};
        isopod_ckks context;
        fixture_configure(set, &isopod_suite_chacha20, 1);
        CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &values) == ISOPOD_OK);
        isopod_copy(taken[i].mask_seed, context.mask_seed, sizeof taken[i].mask_seed);
        isopod_copy(taken[i].nonce, context.nonce, sizeof taken[i].nonce);
        isopod_ckks_abort(&context);
    }
    CHECK(repeats(taken, 3) == 0);
    CHECK(isopod_equal(taken[3].mask_seed, taken[0].mask_seed, 32));
}

void test_roots(void) {
    fixture set, other;
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    fixture_open(&other, &isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT);
    check_case("good source", 0);
    check_fresh(&set, fixture_fill);
    check_case("dead source and a sequence", 0);
    check_fresh(&set, swing);
    check_case("inputs of the root", 0);
    check_inputs(&set, &other);
    check_case("values", 0);
    check_values(&set);
}
