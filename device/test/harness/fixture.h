/* A set with its tables, a key pair with all four blobs, a fixed entropy source and an encryption,
 * for most tests. */
#ifndef ISOPOD_TEST_FIXTURE_H
#define ISOPOD_TEST_FIXTURE_H

#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/keygen.h"
#include "isopod/moments.h"
#include "isopod/rounded.h"

typedef struct {
    const isopod_params *params;
    isopod_tables tables;
    uint32_t n;
    const uint32_t *ternary;
    uint32_t *blob;
    size_t blob_bytes;
    isopod_key key;
    isopod_entropy entropy;
    isopod_sender sender;
    isopod_encryption_config config;
    isopod_encryptor encryptor; /* of entropy and sender above */
} fixture;

/* Whether tables, keys and frames of the set fit the memory of the tests; those of the largest
 * degree do on hosts only. */
int fixture_fits(const isopod_params *params);

/* The next prime to test by itself: at the largest degree the first and the last. */
uint8_t fixture_next_prime(const isopod_params *params, uint8_t prime);

/* Prepares the set and its tables only. */
void fixture_tables(fixture *fixture, const isopod_params *params);

/* Prepares tables and the key pair of the known answers (vectors_generated.h), with a blob of this
 * kind opened. Memory from check_memory. */
void fixture_open(fixture *fixture, const isopod_params *params, isopod_key_kind kind);

/* Opens the fixture's blob as public or as secret key, in the set's word size. */
isopod_status fixture_key_open(fixture *fixture, int is_public);

/* Sets suite, chunks, the set's default scale and the largest bound that fits with it (at most 3),
 * and a workspace. */
void fixture_configure(fixture *fixture, const isopod_suite *suite, uint8_t chunks);

/* Sets the layout, and under CKKS its encoder of 64-bit messages. */
void fixture_layout(fixture *fixture, uint32_t layout);

/* Takes the encoder that rounds to nearest, of a layout of slots. */
void fixture_nearest(fixture *fixture);

/* Gives encryptor.workspace exactly the bytes that the public macros promise for the present scale
 * and bound. */
void fixture_workspace(fixture *fixture);

/* count float values of a fixed recurrence, |z| <= 2^log2_bound. */
const float *fixture_values(uint32_t count, int8_t log2_bound, uint32_t seed);

/* Entropy that gives byte i = first + i for the seed *state = first, and then first + 1. */
int fixture_fill(void *state, uint8_t *out, size_t length);

/* Calls isopod_ckks_begin or isopod_bfv_begin, by the set's scheme. */
isopod_status fixture_begin(const fixture *fixture, isopod_encryption *context,
                            const isopod_values *values);

/* Sets the layout, one row, four dropped bits of c0 and one of c1, the workspace, and the method of
 * the key: of public keys the small one where the configuration has two chunks. */
void rounded_configure(fixture *set);

/* Gives encryptor.workspace exactly the bytes that the public macros promise. */
void rounded_workspace(fixture *set);

/* Calls isopod_ckks_rounded_begin or isopod_bfv_rounded_begin, by the set's scheme. */
isopod_status rounded_begin(const fixture *set, isopod_rounded *context,
                            const isopod_value_source *source);

/* After rounded_configure: rows of four readings with their products, whose source takes as many of
 * the values as fit; floats in units of 2^-15. */
void rounded_configure_products(fixture *set);
isopod_value_source rounded_products(const fixture *set, const isopod_values *values);

/* Encrypts and collects all packed bytes in pieces of `capacity`; returns their number, 0 after a
 * failed check. */
size_t fixture_encrypt(fixture *fixture, const isopod_values *values, uint8_t *out,
                       size_t capacity);

/* The n coefficients of the encoded message, and their canonical residues, before the transform. */
void fixture_words(const fixture *fixture, const isopod_values *values, int64_t *out);
void fixture_message(const fixture *fixture, const isopod_values *values, uint32_t prime,
                     uint32_t *out);

/* Residue i of packed bytes. */
uint32_t fixture_residue(const uint8_t *packed, uint32_t bits, uint32_t index);

/* Canonical residues of one prime's c0 and, under a public key, c1; returns where the next prime
 * begins. */
const uint8_t *fixture_unpack(const fixture *fixture, uint8_t prime, const uint8_t *packed,
                              uint32_t *c0, uint32_t *c1);

/* Stores the digest of a blob whose header and payload are in place. */
void fixture_seal_blob(uint32_t *blob);

/* Writes the bytes first, first + 1, ... */
void fixture_bytes(uint8_t *out, uint8_t first, size_t length);

/* Comparison of zero-terminated texts; hexadecimal text is lower case. */
int fixture_is_text(const char *a, const char *b);
int fixture_is_hex(const uint8_t *bytes, size_t length, const char *hex);
void fixture_from_hex(uint8_t *out, const char *hex);

/* Whether SHA3-256 of data is this hexadecimal text. */
int fixture_has_digest(const void *data, size_t length, const char *sha3);

#endif
