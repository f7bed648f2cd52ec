/* Ternary secret keys opened for packets alone, so that no other encryption is linked. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/packet.h"

#include "../base/memory.h"
#include "blob.h"

isopod_status isopod_packet_key_open(isopod_key *key, const isopod_params *params,
                                     const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_blob_check(params, blob, bytes);
    isopod_wipe_stack();
    if (status == ISOPOD_OK && blob[ISOPOD_KEY_WORD_KIND] != ISOPOD_KEY_SECRET_TERNARY) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    isopod_wipe(key, sizeof *key);
    if (status == ISOPOD_OK) {
        const isopod_key opened = {params, NULL, blob, ISOPOD_KEY_SECRET_TERNARY};
        *key = opened;
    }
    return status;
}
