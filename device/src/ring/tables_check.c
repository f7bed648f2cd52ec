/* Checks tables before they are used: they must belong to the set, and the backend must read them.
 * Public. */
#include "../base/memory.h"
#include "../base/parameters.h"
#include "ntt.h"
#include "polynomial.h"

ISOPOD_SMALL uint32_t isopod_tables_fit(const isopod_tables *tables, const isopod_params *params) {
    if (tables == NULL || !isopod_equal(tables->set_id, params->set_id, sizeof params->set_id)) {
        return 0;
    }
    return isopod_parameters_has_primes64(params)
               ? tables->twiddles64 != NULL
               : tables->coarse == NULL || isopod_reads_lean_tables != 0;
}
