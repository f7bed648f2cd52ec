/* ML-KEM or ML-DSA of pqm4, compiled with its sources by published.py: RUNS runs, each with a
 * region for keys and for the other operations that pqm4 publishes and that take the same time for
 * any message: encapsulation and decapsulation, or verification. */
#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "counter/markers.h"
#include "device/program.h"

enum { RUNS = 10, MESSAGE_BYTES = 59 };

static uint32_t state = 1;

/* pqm4's source of randomness. */
int randombytes(uint8_t *out, size_t length) {
    return repeatable_entropy(&state, out, length);
}

#ifdef SIGNATURE
static uint8_t public_key[CRYPTO_PUBLICKEYBYTES], secret_key[CRYPTO_SECRETKEYBYTES];
static uint8_t signature[CRYPTO_BYTES], message[MESSAGE_BYTES];

static int run(void) {
    size_t length = 0;
    isopod_region_begin();
    int failed = crypto_sign_keypair(public_key, secret_key);
    isopod_region_end();
    (void)randombytes(message, sizeof message);
    failed |= crypto_sign_signature(signature, &length, message, sizeof message, secret_key);
    isopod_region_begin();
    failed |= crypto_sign_verify(signature, length, message, sizeof message, public_key);
    isopod_region_end();
    return failed;
}
#else
static uint8_t public_key[CRYPTO_PUBLICKEYBYTES], secret_key[CRYPTO_SECRETKEYBYTES];
static uint8_t ciphertext[CRYPTO_CIPHERTEXTBYTES], sent[CRYPTO_BYTES], found[CRYPTO_BYTES];

static int run(void) {
    isopod_region_begin();
    int failed = crypto_kem_keypair(public_key, secret_key);
    isopod_region_end();
    isopod_region_begin();
    failed |= crypto_kem_enc(ciphertext, sent, public_key);
    isopod_region_end();
    isopod_region_begin();
    failed |= crypto_kem_dec(found, ciphertext, secret_key);
    isopod_region_end();
    return failed || digest_of(sent, sizeof sent) != digest_of(found, sizeof found);
}
#endif

int main(void) {
    for (int i = 0; i < RUNS; i++) {
        if (run() != 0) {
            fail("keys do not fit");
        }
    }
    return 0;
}
