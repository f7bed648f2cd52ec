#define ISOPOD_LIMB_BITS 64
#include "key_pair.c"
