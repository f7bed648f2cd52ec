#define ISOPOD_LIMB_BITS 64
#include "mask_streams.c"
