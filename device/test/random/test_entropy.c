/* Sources of entropy that fail are refused and not asked again until the caller sets them anew. */
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

typedef enum behaviour_of_source {
    GOOD,
    FAILS,
    FAILS_AFTER_FILLING,
    SHORT,
    STUCK_00,
    STUCK_FF,
    STUCK_5A,
    REPEATS
} behaviour;

typedef struct {
    behaviour behaviour;
    uint8_t next;
    uint32_t calls;
} source;

static int fill(void *state, uint8_t *out, size_t length) {
    source *source = state;
    source->calls++;
    switch (source->behaviour) {
    case FAILS:
        return -1;
    case FAILS_AFTER_FILLING:
        fixture_bytes(out, source->next++, length);
        return 1;
    case SHORT:
        fixture_bytes(out, source->next++, length / 2);
        return -5;
    case STUCK_00:
    case STUCK_FF:
    case STUCK_5A:
        for (size_t i = 0; i < length; i++) {
            out[i] = source->behaviour == STUCK_00   ? 0x00
                     : source->behaviour == STUCK_FF ? 0xff
                                                     : 0x5a;
        }
        return 0;
    default:
        fixture_bytes(out, source->next, length);
        source->next = (uint8_t)(source->next + (source->behaviour == GOOD));
        return 0;
    }
}

static int is_zero(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    uint32_t any = 0;
    for (size_t i = 0; i < length; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

static isopod_status encrypt(fixture *set) {
    isopod_ckks context;
    isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
    isopod_status status = isopod_ckks_begin(&context, &set->config, &set->encryptor, &values);
    if (status == ISOPOD_OK) {
        isopod_ckks_abort(&context);
    }
    CHECK(is_zero(&context, sizeof context));
    CHECK(is_zero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes));
    return status;
}

static void expect_poisoned(fixture *set, source *source) {
    uint32_t calls = source->calls;
    uint64_t sequence = set->sender.sequence;
    source->behaviour = GOOD;
    CHECK(encrypt(set) == ISOPOD_ERROR_ENTROPY);
    CHECK(encrypt(set) == ISOPOD_ERROR_ENTROPY);
    CHECK(source->calls == calls && set->sender.sequence == sequence);
}

static void check_failure(fixture *set, behaviour behaviour) {
    source source = {GOOD, 1, 0};
    isopod_entropy fresh = {fill, &source, {0}, 0};
    check_case("entropy", behaviour);
    set->entropy = fresh;
    set->sender.sequence = 5;
    CHECK(encrypt(set) == ISOPOD_OK && encrypt(set) == ISOPOD_OK);
    CHECK(source.calls == 2 && set->sender.sequence == 7);
    source.behaviour = behaviour;
    isopod_status status = encrypt(set);
    if (behaviour == REPEATS) { /* its first bytes are new */
        CHECK(status == ISOPOD_OK);
        status = encrypt(set);
    }
    CHECK(status == ISOPOD_ERROR_ENTROPY);
    CHECK(set->sender.sequence == 8 + (behaviour == REPEATS)); /* a failed one takes one, too */
    expect_poisoned(set, &source);
    set->entropy = fresh;
    CHECK(encrypt(set) == ISOPOD_OK);
}

static void check_missing(fixture *set) {
    isopod_entropy none = {NULL, NULL, {0}, 0};
    check_case("no source", 0);
    set->entropy = none;
    CHECK(encrypt(set) == ISOPOD_ERROR_ENTROPY);
}

/* Accepts any first block that is not constant. */
static void check_first(fixture *set, behaviour behaviour) {
    source source = {behaviour, 1, 0};
    isopod_entropy fresh = {fill, &source, {0}, 0};
    check_case("first entropy", behaviour);
    set->entropy = fresh;
    CHECK(encrypt(set) == ISOPOD_ERROR_ENTROPY);
    expect_poisoned(set, &source);
}

void test_entropy(void) {
    fixture set;
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind += 3) {
        check_memory_reset();
        fixture_open(&set, &isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        fixture_configure(&set, &isopod_suite_shake256, 2);
        for (uint32_t behaviour = FAILS; behaviour <= REPEATS; behaviour++) {
            check_failure(&set, (enum behaviour_of_source)behaviour);
        }
        for (uint32_t behaviour = FAILS; behaviour <= STUCK_5A; behaviour++) {
            check_first(&set, (enum behaviour_of_source)behaviour);
        }
        check_missing(&set);
    }
}
