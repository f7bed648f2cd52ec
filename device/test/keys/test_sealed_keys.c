/* Sealed keys in simulated flash: whole ones open, half written and changed ones do not, and the
 * newest whole key of several slots is taken. */
#include "isopod/sealed_key.h"

#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define ERASED 0xffu

static void copy(uint8_t *out, const void *from, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = ((const uint8_t *)from)[i];
    }
}

static void erase(uint8_t *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = ERASED;
    }
}

static isopod_status seal(const fixture *set, uint8_t out[ISOPOD_KEY_SEAL_BYTES],
                          uint32_t generation) {
    return set->params->primes64 != NULL
               ? isopod64_key_seal(out, set->params, (const void *)set->blob, set->blob_bytes,
                                   generation)
               : isopod_key_seal(out, set->params, set->blob, set->blob_bytes, generation);
}

static isopod_status open_sealed(const fixture *set, isopod_key *key, const void *at,
                                 size_t bytes) {
    return set->params->primes64 != NULL
               ? isopod64_sealed_public_key_open(key, set->params, at, bytes)
               : isopod_sealed_public_key_open(key, set->params, at, bytes);
}

static isopod_status open_newest(const fixture *set, isopod_key *key, const isopod_key_slots *slots,
                                 uint32_t *slot) {
    return (set->params->primes64 != NULL
                ? isopod64_sealed_public_key_newest
                : isopod_sealed_public_key_newest)(key, set->params, slots, slot);
}

static void expect(const fixture *set, const void *at, size_t bytes, isopod_status expected) {
    isopod_key key = set->key;
    CHECK_QUIET(open_sealed(set, &key, at, bytes) == expected);
    CHECK_QUIET((key.method != NULL) == (expected == ISOPOD_OK));
    CHECK_QUIET((key.blob != NULL) == (expected == ISOPOD_OK));
}

/* Every bit of header and seal counts, and so does the payload at many places. */
static void check_changes(const fixture *set, uint8_t *slot, size_t slot_bytes) {
    size_t whole = set->blob_bytes + ISOPOD_KEY_SEAL_BYTES;
    check_case("changed bit", 0);
    for (size_t i = 0; i < whole;
         i += i >= ISOPOD_KEY_HEADER_BYTES && i < set->blob_bytes ? 997 : 1) {
        isopod_key key;
        slot[i] ^= 1u << i % 8;
        isopod_status status = open_sealed(set, &key, slot, slot_bytes);
        CHECK_QUIET(status == ISOPOD_ERROR_KEY_SEAL || status == ISOPOD_ERROR_KEY_FORMAT ||
                    status == ISOPOD_ERROR_KEY_SET);
        CHECK_QUIET(i < ISOPOD_KEY_HEADER_BYTES || status == ISOPOD_ERROR_KEY_SEAL);
        slot[i] ^= 1u << i % 8;
    }
    expect(set, slot, slot_bytes, ISOPOD_OK);
    expect(set, slot, whole, ISOPOD_OK);
    expect(set, slot, whole - 1, ISOPOD_ERROR_KEY_FORMAT);
    expect(set, slot, 80, ISOPOD_ERROR_KEY_FORMAT);
    expect(set, slot, 0, ISOPOD_ERROR_KEY_FORMAT);
}

/* Writing stops at many places: the older key stays in use, whatever the other slot held. */
static void check_cuts(const fixture *set, uint8_t *flash, size_t slot_bytes) {
    const isopod_key_slots slots = {flash, slot_bytes, 2};
    size_t whole = set->blob_bytes + ISOPOD_KEY_SEAL_BYTES;
    uint8_t *next = flash + slot_bytes;
    uint8_t *image = check_memory(whole);
    isopod_key key;
    uint32_t slot = 7;
    check_case("half written", 0);
    copy(image, set->blob, set->blob_bytes);
    CHECK(seal(set, image + set->blob_bytes, 2) == ISOPOD_OK);
    for (size_t cut = 0; cut<whole; cut += cut> 96 && cut + 64 < whole ? 1531 : 4) {
        erase(next, slot_bytes);
        copy(next, image, cut);
        CHECK_QUIET(open_newest(set, &key, &slots, &slot) == ISOPOD_OK && slot == 0);
        CHECK_QUIET(key.blob == (const void *)flash);
    }
    copy(next, image, whole);
    CHECK(open_newest(set, &key, &slots, &slot) == ISOPOD_OK && slot == 1);
    flash[100] ^= 1u;
    CHECK(open_newest(set, &key, &slots, &slot) == ISOPOD_OK && slot == 1);
    next[100] ^= 1u;
    CHECK(open_newest(set, &key, &slots, &slot) == ISOPOD_ERROR_KEY_SEAL && key.method == NULL);
    erase(flash, 2 * slot_bytes);
    CHECK(open_newest(set, &key, &slots, &slot) == ISOPOD_ERROR_KEY_SEAL);
    /* Among two with one generation, the whole one. */
    copy(flash, image, whole);
    copy(next, image, whole);
    flash[120] ^= 1u;
    CHECK(open_newest(set, &key, &slots, &slot) == ISOPOD_OK && slot == 1);
    flash[120] ^= 1u;
}

static void check_set(const isopod_params *params, isopod_key_kind kind) {
    fixture set;
    fixture_open(&set, params, kind);
    size_t slot_bytes = (set.blob_bytes + ISOPOD_KEY_SEAL_BYTES + 255) / 256 * 256;
    uint8_t *flash = check_memory(2 * slot_bytes);
    erase(flash, 2 * slot_bytes);
    copy(flash, set.blob, set.blob_bytes);
    CHECK(seal(&set, flash + set.blob_bytes, 1) == ISOPOD_OK);
    expect(&set, flash, slot_bytes, ISOPOD_OK);
    check_changes(&set, flash, slot_bytes);
    check_cuts(&set, flash, slot_bytes);
    check_memory_reset();
}

/* Neither a secret key nor a key of another set opens; a blob with a wrong residue is not sealed.
 */
static void check_others(void) {
    fixture set;
    isopod_key key;
    uint8_t any = 0;
    check_case("other keys", 0);
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY);
    size_t whole = set.blob_bytes + ISOPOD_KEY_SEAL_BYTES;
    uint8_t *slot = check_memory(whole);
    copy(slot, set.blob, set.blob_bytes);
    CHECK(seal(&set, slot + set.blob_bytes, 1) == ISOPOD_OK);
    CHECK(open_sealed(&set, &key, slot, whole) == ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_sealed_public_key_open(&key, &isopod_ckks_2048x1_sum, (const void *)slot, whole) ==
          ISOPOD_ERROR_KEY_SET);
    CHECK(isopod64_sealed_public_key_open(&key, set.params, (const void *)slot, whole) ==
          ISOPOD_ERROR_PARAMETERS);
    set.blob[ISOPOD_KEY_HEADER_BYTES / 4] ^= 1u;
    CHECK(seal(&set, slot + set.blob_bytes, 1) == ISOPOD_ERROR_KEY_FORMAT);
    for (uint32_t i = 0; i < ISOPOD_KEY_SEAL_BYTES; i++) {
        any |= slot[set.blob_bytes + i];
    }
    CHECK(any == 0);
    check_memory_reset();
}

void test_sealed_keys(void) {
    check_set(&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    check_set(&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC_SEEDED);
    check_set(&isopod_bfv_2048x1_count, ISOPOD_KEY_PUBLIC);
    check_set(&isopod_ckks_8192x3w_sum, ISOPOD_KEY_PUBLIC_SEEDED);
    check_others();
}
