/* Keccak-f[1600] (../unrolled/keccak_rounds.h) with BMI's and-not and three-operand rotation where
 * the processor has them. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../random/keccak.h"
#include "../../unrolled/keccak_rounds.h"
#include "../base/avx2.h"

static __attribute__((noinline, target("bmi,bmi2"))) void permute(uint64_t lanes[25]) {
    isopod_keccak_rounds(lanes);
}

uint32_t isopod_native_keccak_permute(uint64_t lanes[25]) {
    if (!isopod_has_avx2() || !__builtin_cpu_supports("bmi")) {
        return 0;
    }
    permute(lanes);
    return 1;
}

#endif
