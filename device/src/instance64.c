/* The second instance: compiles the sources that are generic in the word size (base/word.h) for
 * primes below 2^60 in 64-bit words. No other file includes sources. Code for 64-bit words alone
 * is in files of its own, *64.c. */
#define ISOPOD_WORD_BITS 64
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1 /* linked only where firmware calls it */

#include "random/mask_streams.c"
#include "ring/twiddles.c"
#include "ring/ntt.c"
#include "ring/inverse_ntt.c"
#include "ring/fold.c"
#include "ring/packing.c"
#include "ring/unpack.c"
#include "ring/pointwise.c"
#include "ring/polynomial.c"
#include "ring/product.c"
#include "keys/blob.c"
#include "keys/key_header.c"
#include "keys/seal.c"
#include "keys/key_products.c"
#include "keys/key_pair.c"
#include "keys/keygen.c"
#include "encrypt/chunk.c"
#include "encrypt/public_key.c"
#include "encrypt/secret_key.c"
#include "encrypt/split_key.c"
#include "encrypt/key_slots.c"
#include "decrypt/decryption_key.c"
#include "decrypt/decrypt_residues.c"
