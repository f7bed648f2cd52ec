/* The root of the engine's key slot (rtl/doc/key_slot.md) in software: takes the place of the
 * library's encryption_root.c in programs whose bytes are compared with the engine's. By secret key
 * the first encryption draws the slot's secret, as the driver does when it loads the key. With
 * BENCH_FRAMED, a nonce ends with the number of its frame. */
#define isopod_root_take take_root
#include "../../../device/src/encrypt/encryption_root.c"
#undef isopod_root_take

#include "../../../device/src/base/memory.h"
#include "../../../device/src/random/keccak.h"

static const uint8_t label[16] = "isopod-slot-v1";
static uint8_t secret[ISOPOD_ENTROPY_BYTES], loaded;
static uint64_t counter;
static uint32_t frames;

static void make_root(isopod_encryption *context, isopod_noise_key *noise) {
    uint8_t number[8];
    isopod_keccak sponge;
    isopod_store64(number, counter++);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, label, sizeof label);
    isopod_keccak_absorb(&sponge, secret, sizeof secret);
    isopod_keccak_absorb(&sponge, number, sizeof number);
    isopod_keccak_absorb(&sponge, context->mask_seed, 32);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, context->mask_seed, 32);
    isopod_keccak_squeeze(&sponge, noise->bytes, sizeof noise->bytes);
}

isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                               const isopod_values *values, int8_t log2_unit);

isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                               const isopod_values *values, int8_t log2_unit) {
    const uint8_t by_secret = context->config->key->method->components == 1;
    if (by_secret && !loaded) {
        loaded = 1;
        isopod_entropy *source = context->encryptor->entropy;
        if (source->fill(source->state, secret, sizeof secret) != 0) {
            return ISOPOD_ERROR_ENTROPY;
        }
    }
    const isopod_status status = take_root(context, noise, values, log2_unit);
    if (status == ISOPOD_OK && by_secret) {
        make_root(context, noise);
    }
    if (status == ISOPOD_OK && BENCH_FRAMED) {
        isopod_store32(context->nonce + 12, ++frames);
    }
    return status;
}
