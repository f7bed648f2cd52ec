/* Prepares a board for packets: writes packet_keys.h, the keys in the form that the samples
 * include, and context.bin, the item that registers the context at the server. Runs on the owner's
 * machine, with the folder of the device from `isopod keygen --set ckks-1024x1-sum
 * --allow-device-secret-key --out KEYS`; the README of the package has the command. */
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "isopod_keys.h"
#include "packet_context.h"

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

static int write_header(const uint8_t *context_key) {
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
    write_words(file, "isopod_packet_key", isopod_compact_key, ISOPOD_COMPACT_KEY_BYTES / 4);
    write_bytes(file, "isopod_context_key", context_key, " PROGMEM");
    write_bytes(file, "isopod_device_key", (const uint8_t *)isopod_frame_key, "");
    return fclose(file) == 0;
}

static int write_item(const uint8_t *item, size_t length) {
    FILE *file = fopen("context.bin", "wbx");
    return file != NULL && fwrite(item, 1, length, file) == length && fclose(file) == 0;
}

int main(void) {
    const isopod_sender sender = {
        .device = ISOPOD_DEVICE, .epoch = 1, .key = (const uint8_t *)isopod_frame_key};
    isopod_packet_config config = {0};
    isopod_packet_context context;
    isopod_key key;
    uint8_t item[ISOPOD_CONTEXT_MOST];
    size_t length = 0;
    umask(077);
    isopod_status status = isopod_packet_key_open(&key, &isopod_ckks_1024x1_sum, isopod_compact_key,
                                                  sizeof isopod_compact_key);
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
    if (!write_header(context.key) || !write_item(item, length)) {
        perror("packet_keys: packet_keys.h, context.bin: written once, never over others");
        return 1;
    }
    return 0;
}
