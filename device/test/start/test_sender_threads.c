/* Two threads share a sender under its lock. Hosts only. */
#include <pthread.h>

#include "../../src/random/sender.h"
#include "../harness/check.h"
#include "../harness/tests.h"

enum { NAMES = 20000, THREADS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static isopod_sender shared;
static uint64_t taken[THREADS][NAMES];
static uint8_t seen[THREADS * NAMES];

static void lock_mutex(void *state, uint8_t is_taken) {
    (void)(is_taken ? pthread_mutex_lock : pthread_mutex_unlock)(state);
}

static void *take_names(void *into) {
    uint64_t *sequences = into;
    for (uint32_t i = 0; i < NAMES; i++) {
        isopod_frame_name name = {0};
        sequences[i] = isopod_sender_take(&shared, &name) == ISOPOD_OK ? name.sequence : UINT64_MAX;
    }
    return NULL;
}

/* Every sequence is taken exactly once. */
void test_sender_threads(void) {
    pthread_t threads[THREADS];
    uint32_t right = 1;
    shared = (isopod_sender){.epoch = 1, .lock = lock_mutex, .state = &mutex};
    for (uint32_t t = 0; t < THREADS; t++) {
        CHECK(pthread_create(&threads[t], NULL, take_names, taken[t]) == 0);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        CHECK(pthread_join(threads[t], NULL) == 0);
    }
    for (uint32_t i = 0; i < THREADS * NAMES; i++) {
        const uint64_t sequence = taken[i / NAMES][i % NAMES];
        right &= sequence < THREADS * NAMES && seen[sequence % (THREADS * NAMES)]++ == 0;
    }
    CHECK(right && shared.sequence == THREADS * NAMES);
}
