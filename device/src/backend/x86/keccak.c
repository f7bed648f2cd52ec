#include "../unrolled/keccak.c"
