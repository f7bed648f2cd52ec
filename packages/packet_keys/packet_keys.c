/* Prepares a board for packets: writes packet_keys.h, the keys in the form that the samples
 * include, and context.bin, the item that registers the context at the server. Runs on the owner's
 * machine, with the folder of the device from `isopod keygen --set ckks-1024x1-sum
 * --allow-device-secret-key --out KEYS`; the README of the package has the command. */
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "isopod_keys.h"
#include "isopod_tables.h"
#include "packet_context.h"
#include "random/keccak.h"
#include "ring/inverse_ntt.h"

enum {
    DEGREE = 1024,
    HEADER_WORDS = ISOPOD_KEY_HEADER_BYTES / 4,
    SYMBOL_WORDS = DEGREE / 16,
    BLOB_WORDS = HEADER_WORDS + SYMBOL_WORDS
};

/* The secret key's coefficients from its transform, which is negated and in Montgomery form: two
 * bits each, value + 1. */
static void put_symbols(uint32_t *symbols, const uint32_t *transformed) {
    const isopod_ntt ntt =
        isopod_ntt_of(&isopod_ckks_1024x1_sum, &isopod_tables_ckks_1024x1_sum, 0);
    static isopod_word words[DEGREE];
    memcpy(words, transformed, sizeof words);
    isopod_inverse_ntt(words, &ntt, isopod_inverse_ntt_factor(&ntt));
    memset(symbols, 0, DEGREE / 4);
    for (uint32_t i = 0; i < DEGREE; i++) {
        int32_t value = isopod_centred(isopod_redc(words[i], ntt.prime), ntt.prime);
        symbols[i / 16] |= (uint32_t)(1 - value) << 2 * (i % 16);
    }
}

/* The key in its ternary form: header with digest, symbols. */
static void make_blob(uint32_t *blob) {
    uint8_t *digest = (uint8_t *)(blob + ISOPOD_KEY_WORD_DIGEST);
    isopod_keccak sponge;
    memcpy(blob, isopod_secret_key, ISOPOD_KEY_HEADER_BYTES);
    blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_SECRET_TERNARY;
    blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] = 4 * SYMBOL_WORDS;
    put_symbols(blob + HEADER_WORDS, isopod_secret_key + HEADER_WORDS);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, (const uint8_t *)blob, ISOPOD_KEY_OFFSET_DIGEST);
    isopod_keccak_absorb(&sponge, (const uint8_t *)(blob + HEADER_WORDS), 4 * SYMBOL_WORDS);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, ISOPOD_DIGEST_BYTES);
}

static void write_words(FILE *file, const char *name, const uint32_t *words, size_t count) {
    fprintf(file, "\nstatic const uint32_t %s[%zu] PROGMEM = {", name, count);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s0x%08lx,", i % 8 == 0 ? "\n    " : " ", (unsigned long)words[i]);
    }
    fprintf(file, "\n};\n");
}

static void write_bytes(FILE *file, const char *name, const uint8_t *bytes, const char *place) {
    fprintf(file, "\nstatic const uint8_t %s[32]%s = {", name, place);
    for (size_t i = 0; i < 32; i++) {
        fprintf(file, "%s0x%02x,", i % 8 == 0 ? "\n    " : " ", bytes[i]);
    }
    fprintf(file, "\n};\n");
}

static int write_header(const uint32_t *blob, const uint8_t *context_key) {
    FILE *file = fopen("packet_keys.h", "wx");
    if (file == NULL) {
        return 0;
    }
    fprintf(file,
            "/* Written by packet_keys. Holds secrets of one device: do not publish. */\n"
            "#pragma once\n#include <stdint.h>\n\n"
            "#if defined(__AVR__) || defined(ARDUINO)\n#include <avr/pgmspace.h>\n"
            "#else\n#define PROGMEM\n#endif\n\n"
            "#define ISOPOD_DEVICE UINT64_C(%llu)\n",
            (unsigned long long)ISOPOD_DEVICE);
    write_words(file, "isopod_packet_key", blob, BLOB_WORDS);
    write_bytes(file, "isopod_context_key", context_key, " PROGMEM");
    write_bytes(file, "isopod_device_key", (const uint8_t *)isopod_frame_key, "");
    return fclose(file) == 0;
}

static int write_item(const uint8_t *item, size_t length) {
    FILE *file = fopen("context.bin", "wbx");
    return file != NULL && fwrite(item, 1, length, file) == length && fclose(file) == 0;
}

int main(void) {
    static uint32_t given[HEADER_WORDS + DEGREE], blob[BLOB_WORDS];
    const isopod_sender sender = {
        .device = ISOPOD_DEVICE, .epoch = 1, .key = (const uint8_t *)isopod_frame_key};
    isopod_packet_config config = {0};
    isopod_packet_context context;
    isopod_key key;
    uint8_t item[ISOPOD_CONTEXT_MOST];
    size_t length = 0;
    umask(077);
    memcpy(given, isopod_secret_key, sizeof given);
    isopod_status status =
        isopod_decryption_key_open(&key, &isopod_ckks_1024x1_sum, given, sizeof isopod_secret_key);
    if (status == ISOPOD_OK) {
        make_blob(blob);
        status = isopod_packet_key_open(&key, &isopod_ckks_1024x1_sum, blob, sizeof blob);
    }
    if (status == ISOPOD_OK) {
        describe_packets(&config, &key);
        status = isopod_packet_open(&context, &config, &sender);
    }
    if (status == ISOPOD_OK) {
        status = isopod_packet_announce(&context, &sender, item, sizeof item, &length);
    }
    if (status != ISOPOD_OK) {
        fprintf(stderr, "packet_keys: %s\n", isopod_status_text(status));
        return 1;
    }
    if (!write_header(blob, context.key) || !write_item(item, length)) {
        perror("packet_keys: packet_keys.h, context.bin: written once, never over others");
        return 1;
    }
    return 0;
}
