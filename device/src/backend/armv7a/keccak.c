/* The permutation without loops, from the backend that it was written for. */
#include "../x86/keccak.c"
