/* Transfers over a link that loses, repeats and swaps packets arrive whole; on a byte stream one
 * lost, changed or added byte costs one packet. */
#include "isopod/link.h"

#include "../harness/check.h"
#include "../harness/tests.h"

#define PACKETS 300u
#define MOST 300u /* bytes of a packet */

static uint32_t random_state;

static uint32_t draw(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * below >> 32);
}

static uint8_t content(uint32_t place) {
    return (uint8_t)(place * 167u >> 3);
}

/* The receiver's side in its simplest form. */
typedef struct {
    uint8_t got[PACKETS];
    uint16_t lengths[PACKETS];
    uint32_t first;
    uint32_t bytes; /* right ones in packets that arrived for the first time */
    int has_last;
} receiver;

static size_t receive(receiver *at, const uint8_t *packet, size_t length, uint8_t answer[9]) {
    uint32_t number = packet[3] | (uint32_t)packet[4] << 8, bits = 0;
    CHECK_QUIET(number < PACKETS && length >= 5);
    if (at->got[number] == 0) {
        at->got[number] = 1;
        at->lengths[number] = (uint16_t)(length - 5);
        at->bytes += (uint32_t)length - 5;
        at->has_last |= (packet[0] & 0x20u) != 0;
        for (size_t i = 5; i < length; i++) {
            CHECK_QUIET(packet[i] == content(number * 31u + (uint32_t)i));
        }
    }
    if ((packet[0] & 0x40u) == 0) {
        return 0;
    }
    while (at->first < PACKETS && at->got[at->first]) {
        at->first++;
    }
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t later = at->first + 1 + i;
        bits |= later < PACKETS && at->got[later] ? (uint32_t)1 << i : 0;
    }
    answer[0] = 0x80;
    answer[1] = packet[1], answer[2] = packet[2];
    answer[3] = (uint8_t)at->first, answer[4] = (uint8_t)(at->first >> 8);
    for (uint32_t i = 0; i < 4; i++) {
        answer[5 + i] = (uint8_t)(bits >> 8 * i);
    }
    return 9;
}

/* Gives packets of several lengths while there is room. */
static void give(isopod_link *link, uint32_t *given, uint32_t packets, uint32_t *bytes) {
    size_t room;
    uint8_t *at;
    while (*given < packets && (at = isopod_link_room(link, &room)) != NULL) {
        size_t length = room - *given % room / 2;
        for (size_t i = 0; i < length; i++) {
            at[i] = content(*given * 31u + 5u + (uint32_t)i);
        }
        *bytes += (uint32_t)length;
        (*given)++;
        CHECK_QUIET(isopod_link_give(link, length, *given == packets) == ISOPOD_OK);
    }
}

/* losses: of 100 packets and answers, how many get lost. */
static void check_transfer(uint32_t packets, uint16_t packet_bytes, uint32_t slots,
                           uint32_t losses) {
    static uint8_t memory[40 * 64];
    isopod_link link;
    receiver other = {.first = 0};
    uint32_t given = 0, bytes = 0, rounds = 0;
    CHECK(isopod_link_begin(&link, memory, (size_t)packet_bytes * slots, packet_bytes,
                            (uint16_t)(packets * 77u)) == ISOPOD_OK);
    while (!isopod_link_is_done(&link) && rounds++ < 100000u) {
        const uint8_t *packet;
        uint8_t answer[9];
        size_t length, answered = 0;
        give(&link, &given, packets, &bytes);
        if ((length = isopod_link_next(&link, &packet)) == 0) {
            isopod_link_repeat(&link);
            continue;
        }
        for (uint32_t copies = 1 + (draw(20) == 0); copies > 0 && draw(100) >= losses; copies--) {
            answered = receive(&other, packet, length, answer);
        }
        if (answered != 0 && draw(100) >= losses) {
            isopod_link_acknowledge(&link, answer, answered);
        }
    }
    CHECK(isopod_link_is_done(&link) && given == packets);
    CHECK(other.bytes == bytes && other.has_last);
}

static void check_transfers(void) {
    static const uint32_t losses[4] = {0, 5, 30, 80};
    for (uint32_t slots = 1; slots <= 40; slots += slots < 4 ? 1 : 12) {
        for (uint32_t i = 0; i < 4; i++) {
            check_case("transfer", slots * 100 + losses[i]);
            check_transfer(1, 51, slots, losses[i]);
            check_transfer(33, 9, slots, losses[i]);
            check_transfer(PACKETS, 64, slots, losses[i]);
        }
    }
}

static void check_refusals(void) {
    static uint8_t memory[64];
    isopod_link link;
    const uint8_t *packet;
    uint8_t foreign[9] = {0x80, 9, 0, 1, 0};
    size_t room;
    check_case("refusals", 0);
    CHECK(isopod_link_begin(&link, memory, 64, 8, 1) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod_link_give(&link, 0, 1) == ISOPOD_ERROR_STATE);
    CHECK(isopod_link_begin(&link, memory, 15, 16, 1) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod_link_begin(&link, memory, 16, 16, 1) == ISOPOD_OK);
    CHECK(isopod_link_room(&link, &room) == memory + 5 && room == 11);
    CHECK(isopod_link_give(&link, 12, 0) == ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_link_give(&link, 11, 0) == ISOPOD_OK);
    CHECK(isopod_link_give(&link, 0, 0) == ISOPOD_ERROR_STATE);
    CHECK(isopod_link_next(&link, &packet) == 16 && packet[0] == 0x50);
    CHECK(isopod_link_next(&link, &packet) == 0 && packet == NULL);
    isopod_link_acknowledge(&link, foreign, 9); /* of another transfer */
    foreign[1] = 1;
    foreign[3] = 2; /* more than was given */
    isopod_link_acknowledge(&link, foreign, 9);
    isopod_link_acknowledge(&link, foreign, 8);
    CHECK(isopod_link_room(&link, &room) == NULL);
    foreign[3] = 1;
    isopod_link_acknowledge(&link, foreign, 9);
    CHECK(isopod_link_room(&link, &room) != NULL && !isopod_link_is_done(&link));
    CHECK(isopod_link_give(&link, 0, 1) == ISOPOD_OK && !isopod_link_is_done(&link));
    CHECK(isopod_link_room(&link, &room) == NULL);
}

/* Without answers, all packets are sent again; with them, those that did not arrive. */
static void check_resend(void) {
    static uint8_t memory[ISOPOD_LINK_WINDOW * 16];
    static const uint8_t answer[9] = {0x80, 1, 0, 5, 0, 1, 0, 0, 0};
    const uint8_t *packet;
    isopod_link link;
    check_case("resend", 0);
    CHECK(isopod_link_begin(&link, memory, sizeof memory, 16, 1) == ISOPOD_OK);
    isopod_link_resend(&link);
    CHECK(isopod_link_next(&link, &packet) == 0);
    for (uint32_t i = 0; i < ISOPOD_LINK_WINDOW; i++) {
        CHECK(isopod_link_give(&link, 11, i + 1 == ISOPOD_LINK_WINDOW) == ISOPOD_OK);
    }
    for (uint32_t i = 0; i < 3 * ISOPOD_LINK_WINDOW; i++) {
        if (i % ISOPOD_LINK_WINDOW == 0) {
            CHECK(i == 0 || isopod_link_next(&link, &packet) == 0);
            isopod_link_resend(&link);
        }
        CHECK(isopod_link_next(&link, &packet) == 16 && packet[3] == i % ISOPOD_LINK_WINDOW);
    }
    isopod_link_acknowledge(&link, answer, 9); /* 0 to 4, and 6 */
    isopod_link_resend(&link);
    CHECK(isopod_link_next(&link, &packet) == 16 && packet[3] == 5);
    CHECK(isopod_link_next(&link, &packet) == 16 && packet[3] == 7);
}

/* "123456789" has the CRC-32C e3069283; zeros and 254 bytes without one are stuffed. */
static void check_bytes(void) {
    static const uint8_t digits[9] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    static const uint8_t wanted[16] = {0,   14,  '1', '2',  '3',  '4',  '5',  '6',
                                       '7', '8', '9', 0x83, 0x92, 0x06, 0xe3, 0};
    uint8_t out[ISOPOD_SERIAL_BYTES(9)];
    check_case("bytes of a stream", 0);
    CHECK(isopod_serial_write(out, digits, 9) == 16);
    for (uint32_t i = 0; i < 16; i++) {
        CHECK(out[i] == wanted[i]);
    }
}

static void check_lengths(void) {
    static uint8_t packet[700], out[ISOPOD_SERIAL_BYTES(700)], room[704];
    for (uint32_t length = 1; length <= 700; length += length < 520 ? 1 : 37) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            isopod_serial serial = {.packet = room, .capacity = sizeof room};
            size_t found = 0;
            for (uint32_t i = 0; i < length; i++) {
                packet[i] = kind == 0 ? 0 : kind == 1 ? 7 : (uint8_t)draw(256);
            }
            size_t bytes = isopod_serial_write(out, packet, length);
            CHECK_QUIET(bytes <= ISOPOD_SERIAL_BYTES(length));
            for (size_t i = 0; i < bytes; i++) {
                CHECK_QUIET((out[i] == 0) == (i == 0 || i + 1 == bytes));
                found = isopod_serial_read(&serial, out[i]);
            }
            CHECK_QUIET(found == length);
            for (uint32_t i = 0; i < length; i++) {
                CHECK_QUIET(room[i] == packet[i]);
            }
        }
    }
}

/* Reads a stream of three packets without one byte, with one changed, or with one more. */
static uint32_t read_with_damage(const uint8_t *stream, size_t bytes, size_t place,
                                 uint32_t damage) {
    static uint8_t room[MOST + 4];
    isopod_serial serial = {.packet = room, .capacity = sizeof room};
    uint32_t packets = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (i == place && damage == 2) {
            packets += isopod_serial_read(&serial, (uint8_t)draw(256)) != 0;
        }
        if (i != place || damage != 0) {
            uint8_t byte =
                i == place && damage == 1 ? stream[i] ^ (uint8_t)(1 + draw(255)) : stream[i];
            packets += isopod_serial_read(&serial, byte) != 0;
        }
    }
    return packets;
}

static void check_resynchronisation(void) {
    static uint8_t stream[3 * ISOPOD_SERIAL_BYTES(MOST)], packet[MOST];
    size_t bytes = 0;
    check_case("resynchronisation", 0);
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t i = 0; i < MOST; i++) {
            packet[i] = (uint8_t)draw(p == 0 ? 4 : 256);
        }
        bytes += isopod_serial_write(stream + bytes, packet, MOST);
    }
    for (size_t place = 0; place < bytes; place++) {
        for (uint32_t damage = 0; damage < 3; damage++) {
            CHECK_QUIET(read_with_damage(stream, bytes, place, damage) >= 2);
        }
    }
    CHECK(read_with_damage(stream, bytes, bytes, 0) == 3);
}

static void check_capacity(void) {
    static uint8_t packet[20], out[ISOPOD_SERIAL_BYTES(20)], room[24];
    check_case("packets beyond the capacity", 0);
    size_t bytes = isopod_serial_write(out, packet, sizeof packet);
    for (size_t capacity = 0; capacity <= sizeof room; capacity++) {
        isopod_serial serial = {.packet = room, .capacity = capacity};
        size_t found = 0;
        for (size_t i = 0; i < bytes; i++) {
            found += isopod_serial_read(&serial, out[i]);
        }
        CHECK(found == (capacity == sizeof room ? sizeof packet : 0));
    }
}

void test_link(void) {
    random_state = 1;
    check_transfers();
    check_refusals();
    check_resend();
    check_bytes();
    check_lengths();
    check_resynchronisation();
    check_capacity();
}
