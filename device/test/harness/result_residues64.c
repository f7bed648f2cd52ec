#define ISOPOD_WORD_BITS 64
#include "result_residues.c"
