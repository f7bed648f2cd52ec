#include "root.h"

#include "constant_time.h"
#include "keccak.h"
#include "memory.h"
#include "suite_block.h"

static const uint8_t root_label[14] = {'i', 's', 'o', 'p', 'o', 'd', '-',
                                       'v', '1', '-', 'r', 'o', 'o', 't'};

static uint32_t all_bytes_equal(const uint8_t *bytes, size_t length) {
    uint32_t difference = 0;
    for (size_t i = 1; i < length; i++) {
        difference |= (uint32_t)(bytes[i] ^ bytes[0]);
    }
    ISOPOD_DECLASSIFY(difference);
    return difference == 0;
}

static void fingerprint_of(uint8_t out[8], const uint8_t entropy[ISOPOD_ENTROPY_BYTES]) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, entropy, ISOPOD_ENTROPY_BYTES);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, 8);
    isopod_wipe(&sponge, sizeof sponge);
}

/* Takes 32 bytes and refuses a source that fails, gives one byte over and over, or repeats its last
 * answer. */
static isopod_status take_entropy(isopod_entropy *source, uint8_t out[ISOPOD_ENTROPY_BYTES]) {
    uint8_t fingerprint[8];
    if (source->poisoned != 0 || source->fill == NULL) {
        return ISOPOD_ERROR_ENTROPY;
    }
    source->poisoned = 1;
    if (source->fill(source->state, out, ISOPOD_ENTROPY_BYTES) != 0 ||
        all_bytes_equal(out, ISOPOD_ENTROPY_BYTES)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    fingerprint_of(fingerprint, out);
    if (isopod_equal(fingerprint, source->fingerprint, sizeof fingerprint)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    isopod_copy(source->fingerprint, fingerprint, sizeof fingerprint);
    source->counter++;
    source->poisoned = 0;
    return ISOPOD_OK;
}

static void absorb_identity(isopod_keccak *sponge, const isopod_encryption_config *config,
                            uint8_t wire_kind) {
    const uint8_t kinds[2] = {config->suite->id, wire_kind};
    const uint8_t *blob = (const uint8_t *)config->key->blob;
    isopod_keccak_absorb(sponge, kinds, sizeof kinds);
    isopod_keccak_absorb(sponge, blob + 24, ISOPOD_KEY_ID_BYTES);
    isopod_keccak_absorb(sponge, config->params->set_id, sizeof config->params->set_id);
}

static void absorb_hedge(isopod_keccak *sponge, const isopod_entropy *source) {
    uint8_t counter[8];
    static const uint8_t none[32] = {0};
    isopod_store64(counter, source->counter - 1u);
    isopod_keccak_absorb(sponge, source->hedge != NULL ? source->hedge : none, sizeof none);
    isopod_keccak_absorb(sponge, counter, sizeof counter);
}

isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                               uint8_t wire_kind) {
    const isopod_encryption_config *config = context->config;
    uint8_t entropy[ISOPOD_ENTROPY_BYTES];
    isopod_keccak sponge;
    isopod_status status = take_entropy(config->entropy, entropy);
    if (status == ISOPOD_OK) {
        isopod_keccak_start(&sponge);
        isopod_keccak_absorb(&sponge, root_label, sizeof root_label);
        isopod_keccak_absorb(&sponge, entropy, sizeof entropy);
        absorb_hedge(&sponge, config->entropy);
        absorb_identity(&sponge, config, wire_kind);
        isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
        isopod_keccak_squeeze(&sponge, context->mask_seed, config->suite->mask_seed_bytes);
        isopod_keccak_squeeze(&sponge, noise->bytes, sizeof noise->bytes);
        isopod_keccak_squeeze(&sponge, context->nonce, sizeof context->nonce);
        isopod_wipe(&sponge, sizeof sponge);
        ISOPOD_DECLASSIFY(context->mask_seed);
        ISOPOD_DECLASSIFY(context->nonce);
    }
    isopod_wipe(entropy, sizeof entropy);
    return status;
}

isopod_status isopod_root_take_keys(isopod_entropy *source, const isopod_ckks_params *params,
                                    isopod_key_seeds *seeds) {
    static const uint8_t label[16] = {'i', 's', 'o', 'p', 'o', 'd', '-', 'v',
                                      '1', '-', 'k', 'e', 'y', 'g', 'e', 'n'};
    uint8_t entropy[ISOPOD_ENTROPY_BYTES];
    isopod_keccak sponge;
    isopod_status status = take_entropy(source, entropy);
    isopod_wipe(seeds, sizeof *seeds);
    if (status == ISOPOD_OK) {
        isopod_keccak_start(&sponge);
        isopod_keccak_absorb(&sponge, label, sizeof label);
        isopod_keccak_absorb(&sponge, entropy, sizeof entropy);
        absorb_hedge(&sponge, source);
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
