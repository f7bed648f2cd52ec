/* Counts in simulated flash whose power fails at every write and erase, before, amid and behind it,
 * also while the next start recovers: no count repeats, and none is smaller than one before. */
#include "isopod/counter.h"

#include "../harness/check.h"
#include "../harness/tests.h"

#define PAGE 128u
#define NEVER UINT32_MAX

/* Flash that only clears bits. From operation `cut` on it is dead; that one takes effect in part.
 */
typedef struct {
    uint8_t pages[2][PAGE];
    uint32_t operations;
    uint32_t cut;
    uint32_t effect; /* 0: none, 1: a part, 2: whole */
    uint32_t random;
    int is_stuck; /* does not erase */
} chip;

static uint32_t draw(chip *at) {
    at->random = at->random * 1664525u + 1013904223u;
    return at->random >> 16;
}

/* Effect of the next operation: 2 while there is power. */
static uint32_t power(chip *at) {
    uint32_t operation = at->operations++;
    return operation < at->cut ? 2 : operation == at->cut ? at->effect : 0;
}

static int is_dead(const chip *at) {
    return at->operations > at->cut;
}

static int read_flash(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    const chip *at = state;
    for (size_t i = 0; i < length; i++) {
        out[i] = at->pages[page][offset + i];
    }
    return is_dead(at) ? -1 : 0;
}

static int write_flash(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                       size_t length) {
    chip *at = state;
    uint32_t effect = power(at);
    for (size_t i = 0; i < length && effect != 0; i++) {
        uint8_t kept = effect == 2 ? 0 : (uint8_t)draw(at);
        at->pages[page][offset + i] &= bytes[i] | kept;
    }
    return is_dead(at) ? -1 : 0;
}

static int erase_flash(void *state, uint8_t page) {
    chip *at = state;
    uint32_t effect = at->is_stuck ? 0 : power(at);
    for (size_t i = 0; i < PAGE && effect != 0; i++) {
        at->pages[page][i] |= effect == 2 ? 0xff : (uint8_t)draw(at);
    }
    return is_dead(at) ? -1 : 0;
}

static void erase_all(chip *at, uint32_t seed) {
    for (uint32_t i = 0; i < 2 * PAGE; i++) {
        at->pages[i / PAGE][i % PAGE] = 0xff;
    }
    at->random = seed;
    at->is_stuck = 0;
}

static void start(chip *at, uint32_t cut, uint32_t effect) {
    at->operations = 0;
    at->cut = cut;
    at->effect = effect;
}

/* Takes counts until power fails, or `most`; `last` is the last that was ever given. */
static void run(chip *at, const isopod_flash *flash, uint32_t most, uint32_t step, uint64_t *last) {
    for (uint32_t i = 0; i < most && !is_dead(at); i++) {
        uint64_t first = 0;
        isopod_status status = isopod_counter_next(flash, step, &first);
        CHECK_QUIET((status == ISOPOD_OK) == (first != 0));
        CHECK_QUIET(status == ISOPOD_OK || is_dead(at));
        if (status == ISOPOD_OK) {
            CHECK_QUIET(first > *last);
            *last = first + step - 1;
        }
    }
}

/* Every cut, and every second cut while the next start recovers. */
static void check_cuts(chip *at, const isopod_flash *flash, uint32_t step) {
    const uint32_t counts = 3 * PAGE / 16;
    for (uint32_t cut = 0; cut < counts + 3; cut++) {
        for (uint32_t effects = 0; effects < 9; effects++) {
            for (uint32_t again = 0; again < 4; again++) {
                uint64_t last = 0;
                erase_all(at, cut * 64 + effects * 4 + again);
                start(at, cut, effects % 3);
                run(at, flash, counts, step, &last);
                start(at, again < 3 ? again : NEVER, effects / 3);
                run(at, flash, 3, step, &last);
                start(at, NEVER, 0);
                run(at, flash, counts, step, &last);
            }
        }
    }
}

/* Power that fails at random for a long time. */
static void check_life(chip *at, const isopod_flash *flash) {
    uint64_t last = 0;
    erase_all(at, 7);
    for (uint32_t i = 0; i < 3000; i++) {
        start(at, draw(at) % 5, draw(at) % 3);
        run(at, flash, 5, 1, &last);
    }
    start(at, NEVER, 0);
    run(at, flash, 1, 1, &last);
    CHECK(last > 3000 && last < 12000); /* few counts are lost */
}

static void check_bad_flash(chip *at, isopod_flash *flash) {
    uint64_t count = 9, last = 0;
    isopod_sender sender = {.device = 1, .epoch = 5, .sequence = 5};
    check_case("flash that does not erase", 0);
    erase_all(at, 1);
    start(at, NEVER, 0);
    run(at, flash, 2 * PAGE / 16, 1, &last);
    at->is_stuck = 1;
    CHECK(isopod_counter_next(flash, 1, &count) == ISOPOD_ERROR_FLASH && count == 0);
    CHECK(isopod_sender_start(&sender, flash) == ISOPOD_ERROR_FLASH);
    CHECK(sender.epoch == 0 && sender.sequence == UINT64_MAX); /* encrypts nothing */
    at->is_stuck = 0;
    CHECK(isopod_sender_start(&sender, flash) == ISOPOD_OK);
    CHECK(sender.epoch == last + 1 && sender.sequence == 0);
    check_case("foreign bytes", 0);
    for (uint32_t i = 0; i < PAGE; i++) {
        at->pages[0][i] = at->pages[1][i] = 0x5a;
    }
    CHECK(isopod_counter_next(flash, 1, &count) == ISOPOD_ERROR_COUNTER && count == 0);
    check_case("geometry", 0);
    CHECK(isopod_counter_next(flash, 0, &count) == ISOPOD_ERROR_WORKSPACE);
    flash->write_bytes = 3;
    CHECK(isopod_counter_next(flash, 1, &count) == ISOPOD_ERROR_WORKSPACE);
    flash->write_bytes = 64;
    CHECK(isopod_counter_next(flash, 1, &count) == ISOPOD_ERROR_WORKSPACE);
    flash->write_bytes = 16;
    flash->page_bytes = 48;
    CHECK(isopod_counter_next(flash, 1, &count) == ISOPOD_ERROR_WORKSPACE);
}

static void check_end(chip *at, const isopod_flash *flash) {
    uint64_t count;
    isopod_sender sender = {.device = 1};
    check_case("no count left", 0);
    erase_all(at, 1);
    start(at, NEVER, 0);
    CHECK(isopod_counter_next(flash, UINT32_MAX, &count) == ISOPOD_OK && count == 1);
    CHECK(isopod_sender_start(&sender, flash) == ISOPOD_ERROR_COUNTER);
}

void test_counter(void) {
    static chip at;
    isopod_flash flash = {.read = read_flash,
                          .write = write_flash,
                          .erase = erase_flash,
                          .state = &at,
                          .page_bytes = PAGE,
                          .write_bytes = 8};
    for (uint32_t unit = 1; unit <= 32; unit *= 4) {
        check_case("power fails", unit);
        flash.write_bytes = (uint16_t)(unit == 16 ? 32 : unit);
        check_cuts(&at, &flash, unit == 4 ? 100 : 1);
        check_life(&at, &flash);
    }
    flash.write_bytes = 16;
    check_end(&at, &flash);
    check_bad_flash(&at, &flash);
}
