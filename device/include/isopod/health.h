/* Makes an entropy source from a raw noise source, by SP 800-90B [SP90B]. It tests 1,024 samples
 * before it gives the first byte, and every sample by the repetition count and the adaptive
 * proportion. SHA3-256 then conditions samples with 320 bits of min-entropy to 32 bytes. Use it on
 * boards whose generator has no tests of its own; other firmware does not link it. Constant time
 * with respect to the samples; the outcome is public. A source belongs to one thread. */
#ifndef ISOPOD_HEALTH_H
#define ISOPOD_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it, then set the first three members. */
typedef struct {
    int (*sample)(void *state, uint8_t *sample); /* one raw sample, before any processing; 0 on
                                                    success */
    void *state;
    uint8_t entropy_bits; /* bits of min-entropy of a sample, 1 to 7, rounded down: the result of an
                             assessment by section 3 of SP 800-90B */
    uint8_t is_started;   /* private from here on */
    uint8_t has_failed;
    uint8_t last;
    uint8_t first;    /* first sample of the window */
    uint16_t repeats; /* how often the last sample came in a row */
    uint16_t matches; /* how often the window's first sample came */
    uint16_t place;   /* position in the window */
} isopod_health;

/* The `fill` of an isopod_entropy whose state is an isopod_health. Returns 0, or -1 with zeros in
 * `out` if a sample or a test fails. A failure is permanent until the object is set anew. A source
 * with the entropy that it claims fails by chance at most once in 2^20 samples per test. */
int isopod_health_fill(void *health, uint8_t *out, size_t length);

#ifdef __cplusplus
}
#endif

#endif
