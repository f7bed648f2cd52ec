/* The parts of a fixture whose set is wide. */
#ifndef ISOPOD_TEST_FIXTURE_WIDE_H
#define ISOPOD_TEST_FIXTURE_WIDE_H

#include "../src/keccak.h"
#include "fixture.h"

/* The hash of a key_id up to the seed of the mask. */
void fixture_start_key_id(isopod_keccak *sponge, const isopod_keygen *keygen);

/* Tables with the quotients of every prime. */
void fixture_wide_tables(fixture *fixture);

/* As the functions of narrow sets: the payload at `at`; return where it ends. The public one writes
 * only what a blob of this kind holds, and always the key_id. */
uint32_t *fixture_wide_public(fixture *fixture, const isopod_keygen *keygen, uint32_t *at,
                              isopod_key_kind kind);
uint32_t *fixture_wide_secret(const isopod_keygen *keygen, uint32_t *at, uint32_t n, int ternary);

#endif
