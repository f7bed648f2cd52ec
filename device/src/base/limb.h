/* The word that residues are computed in. A source that includes this is compiled twice: as it
 * stands, for primes below 2^30 in 32-bit limbs, and through wide_<name>.c, which sets
 * ISOPOD_LIMB_BITS to 64, for primes below 2^60. The names of the second instance carry `wide`
 * (wide_names.h), so that firmware links the instance whose functions it calls and no other. */
#ifndef ISOPOD_LIMB_H
#define ISOPOD_LIMB_H

#include <stdint.h>

#include "isopod/key_pair.h"

#ifndef ISOPOD_LIMB_BITS
#define ISOPOD_LIMB_BITS 32
#endif

#if ISOPOD_LIMB_BITS == 32
typedef int32_t isopod_limb;     /* any representative of a residue */
typedef uint32_t isopod_residue; /* 0 .. q-1 */
typedef isopod_prime isopod_limb_prime;
#elif ISOPOD_LIMB_BITS == 64
#include "names64.h"
typedef int64_t isopod_limb;
typedef uint64_t isopod_residue;
typedef isopod_wide_prime isopod_limb_prime;
#else
#error "ISOPOD_LIMB_BITS is 32 or 64"
#endif

/* The entry of data prime number `index`. */
static inline const isopod_limb_prime *isopod_limb_prime_of(const isopod_params *params,
                                                            uint32_t index) {
#if ISOPOD_LIMB_BITS == 32
    return &params->primes[index];
#else
    return &params->wide_primes[index];
#endif
}

#endif
