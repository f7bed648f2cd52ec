/* Opening results with the secret key. Bounds are chosen as the command line chooses them. */
#include "results.h"

#include "memory.h"

/* log2(scale * bound) up to which 64-bit words decode with an error far below the noise. */
#define EXACT_BITS 57
/* log2 of the smallest bound that is chosen where the modulus has room for it. */
#define LEAST_BOUND 8
/* log2 of what values need beyond their bound for their error, which is smaller. */
#define NOISE_BITS 2

owner *owner_open(uint32_t number, const void *blob, size_t bytes, int32_t *status) {
    owner *const opened = memory_take(sizeof *opened);
    *status = STATUS_MEMORY;
    if (opened == NULL) {
        return NULL;
    }
    opened->params = set_of(number);
    *status = opened->params == NULL ? ISOPOD_ERROR_PARAMETERS
                                     : set_tables(&opened->tables, opened->params);
    if (*status == ISOPOD_OK) {
        *status = opened->params->primes64 == NULL
                      ? isopod_decryption_key_open(&opened->key, opened->params, blob, bytes)
                      : isopod64_decryption_key_open(&opened->key, opened->params, blob, bytes);
    }
    if (*status != ISOPOD_OK) {
        return NULL;
    }
    const size_t n = (size_t)1 << opened->params->log2_ring_degree;
    const size_t needed = opened->params->primes64 == NULL
                              ? ISOPOD_DECRYPT_WORKSPACE(n, ISOPOD_DECRYPT_PRIMES, 1)
                              : ISOPOD64_DECRYPT_WORKSPACE(n, ISOPOD_DECRYPT_PRIMES, 1);
    opened->workspace = (isopod_workspace){memory_take(needed), needed};
    *status = opened->workspace.memory == NULL ? STATUS_MEMORY : ISOPOD_OK;
    return opened->workspace.memory == NULL ? NULL : opened;
}

static uint32_t address(const void *pointer) {
    return (uint32_t)(uintptr_t)pointer;
}

static void tell(result_facts *facts, const isopod_result *result) {
    *facts = (result_facts){.bound = result->bound,
                            .error = result->error,
                            .scale = result->claim.scale,
                            .sequence = result->sequence,
                            .frames = result->frames,
                            .index = result->index,
                            .total = result->total,
                            .first = result->claim.first,
                            .rows = result->claim.rows,
                            .columns = result->claim.columns,
                            .stride = result->claim.stride,
                            .primes = result->claim.primes,
                            .layout = result->layout,
                            .key_id = address(result->key_id),
                            .run = address(result->run),
                            .challenge = address(result->challenge),
                            .request = address(result->request),
                            .job = address(result->job),
                            .job_bytes = result->job_bytes,
                            .origin = address(result->origin),
                            .manifest = address(result->manifest),
                            .manifest_bytes = result->manifest_bytes,
                            .packing = address(result->packing),
                            .linear_tag = address(result->linear_tag)};
}

int32_t owner_result(owner *owner, const uint8_t *link_key, const uint8_t *item, size_t bytes) {
    const isopod_status status =
        isopod_result_open(&owner->result, owner->params, link_key, item, bytes);
    if (status == ISOPOD_OK) {
        tell(&owner->facts, &owner->result);
    }
    return status;
}

const result_facts *owner_facts(const owner *owner) {
    return &owner->facts;
}

int32_t owner_verifier(owner *owner, uint32_t group, uint32_t period) {
    return isopod_linear_verifier_open(&owner->verifier, &owner->key, group, period);
}

/* log2 of a positive finite float64, rounded up; subnormal numbers count as the smallest others. */
static int log2_up(uint64_t bits) {
    const int exponent = (int)(bits >> 52 & 0x7ffu) - 1023;
    return exponent + ((bits & ((UINT64_C(1) << 52) - 1u)) != 0);
}

static int prime_bits(const isopod_params *params, uint32_t prime) {
    return params->primes64 == NULL ? params->primes[prime].bits : params->primes64[prime].bits;
}

/* log2 of the largest bound for which the modulus has room without loss of precision, or of that
 * which the result's own bound needs. */
static int8_t widest_bound(const owner *owner) {
    const isopod_claim *const claim = &owner->result.claim;
    int bits = 0;
    for (uint32_t j = 0; j < claim->primes && j < ISOPOD_DECRYPT_PRIMES; j++) {
        bits += prime_bits(owner->params, j);
    }
    const int scale = log2_up(claim->scale);
    int most = bits - 2; /* rounded coefficients: no transform adds an error */
    if (owner->result.layout == ISOPOD_SLOTS) {
        const int claimed = log2_up(owner->result.bound) + NOISE_BITS;
        const int least = claimed > LEAST_BOUND ? claimed : LEAST_BOUND;
        const int wanted = scale + least > EXACT_BITS ? scale + least : EXACT_BITS;
        most = wanted < most ? wanted : most;
    }
    const int bound = most - scale;
    return (int8_t)(bound < -60 ? -60 : bound > 57 ? 57 : bound);
}

static const isopod_decoder *decoder_of(const owner *owner) {
    const int wide = owner->params->primes64 != NULL;
    if (owner->params->plain != NULL) {
        return wide ? &isopod64_bfv_decode : &isopod_bfv_decode;
    }
    if (owner->result.layout == ISOPOD_COEFFICIENTS_ROUNDED) {
        return &isopod_ckks_decode_coefficients;
    }
    return wide ? &isopod64_ckks_decode : &isopod_ckks_decode;
}

int32_t owner_values(owner *owner, int32_t log2_bound, void *values, uint32_t capacity) {
    const int is_integer = owner->params->plain != NULL;
    const int8_t bound = log2_bound == WIDEST_BOUND ? widest_bound(owner) : (int8_t)log2_bound;
    const int is_open = owner->result.linear_tag != NULL && owner->verifier.method != NULL;
    const isopod_decrypt_config config = {.params = owner->params,
                                          .tables = &owner->tables,
                                          .key = &owner->key,
                                          .decoder = decoder_of(owner),
                                          .log2_bound = is_integer ? 0 : bound,
                                          .layout = owner->result.layout,
                                          .verifier = is_open ? &owner->verifier : NULL};
    const isopod_decoded out = {.data = values,
                                .capacity = capacity,
                                .type = is_integer ? ISOPOD_VALUES_INT32 : ISOPOD_VALUES_FLOAT64};
    isopod_decrypt context;
    return isopod_decrypt_result(&context, &config, &owner->workspace, &owner->result, &out);
}
