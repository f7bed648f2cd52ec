/* Sets by number, their facts and their tables. */
#include "memory.h"
#include "module.h"

const isopod_params *set_of(uint32_t number) {
    if (number < ISOPOD_CKKS_SET_COUNT) {
        return isopod_ckks_sets[number];
    }
    number -= ISOPOD_CKKS_SET_COUNT;
    if (number < ISOPOD_BFV_SET_COUNT) {
        return isopod_bfv_sets[number];
    }
    number -= ISOPOD_BFV_SET_COUNT;
    return number < ISOPOD64_SET_COUNT ? isopod64_sets[number] : NULL;
}

static uint32_t address(const void *pointer) {
    return (uint32_t)(uintptr_t)pointer;
}

const set_facts *set_describe(uint32_t number) {
    const isopod_params *const set = set_of(number);
    set_facts *const facts = set == NULL ? NULL : memory_take(sizeof *facts);
    if (facts == NULL) {
        return NULL;
    }
    facts->plain = set->plain == NULL ? 0 : set->plain->modulus;
    facts->name = address(set->name);
    facts->set_id = address(set->set_id);
    facts->degree = 1u << set->log2_ring_degree;
    facts->primes = set->prime_count;
    facts->word = set->primes64 == NULL ? 4 : 8;
    facts->label = set->label;
    facts->scale[0] = set->log2_scale_min;
    facts->scale[1] = set->log2_scale_default;
    facts->scale[2] = set->log2_scale_max;
    facts->key_switching = set->key_switching;
    for (uint32_t j = 0; j < set->prime_count && j < 16; j++) {
        facts->prime[j] = set->primes64 == NULL ? set->primes[j].modulus : set->primes64[j].modulus;
    }
    return facts;
}

int32_t set_tables(isopod_tables *tables, const isopod_params *params) {
    const size_t n = (size_t)1 << params->log2_ring_degree;
    const size_t k = params->prime_count;
    const int wide = params->primes64 != NULL;
    const size_t bytes = wide                    ? ISOPOD64_TABLES_BYTES(n, k)
                         : params->plain == NULL ? ISOPOD_CKKS_TABLES_BYTES(n, k)
                                                 : ISOPOD_BFV_TABLES_BYTES(n, k);
    void *const memory = memory_take(bytes);
    if (memory == NULL) {
        return STATUS_MEMORY;
    }
    if (wide) {
        return isopod64_tables_build(tables, params, memory, bytes);
    }
    return params->plain == NULL ? isopod_ckks_tables_build(tables, params, memory, bytes)
                                 : isopod_bfv_tables_build(tables, params, memory, bytes);
}

const char *status_text(int32_t status) {
    return isopod_status_text((isopod_status)status);
}
