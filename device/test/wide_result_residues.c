#define ISOPOD_LIMB_BITS 64
#include "result_residues.c"
