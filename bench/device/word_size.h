/* Names of the library by word size, for programs that are built for one set: -DBENCH_PRIMES64=1
 * for 64-bit primes, otherwise 0. */
#ifndef ISOPOD_BENCH_WORD_SIZE_H
#define ISOPOD_BENCH_WORD_SIZE_H

#include <stdint.h>

#include "isopod/encryption.h"
#include "isopod/key.h"
#include "isopod/split_key.h"

#if BENCH_PRIMES64
typedef uint64_t key_word;
#define PUBLIC_WORKSPACE ISOPOD64_PUBLIC_WORKSPACE
#define SECRET_NTT_WORKSPACE ISOPOD64_SECRET_NTT_WORKSPACE
#define SECRET_TERNARY_WORKSPACE ISOPOD64_SECRET_TERNARY_WORKSPACE
#define open_secret isopod64_secret_key_open
#define open_public isopod64_public_key_open
#define open_split isopod64_split_key_open
#else
typedef uint32_t key_word;
#define PUBLIC_WORKSPACE ISOPOD_PUBLIC_WORKSPACE
#define SECRET_NTT_WORKSPACE ISOPOD_SECRET_NTT_WORKSPACE
#define SECRET_TERNARY_WORKSPACE ISOPOD_SECRET_TERNARY_WORKSPACE
#define open_secret isopod_secret_key_open
#define open_public isopod_public_key_open
#define open_split isopod_split_key_open
#endif

#endif
