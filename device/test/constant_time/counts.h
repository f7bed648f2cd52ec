/* Random secrets and the ternary sampler's report, shared by the parts of the counting program. */
#ifndef ISOPOD_COUNTS_H
#define ISOPOD_COUNTS_H

#include "../harness/tfhe_fixture.h"

#define COUNTS_OWNER_PROFILES 9u
#define COUNTS_TFHE_PROFILES 7u
#define COUNTS_PACKET_PROFILES 6u

/* Decryptions, key pairs and contributions, everything random; profile < COUNTS_OWNER_PROFILES. */
void counts_owner(uint32_t profile, uint32_t trials);

/* TFHE encryptions and key generation, everything random; profile < COUNTS_TFHE_PROFILES. */
void counts_tfhe(uint32_t profile, uint32_t trials);

/* Packets, all but the name random; profile < COUNTS_PACKET_PROFILES. */
void counts_packet(uint32_t profile, uint32_t trials);

uint32_t counts_random(void);

/* A source of entropy for isopod_entropy. */
int counts_random_fill(void *state, uint8_t *out, size_t length);

/* 16 symbols of 0, 1, 2 in each word. */
void counts_randomise_symbols(uint32_t *words, uint32_t count);

/* Replaces the opened secret key by random symbols or residues. Public keys stay. */
void counts_randomise_key(const fixture *set);

/* Signs, zeros, subnormal numbers and every exponent below the bound; residues of BFV. */
void counts_randomise_values(const fixture *set, const isopod_values *values);

/* Both for TFHE: an opened secret key, and numbers of every type. */
void counts_randomise_tfhe_key(const tfhe_fixture *set);
void counts_randomise_tfhe_values(const isopod_tfhe_values *values);

/* Gives the ternary sampler regions of its own; the other call prints how many symbols it rejected
 * and ends them. One call of each per trial. */
void counts_measure(void);
void counts_report(void);

#endif
