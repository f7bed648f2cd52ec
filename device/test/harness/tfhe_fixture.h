/* A TFHE set with tables, the key pair of the known answers as any blob, an encryption, an
 * independent product and decryption. */
#ifndef ISOPOD_TEST_TFHE_FIXTURE_H
#define ISOPOD_TEST_TFHE_FIXTURE_H

#include "fixture.h"
#include "isopod/tfhe.h"
#include "isopod/tfhe_frame.h"
#include "isopod/tfhe_keygen.h"

typedef struct {
    const isopod_tfhe_params *params;
    isopod_tfhe_tables tables;
    uint32_t n;
    uint32_t word_bytes;
    uint32_t *secret; /* packed */
    uint32_t *blob;
    size_t blob_bytes;
    isopod_tfhe_key key;
    isopod_entropy entropy;
    isopod_sender sender;
    isopod_tfhe_config config;
    isopod_encryptor encryptor;
} tfhe_fixture;

/* A way to encrypt: a kind of blob, and for a plain one the stream method or the prepared key. */
#define TFHE_PREPARED 98u
#define TFHE_STREAM 99u

/* Prepares set, tables and secret, opens a blob of this kind, and configures suite chacha20,
 * whole words and a workspace of exactly the promised bytes for n coefficients. */
void tfhe_fixture_open(tfhe_fixture *fixture, const isopod_tfhe_params *params, uint32_t way);

/* Makes a blob of the pair, with its key_id. */
uint32_t *tfhe_fixture_blob(const tfhe_fixture *fixture, isopod_tfhe_key_kind kind);

/* The set of this name. */
const isopod_tfhe_params *tfhe_fixture_set(const char *name);
const isopod_tfhe_suite *tfhe_fixture_suite(uint32_t number);

/* Makes runs and values of a schema "type*count+..." by the rule of the vectors. Memory from
 * check_memory. */
isopod_tfhe_values tfhe_fixture_values(const char *schema);

/* Encrypts and collects in pieces of `capacity`; returns the bytes, 0 after a failed check. */
size_t tfhe_fixture_encrypt(tfhe_fixture *fixture, const isopod_tfhe_values *values, uint8_t *out,
                            size_t capacity);
/* Encrypts the frame of the known sender, with sequence 42. */
size_t tfhe_fixture_frame(tfhe_fixture *fixture, const isopod_tfhe_values *values, uint8_t *out);

/* Coefficient i of a packed secret. */
int32_t tfhe_fixture_symbol(const tfhe_fixture *fixture, uint32_t i);

/* (a*s)_i by the schoolbook rule, a of n words of word_bytes. */
uint64_t tfhe_fixture_product(const tfhe_fixture *fixture, const uint8_t *a, uint32_t i);

/* Word i of little-endian bytes. */
uint64_t tfhe_fixture_word(const uint8_t *bytes, uint32_t width, uint32_t i);

#endif
