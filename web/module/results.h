/* Opening results: key, item, values. */
#ifndef ISOPOD_WEB_RESULTS_H
#define ISOPOD_WEB_RESULTS_H

#include "isopod/result.h"
#include "module.h"

/* Facts of an authentic result, as JavaScript reads them; numbers of 64 bits first. */
typedef struct {
    uint64_t bound; /* bits of float64 */
    uint64_t error;
    uint64_t scale;
    uint64_t sequence;
    uint64_t frames;
    uint32_t index;
    uint32_t total;
    uint32_t first;
    uint32_t rows;
    uint32_t columns;
    uint32_t stride;
    uint32_t primes;
    uint32_t layout;
    uint32_t key_id; /* addresses; 0 where there is none */
    uint32_t run;
    uint32_t challenge;
    uint32_t request;
    uint32_t job;
    uint32_t job_bytes;
    uint32_t origin;
    uint32_t manifest;
    uint32_t manifest_bytes;
    uint32_t packing;
    uint32_t linear_tag; /* address of 8 bytes */
} result_facts;

/* One owner, opened: the secret key and all that decryption needs. */
typedef struct {
    const isopod_params *params;
    isopod_tables tables;
    isopod_key key;
    isopod_result result;
    isopod_linear_verifier verifier; /* all zero: none is open */
    result_facts facts;
    isopod_workspace workspace;
} owner;

/* Opens the blob of a secret key of set `number`, which stays in place. *status says why NULL. */
owner *owner_open(uint32_t number, const void *blob, size_t bytes, int32_t *status);

/* Authenticates and parses an item, which stays in place until its values are read. */
int32_t owner_result(owner *owner, const uint8_t *link_key, const uint8_t *item, size_t bytes);

/* Facts of the last result. */
const result_facts *owner_facts(const owner *owner);

/* Opens the verifier of results with linear tags of this group and period. */
int32_t owner_verifier(owner *owner, uint32_t group, uint32_t period);

#define WIDEST_BOUND 127

/* The last result's values, rows * columns of them: float64 of CKKS, int32 of BFV. log2_bound: of
 * |value| in CKKS, or WIDEST_BOUND: as wide as the modulus has room. Of a result with a linear tag
 * they are given only if the verifier proves them. */
int32_t owner_values(owner *owner, int32_t log2_bound, void *values, uint32_t capacity);

#endif
