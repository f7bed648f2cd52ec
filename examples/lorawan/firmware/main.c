/* An electricity meter on LoRaWAN: encrypts the twelve readings of each day into one packet
 * (isopod/packet.h), 43 bytes, which fit into an uplink of any data rate in Europe.
 *
 * Usage: firmware KEY SENDER READINGS OUT
 * KEY is the meter's compact secret key. SENDER holds its number in 8 bytes and its frame key in
 * 32. READINGS are watt-hours less 2048, as little-endian int16. OUT takes uplinks, each behind its
 * port and its length in two bytes: fragments of the item that registers the meter's context, which
 * is longer than an uplink (isopod/link.h), then a packet for each day.
 *
 * A product has KEY and SENDER in flash, and keeps its sequence there (isopod/counter.h); this
 * program runs once. The network names the device, so packets do not. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include <stddef.h>
#include <stdint.h>

#include "isopod/link.h"
#include "isopod/packet.h"
#include "semihosting/entropy.h"
#include "semihosting/semihosting.h"

enum {
    DEGREE = 1024,
    READINGS = 12,
    KEY_BYTES = ISOPOD_KEY_HEADER_BYTES + DEGREE / 4,
    FRAME_KEY_BYTES = 32,
    UPLINK_BYTES = ISOPOD_LINK_LORAWAN_DR0,
    FRAGMENTS = 3,
    PACKET_PORT = 10,
    FRAGMENT_PORT = 11
};

static uint32_t key_blob[KEY_BYTES / 4];
static uint8_t frame_key[FRAME_KEY_BYTES];
static uint8_t fragments[FRAGMENTS * UPLINK_BYTES];
static uint64_t memory[ISOPOD_PACKET_STREAM_WORKSPACE(READINGS) / 8];
static isopod_key key;
static isopod_entropy entropy = {.fill = isopod_entropy_semihosting};
static isopod_sender sender = {.epoch = 1, .key = frame_key};
static isopod_packet_context context;
static const isopod_packet_config config = {
    .params = &isopod_ckks_1024x1_sum,
    .key = &key,
    .scheme = &isopod_packet_ckks,
    .method = &isopod_packet_stream,
    .columns = READINGS,
    .log2_scale = 18,
    .log2_unit = -11,
    .dropped = 5,
    .number = 1,
    .tag_bytes = 8,
};
static const isopod_packet_encryptor encryptor = {
    .workspace = {memory, sizeof memory}, .entropy = &entropy, .sender = &sender};

static _Noreturn void fail(const char *what) {
    semihosting_print("firmware: ");
    semihosting_print(what);
    semihosting_print("\n");
    semihosting_exit(1);
}

static int open_file(const char *path, semihosting_mode mode) {
    const int file = semihosting_open(path, mode);
    if (file < 0) {
        fail("a file does not open");
    }
    return file;
}

static void load(const char *path, void *out, size_t length, void *more, size_t more_length) {
    const int file = open_file(path, SEMIHOSTING_READ);
    if (semihosting_read(file, out, length) != length ||
        semihosting_read(file, more, more_length) != more_length) {
        fail("a file is too short");
    }
    semihosting_close(file);
}

static void write_uplink(int file, uint8_t port, const uint8_t *bytes, size_t length) {
    const uint8_t head[3] = {port, (uint8_t)length, (uint8_t)(length >> 8)};
    if (semihosting_write(file, head, sizeof head) != sizeof head ||
        semihosting_write(file, bytes, length) != length) {
        fail("OUT cannot be written");
    }
}

/* A product sends the fragments a few times, hours apart (isopod_link_resend), and again when its
 * context changes, with another transfer number: an uplink is lost now and then. */
static void write_fragments(int file, const uint8_t *item, size_t length) {
    isopod_link link;
    const uint8_t *packet;
    size_t room, done = 0;
    uint8_t *place;
    if (isopod_link_begin(&link, fragments, sizeof fragments, UPLINK_BYTES, 1) != ISOPOD_OK) {
        fail("the fragments have no memory");
    }
    while (done < length && (place = isopod_link_room(&link, &room)) != NULL) {
        const size_t part = length - done < room ? length - done : room;
        for (size_t i = 0; i < part; i++) {
            place[i] = item[done + i];
        }
        done += part;
        if (isopod_link_give(&link, part, done == length) != ISOPOD_OK) {
            fail("a fragment is refused");
        }
    }
    while ((room = isopod_link_next(&link, &packet)) != 0) {
        write_uplink(file, FRAGMENT_PORT, packet, room);
    }
}

static void announce(int file) {
    uint8_t item[ISOPOD_CONTEXT_MOST];
    size_t length;
    if (isopod_packet_key_open(&key, config.params, key_blob, sizeof key_blob) != ISOPOD_OK ||
        isopod_packet_open(&context, &config, &sender) != ISOPOD_OK ||
        isopod_packet_announce(&context, &sender, item, sizeof item, &length) != ISOPOD_OK) {
        fail("the library refuses the key or the context");
    }
    write_fragments(file, item, length);
}

/* A packet for every day of the file. */
static void encrypt_days(int readings, int file) {
    int16_t day[READINGS];
    while (semihosting_read(readings, day, sizeof day) == sizeof day) {
        const isopod_values values = {day, READINGS, ISOPOD_VALUES_INT16};
        uint8_t packet[UPLINK_BYTES];
        size_t length;
        if (isopod_packet_encrypt(&context, &encryptor, &values, packet, sizeof packet, &length) !=
            ISOPOD_OK) {
            fail("a day cannot be encrypted");
        }
        write_uplink(file, PACKET_PORT, packet, length);
    }
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fail("usage: firmware KEY SENDER READINGS OUT");
    }
    load(argv[1], key_blob, sizeof key_blob, key_blob, 0);
    load(argv[2], &sender.device, sizeof sender.device, frame_key, sizeof frame_key);
    const int readings = open_file(argv[3], SEMIHOSTING_READ);
    const int file = open_file(argv[4], SEMIHOSTING_WRITE);
    announce(file);
    encrypt_days(readings, file);
    if (semihosting_close(file) != 0) {
        fail("OUT cannot be closed");
    }
    isopod_packet_close(&context);
    return 0;
}
