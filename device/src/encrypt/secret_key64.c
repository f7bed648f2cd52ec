#define ISOPOD_LIMB_BITS 64
#include "secret_key.c"
