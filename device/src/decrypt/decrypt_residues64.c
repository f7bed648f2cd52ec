#define ISOPOD_LIMB_BITS 64
#include "decrypt_residues.c"
