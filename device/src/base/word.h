/* The word that residues are computed in. Sources that include this header are compiled twice:
 * directly, for primes below 2^30 in 32-bit words, and through instance64.c, which sets
 * ISOPOD_WORD_BITS to 64, for primes below 2^60. Names of the second instance begin with isopod64_
 * (names64.h), so that firmware links only the instance that it calls. */
#ifndef ISOPOD_WORD_H
#define ISOPOD_WORD_H

#include <stdint.h>

#include "isopod/params.h"

#ifndef ISOPOD_WORD_BITS
#define ISOPOD_WORD_BITS 32
#endif

#if ISOPOD_WORD_BITS == 32
typedef int32_t isopod_word;     /* any representative of a residue */
typedef uint32_t isopod_residue; /* 0 .. q-1 */
typedef isopod_prime isopod_word_prime;
#elif ISOPOD_WORD_BITS == 64
#include "names64.h"
typedef int64_t isopod_word;
typedef uint64_t isopod_residue;
typedef isopod_prime64 isopod_word_prime;
#else
#error "ISOPOD_WORD_BITS is 32 or 64"
#endif

/* The entry of data prime number `index`. */
static inline const isopod_word_prime *isopod_word_prime_of(const isopod_params *params,
                                                            uint32_t index) {
#if ISOPOD_WORD_BITS == 32
    return &params->primes[index];
#else
    return &params->primes64[index];
#endif
}

#endif
