/* Public keys that are loaded prime by prime (spec/wire.md, section 5): every blob is validated
 * whenever it is loaded, and must belong to the pair that was opened. */
#include "isopod/split_key.h"

#include "../keys/blob.h"
#include "../base/memory.h"
#include "method.h"

/* The prime of a blob, the upper half of its field `primes`. */
static uint32_t prime_of(const uint32_t *blob) {
    return blob[ISOPOD_KEY_WORD_PRIMES] >> ISOPOD_KEY_PRIME_SHIFT;
}

static uint32_t is_split(uint32_t kind) {
    return kind == ISOPOD_KEY_PUBLIC_PRIME || kind == ISOPOD_KEY_PUBLIC_SEEDED_PRIME;
}

/* Loads a valid blob of this prime, of any key pair. */
ISOPOD_FRAME_APART static isopod_status fetch(const isopod_params *params,
                                              const isopod_key_loader *loader, uint8_t prime) {
    const uint32_t *blob = loader->blob;
    if (loader->load(loader->state, prime, loader->blob, loader->bytes) != 0) {
        return ISOPOD_ERROR_KEY_LOAD;
    }
    isopod_status status = isopod_blob_check(params, blob, loader->bytes);
    if (status == ISOPOD_OK && !is_split(blob[ISOPOD_KEY_WORD_KIND])) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    return status == ISOPOD_OK && prime_of(blob) != prime ? ISOPOD_ERROR_KEY_LOAD : status;
}

/* Loads the blob of the opened pair. The header is restored after a failure: it names the key in
 * the next frame. */
ISOPOD_SMALL static isopod_status begin_prime(const isopod_key *key, uint8_t prime) {
    const isopod_split_key *split = (const void *)key;
    const isopod_key_loader *loader = &split->loader;
    uint8_t *bytes = (uint8_t *)loader->blob;
    isopod_status status = fetch(key->params, loader, prime);
    isopod_wipe_stack(); /* the blob may be that of a secret key */
    if (status == ISOPOD_OK && !isopod_equal(bytes, split->header, sizeof split->header)) {
        status = ISOPOD_ERROR_KEY_LOAD;
    }
    if (status != ISOPOD_OK) {
        isopod_wipe(bytes, loader->bytes);
        isopod_copy(bytes, split->header, sizeof split->header);
    }
    return status;
}

static const struct isopod_encryption_method split_method = {.word_bytes = sizeof(isopod_word),
                                                             .components = 2,
                                                             .workspace_bytes =
                                                                 isopod_public_workspace_bytes,
                                                             .sample = isopod_public_sample,
                                                             .chunk = isopod_public_chunk,
                                                             .begin_prime = begin_prime};

ISOPOD_SMALL isopod_status isopod_split_key_open(isopod_split_key *split,
                                                 const isopod_params *params,
                                                 const isopod_key_loader *loader) {
    isopod_status status = fetch(params, loader, 0);
    isopod_wipe_stack();
    isopod_wipe(split, sizeof *split);
    if (status == ISOPOD_OK) {
        isopod_key opened = {params, &split_method, loader->blob,
                             (isopod_key_kind)loader->blob[ISOPOD_KEY_WORD_KIND]};
        split->key = opened;
        split->loader = *loader;
        isopod_copy(split->header, (const uint8_t *)loader->blob, sizeof split->header);
    } else {
        isopod_wipe(loader->blob, loader->bytes);
    }
    return status;
}
