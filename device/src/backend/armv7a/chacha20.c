/* The same source as the other core with NEON. */
#include "../neon/chacha20.c"
