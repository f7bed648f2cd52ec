#define ISOPOD_LIMB_BITS 64
#include "fold.c"
