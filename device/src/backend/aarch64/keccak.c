/* Lanes in 64-bit registers, as on the other 64-bit machine. */
#include "../x86/keccak.c"
