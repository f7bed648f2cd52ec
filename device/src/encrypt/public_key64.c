#define ISOPOD_LIMB_BITS 64
#include "public_key.c"
