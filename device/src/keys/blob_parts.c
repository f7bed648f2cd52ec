/* The parts of the check of key blobs (spec/wire.md, section 5) that do not depend on the word
 * size. */
#include "blob.h"
#include "../base/constant_time.h"
#include "../random/keccak.h"
#include "../base/memory.h"
#include "../base/program_memory.h"

ISOPOD_SMALL void isopod_blob_digest(uint8_t digest[ISOPOD_DIGEST_BYTES], const uint32_t *blob,
                                     uint32_t payload) {
    const uint8_t *bytes = (const uint8_t *)blob;
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, bytes, ISOPOD_KEY_OFFSET_DIGEST);
    isopod_keccak_absorb(&sponge, bytes + ISOPOD_KEY_HEADER_BYTES, payload);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, ISOPOD_DIGEST_BYTES);
    isopod_wipe(&sponge, sizeof sponge);
}

ISOPOD_SMALL uint32_t isopod_blob_has_valid_digest(const uint32_t *blob, uint32_t payload) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    isopod_blob_digest(digest, blob, payload);
    return isopod_equal(digest, (const uint8_t *)blob + ISOPOD_KEY_OFFSET_DIGEST, sizeof digest);
}

uint32_t isopod_blob_has_valid_residues(const uint32_t *residues, uint32_t count,
                                        uint32_t modulus) {
    uint32_t violation = 0;
    for (uint32_t i = 0; i < count; i++) {
        violation |= (modulus - 1u - residues[i]) | residues[i];
    }
    violation >>= 31;
    ISOPOD_DECLASSIFY(violation);
    return violation == 0;
}

ISOPOD_SMALL uint32_t isopod_blob_has_valid_symbols(const uint32_t *symbols, uint32_t count) {
    uint32_t violation = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        uint32_t word = symbols[i / 16];
        violation |= word & (word >> 1) & 0x55555555u;
    }
    ISOPOD_DECLASSIFY(violation);
    return violation == 0;
}

ISOPOD_SMALL uint32_t isopod_blob_has_magic(const uint32_t *blob, size_t bytes) {
    static const uint8_t magic[] ISOPOD_PROGRAM_MEMORY = ISOPOD_KEY_MAGIC;
    const uint8_t *at = (const uint8_t *)blob;
    return bytes >= ISOPOD_KEY_HEADER_BYTES && isopod_load32(at) == isopod_program_load32(magic) &&
           isopod_load32(at + 4) == isopod_program_load32(magic + 4);
}
