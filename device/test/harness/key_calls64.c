#define ISOPOD_WORD_BITS 64
#include "key_calls.c"
