/* Links against the library; succeeds if it refuses a key that is none. */
#include "isopod/key.h"
#include "isopod/params.h"

int main(void) {
    static const uint32_t nothing[16];
    isopod_key key;
    return isopod_public_key_open(&key, &isopod_ckks_1024x1_sum, nothing, sizeof nothing) ==
                   ISOPOD_OK
               ? 1
               : 0;
}
