/* Seals of keys in flash (spec/wire.md, section 5): a tag of the whole blob under its digest.
 * Public: the digest is no secret, and the seal authenticates nobody. */
#include "seal.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../tag/tag.h"
#include "blob.h"

#define NONCE_BYTES 16u /* label and generation */

/* The tag of header and payload under the first bytes of a seal. */
static void tag_of(uint8_t out[ISOPOD_TAG_BYTES], const uint8_t *blob, size_t bytes,
                   const uint8_t *nonce) {
    const isopod_tag_name name = {.key = blob + ISOPOD_KEY_OFFSET_DIGEST,
                                  .nonce = nonce,
                                  .domain = ISOPOD_TAG_DOMAIN_KEY_SEAL};
    isopod_tag_of(out, &name, blob, bytes);
}

isopod_status isopod_key_seal(uint8_t seal[ISOPOD_KEY_SEAL_BYTES], const isopod_params *params,
                              const isopod_residue *blob, size_t bytes, uint32_t generation) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_KEY_SEAL;
    isopod_status status = isopod_blob_check(params, (const void *)blob, bytes);
    isopod_wipe_stack(); /* the blob may be that of a secret key */
    isopod_wipe(seal, ISOPOD_KEY_SEAL_BYTES);
    if (status == ISOPOD_OK) {
        isopod_copy(seal, label, sizeof label);
        isopod_store32(seal + sizeof label, generation);
        tag_of(seal + NONCE_BYTES, (const uint8_t *)blob, bytes, seal);
    }
    return status;
}

isopod_status isopod_sealed_key_check(const isopod_params *params, const uint32_t *sealed,
                                      size_t bytes) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_KEY_SEAL;
    const uint8_t *all = (const uint8_t *)sealed;
    uint8_t tag[ISOPOD_TAG_BYTES];
    if (bytes < ISOPOD_KEY_HEADER_BYTES + ISOPOD_KEY_SEAL_BYTES) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    size_t most = bytes - ISOPOD_KEY_SEAL_BYTES - ISOPOD_KEY_HEADER_BYTES;
    size_t payload = sealed[ISOPOD_KEY_WORD_PAYLOAD_BYTES];
    size_t blob = ISOPOD_KEY_HEADER_BYTES + (payload < most ? payload : most);
    isopod_status status = isopod_parameters_check(params);
    if (isopod_parameters_has_primes64(params) != (ISOPOD_WORD_BITS == 64)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status == ISOPOD_OK) {
        status = isopod_blob_check_header(params, sealed, blob);
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    tag_of(tag, all, blob, all + blob);
    uint32_t is_whole = isopod_equal(all + blob, label, sizeof label) &
                        isopod_equal(all + blob + NONCE_BYTES, tag, sizeof tag);
    ISOPOD_DECLASSIFY(is_whole);
    return is_whole != 0 ? ISOPOD_OK : ISOPOD_ERROR_KEY_SEAL;
}
