/* A noise source that gets stuck, prefers a value or fails is noticed, at the start and later; a
 * sound one gives bytes for long. */
#include "isopod/health.h"

#include "../harness/check.h"
#include "../harness/tests.h"

typedef struct {
    uint32_t state;
    uint32_t taken;
    uint32_t fails_at;  /* the call fails */
    uint32_t stuck_at;  /* repeats one sample from then on */
    uint32_t biased_at; /* of eight samples one is 7 from then on, beside its share */
} source;

static int draw(void *state, uint8_t *sample) {
    source *from = state;
    uint32_t number = from->taken++;
    from->state ^= from->state << 13;
    from->state ^= from->state >> 17;
    from->state ^= from->state << 5;
    *sample = (uint8_t)(from->state >> 7);
    if (number >= from->biased_at && from->state >> 29 == 0) {
        *sample = 7;
    }
    if (number >= from->stuck_at) {
        *sample = 9;
    }
    return number == from->fails_at ? 1 : 0;
}

static source sound(void) {
    return (source){
        .state = 1, .fails_at = UINT32_MAX, .stuck_at = UINT32_MAX, .biased_at = UINT32_MAX};
}

static int is_zero(const uint8_t *bytes, size_t length) {
    uint8_t any = 0;
    for (size_t i = 0; i < length; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

/* Fills until it is refused; returns the samples that were taken by then, or 0 after many. */
static uint32_t refused_after(source *from, uint8_t bits) {
    isopod_health health = {.sample = draw, .state = from, .entropy_bits = bits};
    uint8_t out[32];
    for (uint32_t i = 0; i < 200; i++) {
        if (isopod_health_fill(&health, out, sizeof out) != 0) {
            uint32_t taken = from->taken;
            CHECK(is_zero(out, sizeof out));
            CHECK(isopod_health_fill(&health, out, sizeof out) == -1 && from->taken == taken);
            return taken;
        }
        CHECK_QUIET(!is_zero(out, sizeof out));
    }
    return 0;
}

static void check_bits(uint8_t bits) {
    static const uint8_t repetitions[8] = {0, 21, 11, 8, 6, 5, 5, 4};
    source from = sound();
    check_case("bits of min-entropy", bits);
    CHECK(refused_after(&from, bits) == 0);
    CHECK(from.taken == 1024 + 200 * ((320u + bits - 1) / bits));
    from = sound();
    from.stuck_at = 0;
    CHECK(refused_after(&from, bits) == repetitions[bits]);
    from = sound();
    from.stuck_at = 5000;
    uint32_t taken = refused_after(&from, bits);
    CHECK(taken > 5000 && taken <= 5000u + repetitions[bits]);
    from = sound();
    from.fails_at = 1500;
    CHECK(refused_after(&from, bits) == 1501);
    from = sound();
    from.fails_at = 3;
    CHECK(refused_after(&from, bits) == 4);
}

/* An eighth of the samples is what 3 bits of min-entropy allow, and 5 do not. */
static void check_bias(void) {
    source from = sound();
    check_case("a value that is preferred", 0);
    from.biased_at = 3000;
    CHECK(refused_after(&from, 2) == 0);
    from = sound();
    from.biased_at = 3000;
    CHECK(refused_after(&from, 6) > 3000);
}

static void check_claims(void) {
    source from = sound();
    check_case("claims that are none", 0);
    CHECK(refused_after(&from, 0) == 0 || from.taken == 0);
    isopod_health health = {.sample = draw, .state = &from, .entropy_bits = 8};
    uint8_t out[70];
    CHECK(isopod_health_fill(&health, out, sizeof out) == -1 && from.taken == 0);
    health = (isopod_health){.sample = draw, .state = &from, .entropy_bits = 7};
    CHECK(isopod_health_fill(&health, out, sizeof out) == 0);
    CHECK(from.taken == 1024 + 3 * 46);
}

void test_health(void) {
    for (uint8_t bits = 1; bits <= 7; bits++) {
        check_bits(bits);
    }
    check_bias();
    check_claims();
}
