/* Public keys that are loaded prime by prime (spec/wire.md, section 5). Every blob is validated
 * whenever it is loaded: it must match its key_id and belong to the pair that was opened. */
#include "isopod/split_key.h"

#include "../keys/blob.h"
#include "../keys/key_identity.h"
#include "../base/memory.h"
#include "../ring/montgomery.h"
#include "method.h"

/* The prime of a blob, the upper half of its field `primes`. */
/*@ requires \valid_read(blob + (0 .. ISOPOD_KEY_HEADER_BYTES / 4 - 1));
    assigns \nothing;
    ensures \result == blob[ISOPOD_KEY_WORD_PRIMES] / 0x10000; */
static uint32_t prime_of(const uint32_t *blob) {
    return blob[ISOPOD_KEY_WORD_PRIMES] >> ISOPOD_KEY_PRIME_SHIFT;
}

/*@ assigns \nothing;
    ensures \result == 1 <==> kind == ISOPOD_KEY_PUBLIC_PRIME || kind ==
            ISOPOD_KEY_PUBLIC_SEEDED_PRIME; */
static uint32_t is_split(uint32_t kind) {
    return kind == ISOPOD_KEY_PUBLIC_PRIME || kind == ISOPOD_KEY_PUBLIC_SEEDED_PRIME;
}

static const uint8_t *head_of(const uint32_t *blob) {
    return (const uint8_t *)(blob + ISOPOD_KEY_HEADER_BYTES / 4);
}

/* Whether seed and digests are those of the key_id. */
ISOPOD_FRAME_APART static uint32_t has_its_key_id(const isopod_params *params,
                                                  const uint32_t *blob) {
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
    isopod_key_id_of(key_id, params, head_of(blob));
    return isopod_equal(key_id, (const uint8_t *)blob + ISOPOD_KEY_OFFSET_KEY_ID, sizeof key_id);
}

/* Whether pk0 is that of the prime's digest. */
ISOPOD_FRAME_APART static uint32_t has_its_digest(const isopod_params *params,
                                                  const uint32_t *blob) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    uint32_t prime = prime_of(blob);
    isopod_key_digest(digest, params, isopod_blob_residues(params, blob), prime);
    return isopod_equal(
        digest, head_of(blob) + ISOPOD_MASK_SEED_BYTES + (size_t)prime * ISOPOD_DIGEST_BYTES,
        sizeof digest);
}

/* Whether pk1 is the mask of the seed; always, where the blob does not hold it. */
ISOPOD_FRAME_APART static uint32_t has_its_mask(const isopod_params *params, const uint32_t *blob) {
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, prime = prime_of(blob);
    const isopod_residue *second = isopod_blob_residues(params, blob) + n;
    const isopod_mask_position at = {isopod_word_prime_of(params, prime),
                                     (uint8_t)prime,
                                     params->prime_count,
                                     params->log2_ring_degree,
                                     0,
                                     0};
    isopod_residue group[ISOPOD_MASK_GROUP], difference = 0;
    isopod_mask mask;
    if (blob[ISOPOD_KEY_WORD_KIND] != ISOPOD_KEY_PUBLIC_PRIME) {
        return 1;
    }
    isopod_mask_start(&mask, &isopod_suite_chacha20, head_of(blob), &at);
    for (uint32_t i = 0; i < n; i++) {
        if (i % ISOPOD_MASK_GROUP == 0) {
            isopod_mask_group(&mask, group);
        }
        isopod_word value = isopod_montgomery((isopod_word)second[i], 1, at.prime);
        difference |= isopod_canonical(value, at.prime) ^ group[i % ISOPOD_MASK_GROUP];
    }
    return difference == 0;
}

/* Whether every part of the blob belongs to the key that its key_id names, so none is forged. */
static uint32_t is_of_its_key(const isopod_params *params, const uint32_t *blob) {
    return has_its_key_id(params, blob) && has_its_digest(params, blob) &&
           has_its_mask(params, blob);
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
    if (status == ISOPOD_OK && (prime_of(blob) != prime || !is_of_its_key(params, blob))) {
        status = ISOPOD_ERROR_KEY_LOAD;
    }
    return status;
}

/* Loads the blob of the opened pair. After a failure it restores the header, which names the key in
 * the next frame. */
ISOPOD_SMALL static isopod_status begin_prime(const isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    const isopod_split_key *split = (const void *)key;
    const isopod_key_loader *loader = &split->loader;
    uint8_t *bytes = (uint8_t *)loader->blob;
    isopod_status status = fetch(key->params, loader, context->prime);
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
