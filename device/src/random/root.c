/* Roots from entropy, sender, hedge and identity by SHAKE-256 (spec/ckks.md, section 2). A source
 * that fails or repeats itself is poisoned and refused from then on. */
#include "root.h"

#include "../base/constant_time.h"
#include "../base/memory.h"

static const uint8_t root_label[] = ISOPOD_HASH_LABEL_ROOT;

static uint32_t all_bytes_equal(const uint8_t *bytes, size_t length) {
    uint32_t difference = 0;
    for (size_t i = 1; i < length; i++) {
        difference |= (uint32_t)(bytes[i] ^ bytes[0]);
    }
    ISOPOD_DECLASSIFY(difference);
    return difference == 0;
}

/* A one-way fingerprint: a ChaCha20 block under the entropy, which serves no other purpose. */
static void fingerprint_of(uint32_t block[ISOPOD_CHACHA20_WORDS],
                           const uint8_t entropy[ISOPOD_ENTROPY_BYTES]) {
    uint32_t input[4] = {0};
    input[1] = 0x676e6966u, input[2] = 0x72707265u, input[3] = 0x746e6974u;
    isopod_chacha20_block(block, entropy, input);
}

/*@ requires \valid_read(source);
    assigns \nothing;
    ensures \result != 0 ==> source->poisoned == 0; */
ISOPOD_SMALL uint32_t isopod_entropy_is_usable(const isopod_entropy *source) {
    return source->poisoned == 0 && source->fill != NULL;
}

/* Poisons the source until its bytes are confirmed. */
static isopod_status draw_entropy(isopod_entropy *source, uint8_t out[ISOPOD_ENTROPY_BYTES]) {
    if (!isopod_entropy_is_usable(source)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    source->poisoned = 1;
    return source->fill(source->state, out, ISOPOD_ENTROPY_BYTES) != 0 ? ISOPOD_ERROR_ENTROPY
                                                                       : ISOPOD_OK;
}

/* Refuses bytes that are all equal, and the same bytes as last time. Leaves traces in the block. */
ISOPOD_SMALL static isopod_status confirm_entropy(isopod_entropy *source,
                                                  const uint8_t entropy[ISOPOD_ENTROPY_BYTES],
                                                  uint32_t block[ISOPOD_CHACHA20_WORDS]) {
    const uint8_t *fingerprint = (const uint8_t *)block;
    if (all_bytes_equal(entropy, ISOPOD_ENTROPY_BYTES)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    fingerprint_of(block, entropy);
    if (isopod_equal(fingerprint, source->fingerprint, sizeof source->fingerprint)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    isopod_copy(source->fingerprint, fingerprint, sizeof source->fingerprint);
    source->poisoned = 0;
    return ISOPOD_OK;
}

ISOPOD_SMALL static isopod_status confirm_apart(isopod_entropy *source,
                                                const uint8_t entropy[ISOPOD_ENTROPY_BYTES]) {
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    isopod_status status = confirm_entropy(source, entropy, block);
    isopod_wipe(block, sizeof block);
    return status;
}

ISOPOD_SMALL isopod_status isopod_root_take_entropy(isopod_entropy *source,
                                                    uint8_t out[ISOPOD_ENTROPY_BYTES]) {
    isopod_status status = draw_entropy(source, out);
    return status == ISOPOD_OK ? confirm_apart(source, out) : status;
}

ISOPOD_SMALL isopod_status isopod_root_take_entropy_in(uint32_t block[ISOPOD_CHACHA20_WORDS],
                                                       isopod_entropy *source,
                                                       uint8_t out[ISOPOD_ENTROPY_BYTES]) {
    isopod_status status = draw_entropy(source, out);
    return status == ISOPOD_OK ? confirm_entropy(source, out, block) : status;
}

ISOPOD_FRAME_APART void isopod_root_prepare(isopod_root_draft *draft,
                                            const isopod_root_name *name) {
    const uint8_t kinds[2] = {name->suite, name->wire_kind};
    uint8_t numbers[12];
    isopod_keccak *sponge = &draft->sponge;
    draft->source = name->entropy;
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, root_label, sizeof root_label);
    sponge->position += ISOPOD_ENTROPY_BYTES;
    isopod_frame_name_bytes(numbers, name->name);
    isopod_keccak_absorb(sponge, name->device_key, ISOPOD_FRAME_KEY_BYTES);
    isopod_keccak_absorb(sponge, numbers, sizeof numbers);
    isopod_keccak_absorb(sponge, kinds, sizeof kinds);
    isopod_keccak_absorb(sponge, name->key_id, ISOPOD_KEY_ID_BYTES);
    isopod_keccak_absorb(sponge, name->set_id, ISOPOD_SET_ID_BYTES);
    isopod_keccak_absorb(sponge, name->hedge, ISOPOD_TAG_BYTES);
    isopod_keccak_finish(sponge, ISOPOD_SHAKE256_PADDING);
}

ISOPOD_SMALL isopod_status isopod_root_draw(isopod_root_draft *draft) {
    isopod_status status = draw_entropy(draft->source, draft->entropy);
    if (status == ISOPOD_OK) {
        isopod_keccak_insert(&draft->sponge, sizeof root_label, draft->entropy,
                             sizeof draft->entropy);
    }
    return status;
}

isopod_status isopod_root_confirm(isopod_root_draft *draft) {
    return confirm_apart(draft->source, draft->entropy);
}

ISOPOD_SMALL isopod_status isopod_root_start(isopod_root_draft *draft,
                                             const isopod_root_name *name) {
    isopod_root_prepare(draft, name);
    isopod_status status = isopod_root_draw(draft);
    return status == ISOPOD_OK ? isopod_root_confirm(draft) : status;
}

ISOPOD_FRAME_APART isopod_status isopod_root_take_keys(isopod_entropy *source,
                                                       const isopod_params *params,
                                                       isopod_key_seeds *seeds) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_KEYGEN;
    uint8_t entropy[ISOPOD_ENTROPY_BYTES];
    isopod_keccak sponge;
    isopod_status status = isopod_root_take_entropy(source, entropy);
    isopod_wipe(seeds, sizeof *seeds);
    if (status == ISOPOD_OK) {
        isopod_keccak_start(&sponge);
        isopod_keccak_absorb(&sponge, label, sizeof label);
        isopod_keccak_absorb(&sponge, entropy, sizeof entropy);
        isopod_keccak_absorb(&sponge, params->set_id, sizeof params->set_id);
        isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
        isopod_keccak_squeeze(&sponge, seeds->secret.bytes, sizeof seeds->secret.bytes);
        isopod_keccak_squeeze(&sponge, seeds->mask_seed, sizeof seeds->mask_seed);
        isopod_keccak_squeeze(&sponge, seeds->noise.bytes, sizeof seeds->noise.bytes);
        isopod_wipe(&sponge, sizeof sponge);
        ISOPOD_DECLASSIFY(seeds->mask_seed);
    }
    isopod_wipe(entropy, sizeof entropy);
    return status;
}
