#define ISOPOD_LIMB_BITS 64
#include "inverse_ntt.c"
