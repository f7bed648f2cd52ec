/* Twiddles modulo the plaintext modulus t of BFV (spec/bfv.md, section 3). Public. */
#include "plain_twiddles.h"

#include "twiddles.h"

void isopod_build_plain_twiddles(int32_t *twiddles, const isopod_bfv_params *params) {
    isopod_build_twiddles(twiddles, params->plain, params->log2_ring_degree);
}
