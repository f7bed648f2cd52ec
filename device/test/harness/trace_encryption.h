/* No copy of a secret stays in memory: the stack below the caller, the workspace and the context
 * are searched while an encryption runs and after its end, its abort and its refusal. */
#ifndef ISOPOD_TEST_TRACE_ENCRYPTION_H
#define ISOPOD_TEST_TRACE_ENCRYPTION_H

#include "fixture.h"
#include "trace_search.h"

/* Secrets of the next encryption of these values, in memory that is neither stack nor workspace:
 * entropy and noise key (the first two), e0, e1, u, and the secret key as symbols and in the blob's
 * NTT form. Returns all of e0. */
const int8_t *trace_expect(const fixture *set, const isopod_values *values, secret_list *secrets);

/* Encrypts to the end, with entropy that repeats itself, and up to an abort in the middle of a
 * chunk. */
void trace_encryption(fixture *set, const isopod_values *values, const secret_list *secrets);

/* Runs all of this for integers of a set of BFV (test_traces.c). */
void trace_integers(const isopod_params *params, isopod_key_kind kind, uint8_t chunks);

#endif
