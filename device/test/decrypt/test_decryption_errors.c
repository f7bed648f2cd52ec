/* Every error of opening and decrypting a result through the public interface: the documented
 * status, values of zeros, and a workspace and a context of zeros. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"

#define DIRT 0xa5u
#define ONE 0x3ff0000000000000u
#define SCALE20 ((uint64_t)(1023 + 20) << 52)
#define TAG_ITEM 17u

typedef struct {
    fixture set;
    result_input input;
    isopod_decrypt_config config;
    uint8_t *item;
    size_t bytes;
    isopod_decoded out;
    isopod_decrypt context;
} decryption;

static int is_zero(const void *memory, size_t length) {
    uint32_t seen = 0;
    for (size_t i = 0; i < length; i++) {
        seen |= ((const uint8_t *)memory)[i];
    }
    return seen == 0;
}

static void paint(void *memory, size_t length) {
    for (size_t i = 0; i < length; i++) {
        ((uint8_t *)memory)[i] = DIRT;
    }
}

static void prepare(decryption *with, uint8_t primes) {
    result_input input = {
        "random", 20, 0, {SCALE20, 0, 1, with->set.n / 2, with->set.n / 2, primes}, 0, 0, {0, 0}};
    with->input = input;
    with->config = result_config(&with->set, &with->input);
    with->item = result_item(&with->set, &with->input, &with->bytes);
    with->out.data = check_memory((size_t)4 * with->set.n);
    with->out.capacity = with->set.n / 2;
    with->out.type = ISOPOD_VALUES_FLOAT64;
}

static isopod_status open_item(const decryption *with, isopod_result *result) {
    paint(result, sizeof *result);
    isopod_status status =
        isopod_result_open(result, with->set.params, result_link_key(), with->item, with->bytes);
    CHECK(status == ISOPOD_OK || is_zero(result, sizeof *result));
    return status;
}

static void paint_all(decryption *with) {
    paint(&with->context, sizeof with->context);
    paint(result_workspace()->memory, result_workspace()->bytes);
    paint(with->out.data, (size_t)8 * with->out.capacity);
}

/* Decrypts from begin to end under another claim than the result's. */
static isopod_status decrypt_as(decryption *with, const isopod_claim *claim) {
    isopod_result result;
    CHECK(open_item(with, &result) == ISOPOD_OK);
    result.claim = *claim;
    paint_all(with);
    isopod_status status = isopod_decrypt_result(&with->context, &with->config, result_workspace(),
                                                 &result, &with->out);
    CHECK(is_zero(&with->context, sizeof with->context));
    return status;
}

static isopod_status decrypt(decryption *with) {
    return decrypt_as(with, &with->input.claim);
}

/* Checks that a refusal at the end leaves zeros everywhere. */
static void expect_at_end(decryption *with, isopod_status expected) {
    CHECK(decrypt(with) == expected);
    CHECK(is_zero(with->out.data, (size_t)8 * with->out.capacity));
    CHECK(is_zero(result_workspace()->memory, result_workspace()->bytes));
}

static void check_authentication(decryption *with) {
    isopod_result result;
    uint8_t other_key[32] = {1};
    check_case("authentication", 0);
    for (size_t at = 0; at < with->bytes; at += at < 80 || at + 40 > with->bytes ? 1 : 997) {
        with->item[at] ^= 0x10u;
        CHECK_QUIET(open_item(with, &result) == ISOPOD_ERROR_AUTHENTICATION);
        with->item[at] ^= 0x10u;
    }
    CHECK(isopod_result_open(&result, with->set.params, other_key, with->item, with->bytes) ==
          ISOPOD_ERROR_AUTHENTICATION);
    for (size_t bytes = 0; bytes < with->bytes; bytes += bytes < 100 ? 1 : 1009) {
        CHECK_QUIET(isopod_result_open(&result, with->set.params, result_link_key(), with->item,
                                       bytes) == ISOPOD_ERROR_AUTHENTICATION);
    }
    CHECK(open_item(with, &result) == ISOPOD_OK);
}

/* Changes one byte, seals anew, and puts it back. */
static isopod_status open_changed(decryption *with, size_t at, uint8_t value) {
    isopod_result result;
    uint8_t before = with->item[at];
    with->item[at] = value;
    result_seal(with->item, with->bytes);
    isopod_status status = open_item(with, &result);
    with->item[at] = before;
    result_seal(with->item, with->bytes);
    return status;
}

/* A byte of an item, the value that replaces it, and the status of opening the changed item. */
typedef struct {
    uint8_t at, value;
    int8_t status;
} change;

/* Offsets: array 0..1, version, kind, set 4..12, key 13..29, nonce 30..46, run 47..63, sequence,
 * index, total 64..66, challenge 67..83, request 84..117, job 118..134, frames 135, origin
 * 136..169, manifest 170... */
static const change provenance_changes[] = {
    {0, 0x8d, ISOPOD_ERROR_RESULT_FORMAT},
    {0, 0x9f, ISOPOD_ERROR_RESULT_FORMAT},
    {1, 27, ISOPOD_ERROR_RESULT_FORMAT},
    {2, 1, ISOPOD_ERROR_RESULT_FORMAT},
    {2, 3, ISOPOD_ERROR_RESULT_FORMAT},
    {3, 17, ISOPOD_ERROR_RESULT_FORMAT},
    {4, 0x47, ISOPOD_ERROR_RESULT_FORMAT},
    {4, 0x68, ISOPOD_ERROR_RESULT_FORMAT},
    {6, 0, ISOPOD_ERROR_KEY_SET},
    {13, 0x51, ISOPOD_ERROR_RESULT_FORMAT},
    {47, 0x51, ISOPOD_ERROR_RESULT_FORMAT},
    {64, 0x20, ISOPOD_ERROR_RESULT_FORMAT},
    {65, 3, ISOPOD_ERROR_RESULT_FORMAT}, /* index 3 of 3 */
    {66, 1, ISOPOD_ERROR_RESULT_FORMAT},
    {66, 0, ISOPOD_ERROR_RESULT_FORMAT},
    {67, 0x4f, ISOPOD_ERROR_RESULT_FORMAT},
    {67, 0x40, ISOPOD_ERROR_RESULT_FORMAT},
    {85, 31, ISOPOD_ERROR_RESULT_FORMAT},
    {118, 0x61, ISOPOD_ERROR_RESULT_FORMAT},
    {118, 0x7f, ISOPOD_ERROR_RESULT_FORMAT},
    {122, 0x0a, ISOPOD_ERROR_RESULT_FORMAT},
    {122, 0x80, ISOPOD_ERROR_RESULT_FORMAT},
    {122, 0xff, ISOPOD_ERROR_RESULT_FORMAT},
    {135, 0, ISOPOD_ERROR_RESULT_FORMAT},
    {137, 33, ISOPOD_ERROR_RESULT_FORMAT},
    {170, 0x40, ISOPOD_ERROR_RESULT_FORMAT},
    {170, 0x5f, ISOPOD_ERROR_RESULT_FORMAT},
};

/* Offsets from the end of the manifest on: packing 0..16, bound 17..25, error 26..34, primes 35,
 * scale 36..44, layout, first, rows 45..47, columns 48..50, stride 51..53, dropped bits 54, 55,
 * head of c0. */
#define AFTER 198u /* the end of the manifest, 26 bytes behind its head */
static const change claim_changes[] = {
    {AFTER, 0x4f, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 17, 0xfa, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 18, 0xbf, ISOPOD_ERROR_RESULT_FORMAT}, /* bound below zero */
    {AFTER + 18, 0x7f, ISOPOD_ERROR_RESULT_FORMAT}, /* infinite */
    {AFTER + 27, 0xbf, ISOPOD_ERROR_RESULT_FORMAT}, /* error below zero */
    {AFTER + 27, 0x7f, ISOPOD_OK},
    {AFTER + 35, 0, ISOPOD_ERROR_LEVEL},
    {AFTER + 35, 4, ISOPOD_ERROR_LEVEL},
    {AFTER + 35, 2, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 35, 0x18, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 36, 0xfa, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 37, 0xc0, ISOPOD_ERROR_SCALE},
    {AFTER + 37, 0x7f, ISOPOD_ERROR_SCALE},
    {AFTER + 37, 0x3f, ISOPOD_ERROR_SCALE},
    {AFTER + 45, 1, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 46, 1, ISOPOD_ERROR_COUNT},
    {AFTER + 47, 0, ISOPOD_ERROR_COUNT},
    {AFTER + 47, 2, ISOPOD_ERROR_COUNT},
    {AFTER + 49, 0, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 49, 9, ISOPOD_ERROR_COUNT}, /* more columns than places to the next row */
    {AFTER + 52, 7, ISOPOD_ERROR_COUNT},
    {AFTER + 54, 1, ISOPOD_ERROR_RESULT_FORMAT}, /* dropped bits of slots */
    {AFTER + 55, 1, ISOPOD_ERROR_RESULT_FORMAT},
    {AFTER + 56, 0x79, ISOPOD_ERROR_RESULT_FORMAT},
};

static void check_changes(decryption *with, const char *name, const change *changes, size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        check_case(name, i);
        CHECK(open_changed(with, changes[i].at, changes[i].value) == changes[i].status);
    }
}

static void check_fields(decryption *with) {
    CHECK(with->item[AFTER] == 0x50 && with->item[AFTER + 36] == 0xfb);
    CHECK(with->item[AFTER + 48] == 0x19 && with->item[AFTER + 51] == 0x19);
    check_changes(with, "field of the provenance", provenance_changes,
                  sizeof provenance_changes / sizeof provenance_changes[0]);
    check_changes(with, "field of the claim", claim_changes,
                  sizeof claim_changes / sizeof claim_changes[0]);
}

/* Refuses items with bytes between c1 and the tag. */
static void check_trailing(decryption *with) {
    isopod_result result;
    uint8_t *longer = check_memory(with->bytes + 1);
    isopod_copy(longer, with->item, with->bytes - TAG_ITEM);
    result_seal(longer, with->bytes + 1);
    CHECK(isopod_result_open(&result, with->set.params, result_link_key(), longer,
                             with->bytes + 1) == ISOPOD_ERROR_RESULT_FORMAT);
}

/* Everything that an owner compares is where the item has it. */
static void check_provenance(decryption *with) {
    isopod_result result;
    const uint8_t *item = with->item;
    check_case("provenance", 0);
    CHECK(open_item(with, &result) == ISOPOD_OK);
    CHECK(result.run == item + 48 && result.run[0] == 0x11);
    CHECK(result.sequence == 9 && result.index == 1 && result.total == 3);
    CHECK(result.challenge == item + 68 && result.challenge[0] == 0x22);
    CHECK(result.request == item + 86 && result.job == item + 119 && result.job_bytes == 16);
    CHECK(result.frames == 5 && result.origin == item + 138);
    CHECK(result.manifest == item + AFTER - 26 && result.manifest_bytes == 26);
    CHECK(result.packing == item + AFTER + 1 && result.packing[0] == 0x70);
    CHECK(result.bound == ONE && result.error == 0x3f50000000000000u);
}

static void check_config(decryption *with) {
    isopod_key public = with->set.key;
    isopod_decrypt_config good = with->config;
    const isopod_workspace memory = *result_workspace();
    check_case("configuration", 0);
    result_workspace()->bytes--;
    CHECK(decrypt(with) == ISOPOD_ERROR_WORKSPACE);
    *result_workspace() =
        (isopod_workspace){(uint8_t *)check_memory(memory.bytes + 8) + 4, memory.bytes};
    CHECK(decrypt(with) == ISOPOD_ERROR_WORKSPACE);
    *result_workspace() = memory;
    public.kind = ISOPOD_KEY_PUBLIC;
    with->config.key = &public;
    CHECK(decrypt(with) == ISOPOD_ERROR_KEY_KIND);
    public = with->set.key;
    public.params = isopod_ckks_sets[0];
    CHECK(decrypt(with) == ISOPOD_ERROR_KEY_SET);
    with->config = good;
    for (int bound = -61; bound <= 58; bound += 119) {
        with->config.log2_bound = (int8_t)bound;
        CHECK(decrypt(with) == ISOPOD_ERROR_BOUND);
    }
    with->config.log2_bound = (int8_t)-21;
    CHECK(decrypt(with) == ISOPOD_ERROR_BOUND);
    with->config = good;
    with->set.tables.set_id[0] ^= 1u;
    CHECK(decrypt(with) == ISOPOD_ERROR_TABLES);
    with->set.tables.set_id[0] ^= 1u;
}

static void check_claim(decryption *with) {
    isopod_claim claim = with->input.claim;
    uint32_t half = with->set.n / 2;
    check_case("claim", 0);
    claim.primes = (uint8_t)(with->set.params->prime_count + 1u);
    CHECK(decrypt_as(with, &claim) == ISOPOD_ERROR_LEVEL);
    claim = with->input.claim;
    claim.scale = ONE - 1;
    CHECK(decrypt_as(with, &claim) == ISOPOD_ERROR_SCALE);
    claim.scale = (uint64_t)(1023 + 120) << 52;
    CHECK(decrypt_as(with, &claim) == ISOPOD_ERROR_SCALE);
    claim.scale = SCALE20 | (uint64_t)1 << 63;
    CHECK(decrypt_as(with, &claim) == ISOPOD_ERROR_SCALE);
    const isopod_claim wrong[9] = {{SCALE20, 0, 1, half + 1, half + 1, 1},
                                   {SCALE20, half, 1, 1, 1, 1},
                                   {SCALE20, 0, 0, 1, 1, 1},
                                   {SCALE20, 0, 1, 0, 1, 1},
                                   {SCALE20, 0, 2, 2, 1, 1},
                                   {SCALE20, 0, 1, 1, 0, 1},
                                   {SCALE20, 2, half / 8, 7, 8, 1},
                                   {SCALE20, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1},
                                   {SCALE20, 1, 2, 1, UINT32_MAX, 1}};
    for (uint32_t i = 0; i < 9; i++) {
        CHECK(decrypt_as(with, &wrong[i]) == ISOPOD_ERROR_COUNT);
    }
}

static void check_output(decryption *with) {
    isopod_decoded good = with->out;
    check_case("output", 0);
    with->out.capacity--;
    expect_at_end(with, ISOPOD_ERROR_COUNT);
    with->out = good;
    with->out.type = (isopod_value_type)0;
    CHECK(decrypt(with) == ISOPOD_ERROR_VALUE_TYPE);
    with->out.type = (isopod_value_type)5;
    CHECK(decrypt(with) == ISOPOD_ERROR_VALUE_TYPE);
    with->out = good;
    CHECK(decrypt(with) == ISOPOD_OK);
}

/* Sets bit field `index` of the packed residues of c0 or c1. */
static void put_residue(const decryption *with, uint32_t component, uint32_t index,
                        uint32_t value) {
    uint32_t bits = with->set.params->primes[0].bits;
    size_t polynomial = with->set.n / 8 * bits;
    uint8_t *at = with->item + result_residues_offset(&with->set, &with->input, with->bytes);
    at += component == 0 ? 0 : with->bytes - TAG_ITEM - polynomial - (size_t)(at - with->item);
    for (uint32_t b = 0; b < bits; b++) {
        uint32_t place = bits * index + b;
        at[place / 8] =
            (uint8_t)((at[place / 8] & ~(1u << place % 8)) | (value >> b & 1u) << place % 8);
    }
    result_seal(with->item, with->bytes);
}

static void check_residues(decryption *with) {
    const uint32_t q = with->set.params->primes[0].modulus;
    uint8_t *kept = check_memory(with->bytes), *item = with->item;
    isopod_copy(kept, item, with->bytes);
    check_case("residues", 0);
    for (uint32_t component = 0; component < 2; component++) {
        put_residue(with, component, 77, q);
        expect_at_end(with, ISOPOD_ERROR_RESIDUE);
        put_residue(with, component, with->set.n - 1,
                    (1u << with->set.params->primes[0].bits) - 1u);
        expect_at_end(with, ISOPOD_ERROR_RESIDUE);
        isopod_copy(item, kept, with->bytes);
        put_residue(with, component, 77, q - 1);
        expect_at_end(with, ISOPOD_ERROR_RESULT_BOUND); /* valid residues of another message */
        isopod_copy(item, kept, with->bytes);
    }
    CHECK(decrypt(with) == ISOPOD_OK);
}

static void check_key_id(decryption *with) {
    with->item[20] ^= 1u;
    result_seal(with->item, with->bytes);
    CHECK(decrypt(with) == ISOPOD_ERROR_KEY_SET);
    with->item[20] ^= 1u;
    result_seal(with->item, with->bytes);
}

/* Refuses bounds too small by more than a factor of two, whatever the noise. */
static void check_bound(decryption *with, uint8_t primes) {
    check_case("bound", primes);
    prepare(with, primes);
    CHECK(decrypt(with) == ISOPOD_OK);
    for (int8_t bound = -2; bound >= -20; bound = (int8_t)(bound - 3)) {
        with->config.log2_bound = bound;
        expect_at_end(with, ISOPOD_ERROR_RESULT_BOUND);
    }
}

static void check_order(decryption *with) {
    const uint8_t byte = 0;
    isopod_decrypt *context = &with->context;
    uint8_t *residues = with->item + result_residues_offset(&with->set, &with->input, with->bytes);
    size_t polynomial = (size_t)with->set.n / 8 * with->set.params->primes[0].bits;
    check_case("order of calls", 0);
    isopod_wipe(context, sizeof *context);
    isopod_decrypt_abort(context);
    CHECK(isopod_decrypt_unauthenticated_feed(context, &byte, 1) == ISOPOD_ERROR_STATE);
    CHECK(isopod_decrypt_unauthenticated_finish(context, &with->out) == ISOPOD_ERROR_STATE);
    CHECK(isopod_decrypt_unauthenticated_begin(context, &with->config, result_workspace(),
                                               &with->input.claim) == 0);
    CHECK(isopod_decrypt_unauthenticated_feed(context, residues, polynomial) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_finish(context, &with->out) == ISOPOD_ERROR_LENGTH);
    CHECK(is_zero(result_workspace()->memory, result_workspace()->bytes));
    CHECK(isopod_decrypt_unauthenticated_begin(context, &with->config, result_workspace(),
                                               &with->input.claim) == 0);
    CHECK(isopod_decrypt_unauthenticated_feed(context, residues, polynomial) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_feed(context, residues, polynomial) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_feed(context, &byte, 0) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_feed(context, &byte, 1) == ISOPOD_ERROR_LENGTH);
    CHECK(is_zero(result_workspace()->memory, result_workspace()->bytes));
    CHECK(isopod_decrypt_unauthenticated_finish(context, &with->out) == ISOPOD_ERROR_STATE);
}

static size_t residue_bytes(const decryption *with) {
    size_t bytes = 0;
    for (uint32_t j = 0; j < with->input.claim.primes; j++) {
        bytes += (size_t)with->set.n / 8 * with->set.params->primes[j].bits;
    }
    return bytes;
}

/* Decrypts residues at their limits; sanitised builds notice overflows. */
static void check_noise(decryption *with, uint8_t primes) {
    uint32_t state = primes;
    prepare(with, primes);
    size_t from = result_residues_offset(&with->set, &with->input, with->bytes);
    for (uint32_t turn = 0; turn < 8; turn++) {
        for (size_t at = from; at < with->bytes - TAG_ITEM; at++) {
            state = state * 1664525u + 1013904223u;
            with->item[at] = turn == 0 ? 0xffu : turn == 1 ? 0 : (uint8_t)(state >> 24);
        }
        isopod_claim claim = with->input.claim;
        with->config.log2_bound = (int8_t)(turn % 3);
        paint_all(with);
        CHECK(isopod_decrypt_unauthenticated_begin(&with->context, &with->config,
                                                   result_workspace(), &claim) == 0);
        size_t half = residue_bytes(with);
        CHECK(isopod_decrypt_unauthenticated_feed(&with->context, with->item + from, half) == 0);
        CHECK(isopod_decrypt_unauthenticated_feed(&with->context, with->item + from + 2, half) ==
              0);
        isopod_status status = isopod_decrypt_unauthenticated_finish(&with->context, &with->out);
        CHECK(turn == 1 ? status == ISOPOD_OK : status < 0); /* zeros decrypt to zeros */
        CHECK(is_zero(with->out.data, (size_t)8 * with->out.capacity));
    }
}

void test_decryption_errors(void) {
    decryption with;
    fixture_open(&with.set, &isopod_ckks_4096x3_multiply, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&with.set, &isopod_suite_chacha20, 1);
    prepare(&with, 1);
    CHECK(decrypt(&with) == ISOPOD_OK);
    check_authentication(&with);
    check_fields(&with);
    check_trailing(&with);
    check_provenance(&with);
    check_config(&with);
    check_claim(&with);
    check_output(&with);
    check_residues(&with);
    check_key_id(&with);
    check_order(&with);
    for (uint8_t primes = 1; primes <= 3; primes++) {
        size_t mark = check_memory_mark();
        check_bound(&with, primes);
        check_noise(&with, primes);
        check_memory_release(mark);
    }
}
