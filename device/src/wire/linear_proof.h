/* The proof of a result by its linear tag; only a program that opens a verifier links it. */
#ifndef ISOPOD_LINEAR_PROOF_H
#define ISOPOD_LINEAR_PROOF_H

#include "../tag/linear_tag.h"
#include "isopod/linear_verifier.h"
#include "isopod/result.h"

struct isopod_linear_proof {
    /* Whether the tag proves the decoded values; zeroes them otherwise. */
    isopod_status (*prove)(const isopod_linear_verifier *verifier, const isopod_result *result,
                           const isopod_decoded *out);
};

#endif
