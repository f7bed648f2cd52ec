/* The measured application: builds the tables of a set in memory (region 0), and the cosines of
 * its encoding alone (region 1), and prints its measurements, one "name value" per line.
 *
 * -DBENCH_PARAMS=   the set, a symbol of the library
 * -DBENCH_N= -DBENCH_PRIMES= */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "encode/cosines.h"
#include "isopod/tables.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_ckks_params BENCH_PARAMS;

enum { LOG2_DEGREE = 31 - __builtin_clz(BENCH_N) };

EXTERNAL static _Alignas(8) uint8_t memory[ISOPOD_CKKS_TABLES_BYTES(BENCH_N, BENCH_PRIMES)];
EXTERNAL static int32_t cosine32[BENCH_N / 2 + 1];
EXTERNAL static int64_t cosine64[BENCH_N / 2 + 1];

int main(void) {
    isopod_ckks_tables tables;
    isopod_stack_paint();
    isopod_region_begin();
    const isopod_status status =
        isopod_ckks_tables_build(&tables, &BENCH_PARAMS, memory, sizeof memory);
    isopod_region_end();
    print("stack_bytes", isopod_stack_used());
    isopod_region_begin();
    isopod_build_cosines(cosine32, cosine64, LOG2_DEGREE);
    isopod_region_end();
    if (status != ISOPOD_OK || tables.cosine32[1] != cosine32[1]) {
        fail("the library builds no tables");
    }
    print("ram_bytes", sizeof memory);
    return 0;
}
