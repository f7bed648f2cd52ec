/* Key pairs of sets of 64-bit primes. */
#define ISOPOD_WORD_BITS 64
#include "key_calls.c"
