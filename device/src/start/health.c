/* Start-up and continuous tests of a noise source, and its conditioning ([SP90B], sections 3.1.5
 * and 4.4). Constant time with respect to the samples. */
#include "isopod/health.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../random/keccak.h"

#define START_SAMPLES 1024u
#define WINDOW 512u      /* of samples that are not binary */
#define CONDITIONED 320u /* bits of min-entropy: those of the output and 64 */
#define MOST_ENTROPY_BITS 7u

/* For errors of 2^-20 and h bits of min-entropy: 1 + ceil(20 / h), and 1 + the smallest c with
 * P(X <= c) >= 1 - 2^-20 for X binomial of 512 draws and 2^-h. device/test/start/cutoffs.py */
static const uint8_t repetition_cutoffs[MOST_ENTROPY_BITS + 1] = {0, 21, 11, 8, 6, 5, 5, 4};
static const uint16_t proportion_cutoffs[MOST_ENTROPY_BITS + 1] = {0,  311, 177, 103,
                                                                   62, 39,  25,  18};

/* 1 if two samples are equal. */
static uint32_t are_equal(uint8_t a, uint8_t b) {
    return 1u & ~isopod_ct_nonzero((uint32_t)a ^ b);
}

/* Takes a sample into both tests; whether they pass. */
static int passes(isopod_health *health, uint8_t sample) {
    uint32_t again = are_equal(sample, health->last);
    health->repeats = (uint16_t)((health->repeats & (0u - again)) + 1u);
    health->last = sample;
    const uint8_t first = health->place == 0 ? sample : health->first;
    const uint16_t matches = health->place == 0 ? 0 : health->matches;
    health->first = first;
    health->matches = (uint16_t)(matches + are_equal(sample, first));
    health->place = (uint16_t)((health->place + 1u) % WINDOW);
    uint32_t room = (uint32_t)repetition_cutoffs[health->entropy_bits] - 1u - health->repeats;
    uint32_t left = (uint32_t)proportion_cutoffs[health->entropy_bits] - 1u - health->matches;
    uint32_t failed = (room | left) >> 31;
    ISOPOD_DECLASSIFY(failed);
    return failed == 0;
}

/* The next sample, if it could be taken and passes. */
static int take(isopod_health *health, uint8_t *sample) {
    return health->sample(health->state, sample) == 0 && passes(health, *sample);
}

static int start(isopod_health *health) {
    uint8_t sample = 0;
    if (health->entropy_bits == 0 || health->entropy_bits > MOST_ENTROPY_BITS) {
        return 0;
    }
    for (uint32_t i = 0; i < START_SAMPLES; i++) {
        if (!take(health, &sample)) {
            return 0;
        }
    }
    isopod_wipe(&sample, sizeof sample);
    health->is_started = 1;
    return 1;
}

static int condition(isopod_health *health, uint8_t block[32]) {
    uint32_t samples = (CONDITIONED + health->entropy_bits - 1u) / health->entropy_bits;
    isopod_keccak sponge;
    int is_sound = 1;
    isopod_keccak_start(&sponge);
    for (uint32_t i = 0; i < samples && is_sound; i++) {
        uint8_t sample = 0;
        is_sound = take(health, &sample);
        isopod_keccak_absorb(&sponge, &sample, sizeof sample);
        isopod_wipe(&sample, sizeof sample);
    }
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, block, 32);
    isopod_wipe(&sponge, sizeof sponge);
    return is_sound;
}

int isopod_health_fill(void *state, uint8_t *out, size_t length) {
    isopod_health *health = state;
    uint8_t block[32];
    int is_sound = !health->has_failed && (health->is_started || start(health));
    for (size_t done = 0; done < length && is_sound; done += sizeof block) {
        is_sound = condition(health, block);
        isopod_copy(out + done, block, length - done < sizeof block ? length - done : sizeof block);
    }
    isopod_wipe(block, sizeof block);
    isopod_wipe_shallow_stack();
    if (!is_sound) {
        health->has_failed = 1;
        isopod_wipe(out, length);
    }
    return is_sound ? 0 : -1;
}
