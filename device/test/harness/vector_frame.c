/* Configuration and digests of the frames of the known answers. */
#include "../../src/random/keccak.h"
#include "check.h"
#include "vector_input.h"
#include "../vectors_generated.h"

uint32_t vector_kind(const fixture *fixture) {
    uint32_t kind = fixture->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 1 : 2;
    return fixture->params->plain != NULL ? kind + 2 : kind;
}

void vector_configure(fixture *fixture, uint32_t suite, uint8_t chunks) {
    uint8_t *device_key = check_memory(32);
    fixture_from_hex(device_key, isopod_vectors_device_keys[1].key);
    fixture_configure(fixture, vector_suite(suite), chunks);
    fixture->sender.key = device_key;
}

static void absorb_frame(isopod_frame *frame, isopod_keccak *sponge, uint32_t *bytes) {
    static const uint16_t capacities[6] = {1, 7, 64, 4096, 3, 1000};
    uint8_t piece_bytes[4096];
    isopod_piece piece;
    isopod_status status;
    uint32_t turn = 0, part_bytes = 0;
    while ((status = isopod_frame_next(frame, piece_bytes, capacities[turn++ % 6], &piece)) ==
           ISOPOD_OK) {
        part_bytes += (uint32_t)piece.length;
        isopod_keccak_absorb(sponge, piece_bytes, piece.length);
        *bytes += (uint32_t)piece.length;
        if (turn % 64 == 0 && !piece.part_complete) {
            CHECK(isopod_frame_part_bytes(frame) > part_bytes);
        }
        part_bytes = piece.part_complete ? 0 : part_bytes;
    }
    CHECK(status == ISOPOD_DONE);
}

void vector_check_frame(const fixture *fixture, const isopod_values *values, uint32_t bytes,
                        const char *sha3) {
    isopod_encryption context;
    isopod_frame frame;
    CHECK(fixture_begin(fixture, &context, values) == ISOPOD_OK);
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_OK);
    vector_check_begun(&frame, bytes, sha3);
}

void vector_check_begun(isopod_frame *frame, uint32_t bytes, const char *sha3) {
    uint8_t digest[32];
    isopod_keccak sponge;
    uint32_t written = 0;
    isopod_keccak_start(&sponge);
    absorb_frame(frame, &sponge, &written);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    CHECK(written == bytes);
    CHECK(fixture_is_hex(digest, sizeof digest, sha3));
}
