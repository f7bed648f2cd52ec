/* Uses the installed library: refuses a key that is none. */
#include INSTALLED_HEADER
#include "isopod_tables.h"

int main(void) {
    static const uint32_t nothing[16];
    isopod_key key;
    const isopod_status status =
        isopod_public_key_open(&key, &isopod_ckks_1024x1_sum, nothing, sizeof nothing);
    return status == ISOPOD_ERROR_KEY_FORMAT && isopod_tables_ckks_1024x1_sum.cosine32 ? 0 : 1;
}
