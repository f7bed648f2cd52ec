/* Strict reading of the CBOR items of a result ([RFC8949], sections 3 and 4.2.1): no byte beyond
 * the item is read, and text must be valid UTF-8. */
#include "cbor.h"
#include "../base/memory.h"

#include <stddef.h>

#define FLOAT64_HEAD 0xfbu

static uint32_t has(isopod_cbor_reader *reader, uint64_t bytes) {
    if (reader->failed || (uint64_t)(reader->end - reader->at) < bytes) {
        reader->failed = 1;
    }
    return !reader->failed;
}

/* Reads the argument behind the initial byte, 0, 1, 2, 4 or 8 bytes, which must be the shortest
 * form. */
static uint64_t read_argument(isopod_cbor_reader *reader, uint32_t info) {
    if (info < 24) {
        return info;
    }
    uint32_t length = info > 27 ? 0 : UINT32_C(1) << (info - 24u);
    if (length == 0 || !has(reader, length)) {
        reader->failed = 1;
        return 0;
    }
    uint64_t argument = 0;
    for (uint32_t i = 0; i < length; i++) {
        argument = argument << 8 | *reader->at++;
    }
    if (argument < (length == 1 ? 24u : (uint64_t)1 << (4u * length))) {
        reader->failed = 1;
    }
    return argument;
}

static uint64_t read_head(isopod_cbor_reader *reader, uint32_t major) {
    if (!has(reader, 1) || (uint32_t)*reader->at >> 5 != major) {
        reader->failed = 1;
        return 0;
    }
    uint32_t info = *reader->at++ & 31u;
    uint64_t argument = read_argument(reader, info);
    return reader->failed ? 0 : argument;
}

void isopod_cbor_expect(isopod_cbor_reader *reader, uint32_t major, uint64_t argument) {
    if (read_head(reader, major) != argument) {
        reader->failed = 1;
    }
}

uint64_t isopod_cbor_unsigned(isopod_cbor_reader *reader, uint64_t most) {
    uint64_t value = read_head(reader, ISOPOD_CBOR_UNSIGNED);
    if (value > most) {
        reader->failed = 1;
    }
    return reader->failed ? 0 : value;
}

uint64_t isopod_cbor_array(isopod_cbor_reader *reader) {
    return read_head(reader, ISOPOD_CBOR_ARRAY);
}

uint64_t isopod_cbor_float64(isopod_cbor_reader *reader) {
    if (!has(reader, 9) || *reader->at != FLOAT64_HEAD) {
        reader->failed = 1;
        return 0;
    }
    uint64_t bits = 0;
    for (uint32_t i = 1; i < 9; i++) {
        bits = bits << 8 | reader->at[i];
    }
    reader->at += 9;
    return bits;
}

static const uint8_t *take(isopod_cbor_reader *reader, uint64_t length) {
    const uint8_t *string = reader->at;
    if (has(reader, length)) {
        reader->at += length;
    }
    return string;
}

const uint8_t *isopod_cbor_string(isopod_cbor_reader *reader, uint32_t major, uint32_t length) {
    isopod_cbor_expect(reader, major, length);
    return take(reader, length);
}

const uint8_t *isopod_cbor_bytes_of(isopod_cbor_reader *reader, uint32_t most, uint32_t *length) {
    uint64_t bytes = read_head(reader, ISOPOD_CBOR_BYTES);
    reader->failed |= bytes > most;
    *length = reader->failed ? 0 : (uint32_t)bytes;
    return take(reader, bytes);
}

const uint8_t *isopod_cbor_optional(isopod_cbor_reader *reader, uint32_t length) {
    uint32_t found;
    const uint8_t *string = isopod_cbor_bytes_of(reader, length, &found);
    if (found == 0) {
        return NULL;
    }
    reader->failed |= found != length;
    return string;
}

/* The number of continuation bytes of a UTF-8 character with this first byte; 4 if no character
 * begins with it. */
static uint32_t continuation_bytes(uint8_t first) {
    if (first < 0x80u) {
        return first < 0x20u || first == 0x7fu ? 4 : 0;
    }
    if (first < 0xc2u || first > 0xf4u) {
        return 4;
    }
    return 1u + (first >= 0xe0u) + (first >= 0xf0u);
}

/* Refuses second bytes of overlong forms, surrogates, characters beyond U+10FFFF, and the control
 * characters U+0080 to U+009F. */
static uint32_t is_second_wrong(uint8_t first, uint8_t second) {
    return (first == 0xe0u && second < 0xa0u) || (first == 0xedu && second > 0x9fu) ||
           (first == 0xf0u && second < 0x90u) || (first == 0xf4u && second > 0x8fu) ||
           (first == 0xc2u && second < 0xa0u);
}

static uint32_t is_text(const uint8_t *text, uint32_t length) {
    for (uint32_t i = 0; i < length;) {
        uint32_t following = continuation_bytes(text[i]);
        if (following > length - 1u - i || following == 4 ||
            (following > 0 && is_second_wrong(text[i], text[i + 1]))) {
            return 0;
        }
        for (uint32_t k = 1; k <= following; k++) {
            if (text[i + k] >> 6 != 2) {
                return 0;
            }
        }
        i += following + 1u;
    }
    return 1;
}

const uint8_t *isopod_cbor_text(isopod_cbor_reader *reader, uint8_t most, uint8_t *length) {
    uint64_t bytes = read_head(reader, ISOPOD_CBOR_TEXT);
    *length = 0;
    if (bytes > most || !has(reader, bytes) || !is_text(reader->at, (uint32_t)bytes)) {
        reader->failed = 1;
        return reader->at;
    }
    *length = (uint8_t)bytes;
    return take(reader, bytes);
}
