/* Residues of sealed results modulo 64-bit primes. */
#define ISOPOD_WORD_BITS 64
#include "result_residues.c"
