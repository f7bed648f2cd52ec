/* Secret keys opened for decryption alone, so that no method of encryption is linked. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "../keys/blob.h"
#include "../base/memory.h"

isopod_status isopod_decryption_key_open(isopod_key *key, const isopod_params *params,
                                         const isopod_residue *blob, size_t bytes) {
    const uint32_t *words = (const void *)blob;
    isopod_status status = isopod_blob_check(params, words, bytes);
    isopod_wipe_stack();
    uint32_t kind = status == ISOPOD_OK ? words[ISOPOD_KEY_WORD_KIND] : 0;
    if (status == ISOPOD_OK && kind != ISOPOD_KEY_SECRET_TERNARY && kind != ISOPOD_KEY_SECRET_NTT) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK) {
        isopod_key opened = {params, NULL, words, (isopod_key_kind)kind};
        *key = opened;
    } else {
        isopod_wipe(key, sizeof *key);
    }
    return status;
}
