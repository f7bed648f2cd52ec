#define ISOPOD_LIMB_BITS 64
#include "split_key.c"
