/* With BMI's and-not and three-operand rotation where the processor has them. */
#include "avx2.h"

#define ISOPOD_KECCAK_PERMUTE                                                                      \
    static __attribute__((noinline, target("bmi,bmi2"))) void permute_bmi(uint64_t lanes[25]) {    \
        permute_here(lanes);                                                                       \
    }                                                                                              \
    static __attribute__((noinline)) void permute_plain(uint64_t lanes[25]) {                      \
        permute_here(lanes);                                                                       \
    }                                                                                              \
    static void permute(uint64_t lanes[25]) {                                                      \
        if (isopod_has_avx2() && __builtin_cpu_supports("bmi")) {                                  \
            permute_bmi(lanes);                                                                    \
        } else {                                                                                   \
            permute_plain(lanes);                                                                  \
        }                                                                                          \
    }

#include "../unrolled/keccak.c"
