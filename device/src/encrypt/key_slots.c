/* The newest whole key of several slots in flash. */
#include "isopod/sealed_key.h"

#include "../base/memory.h"
#include "../keys/blob.h"

/* The generation that a slot states, not verified yet; 0 if it states none. */
static uint32_t generation_of(const isopod_key_slots *slots, uint32_t slot) {
    const uint8_t *start = (const uint8_t *)slots->start + slot * slots->slot_bytes;
    uint32_t payload = isopod_load32(start + ISOPOD_KEY_OFFSET_PAYLOAD_BYTES);
    size_t head = ISOPOD_KEY_HEADER_BYTES + ISOPOD_KEY_SEAL_BYTES;
    if (slots->slot_bytes < head || payload > slots->slot_bytes - head) {
        return 0;
    }
    return isopod_load32(start + ISOPOD_KEY_HEADER_BYTES + payload + 8u);
}

/* The slot with the largest generation of those not yet tried; slots->count if none is left. */
static uint32_t next_of(const isopod_key_slots *slots, uint32_t tried) {
    uint32_t found = slots->count, largest = 0;
    for (uint32_t slot = 0; slot < slots->count; slot++) {
        uint32_t generation = (tried >> slot & 1u) != 0 ? 0 : generation_of(slots, slot);
        if (generation > largest) {
            largest = generation;
            found = slot;
        }
    }
    return found;
}

isopod_status isopod_sealed_public_key_newest(isopod_key *key, const isopod_params *params,
                                              const isopod_key_slots *slots, uint32_t *slot) {
    isopod_status status = ISOPOD_ERROR_KEY_SEAL;
    uint32_t tried = 0;
    isopod_wipe(key, sizeof *key);
    while (status != ISOPOD_OK && (*slot = next_of(slots, tried)) != slots->count) {
        const uint8_t *start = (const uint8_t *)slots->start + *slot * slots->slot_bytes;
        tried |= UINT32_C(1) << *slot;
        status = isopod_sealed_public_key_open(key, params, (const void *)start, slots->slot_bytes);
    }
    return status;
}
