/* The system's entropy as a stream that ISOPOD_BENCH_SEED names, for one program by LD_PRELOAD:
 * the errors that docs/measurements/tables/bytes.md quotes are those of any run. Not for keys that
 * anybody uses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t state;

/* SplitMix64 */
static uint64_t next(void) {
    uint64_t word = __atomic_add_fetch(&state, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

__attribute__((constructor)) static void begin(void) {
    const char *seed = getenv("ISOPOD_BENCH_SEED");
    state = seed ? strtoull(seed, NULL, 10) << 40 : 0;
}

ssize_t getrandom(void *out, size_t length, unsigned flags) {
    (void)flags;
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = next();
        size_t rest = length - at;
        memcpy((char *)out + at, &word, rest < sizeof word ? rest : sizeof word);
    }
    return (ssize_t)length;
}
