#define ISOPOD_LIMB_BITS 64
#include "decryption_key.c"
