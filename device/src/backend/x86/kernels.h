/* The kernels that this backend replaces; backend.h explains the names. */
#ifndef ISOPOD_X86_KERNELS_H
#define ISOPOD_X86_KERNELS_H

#define ISOPOD_REPLACES_KECCAK 1
#define ISOPOD_REPLACES_MASK64 1
#define ISOPOD_REPLACES_MEMORY 1
#define ISOPOD_REPLACES_UNPACK64 1

#define ISOPOD_HAS_UNROLLED_KECCAK 1

/* Kernels chosen at run time: the portable function first calls isopod_native_<function>, which
 * looks at the processor and returns whether it took the call. */
#define ISOPOD_TAKES_AES 1
#define ISOPOD_TAKES_BOOLS 1
#define ISOPOD_TAKES_CHACHA20 1
#define ISOPOD_TAKES_ENCODE32 1
#define ISOPOD_TAKES_ERROR 1
#define ISOPOD_TAKES_FOLDING64 1
#define ISOPOD_TAKES_INVERSE_NTT 1
#define ISOPOD_TAKES_MULTIPLY_ADD64 1
#define ISOPOD_TAKES_INVERSE_NTT64 1
#define ISOPOD_TAKES_NTT_LAYERS64 1
#define ISOPOD_TAKES_POINTWISE 1
#define ISOPOD_TAKES_POINTWISE64 1
#define ISOPOD_TAKES_POLYNOMIAL 1
#define ISOPOD_TAKES_PRODUCT 1
#define ISOPOD_TAKES_RING_PREPARED 1
#define ISOPOD_TAKES_SAMPLE 1
#define ISOPOD_TAKES_SLOTS64 1
#define ISOPOD_TAKES_TERNARY 1
#define ISOPOD_TAKES_VALUES 1
#define ISOPOD_TAKES_KECCAK_PERMUTE 1

#endif
