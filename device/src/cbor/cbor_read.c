/* Strict reading of the CBOR items of a result ([RFC8949], sections 3 and 4.2.1): no byte beyond
 * the item is read, and text must be valid UTF-8. */
#include "cbor.h"
#include "../base/memory.h"

#include <stddef.h>

#define FLOAT64_HEAD 0xfbu

/*@ requires reads(reader);
    assigns reader->failed;
    ensures reads(reader) && \result == (reader->failed == 0);
    ensures \result != 0 ==> \old(reader->failed) == 0 && reader->at + bytes <= reader->bytes; */
static uint32_t has(isopod_cbor_reader *reader, uint64_t bytes) {
    if (reader->failed || bytes > reader->bytes || reader->at > reader->bytes - bytes) {
        reader->failed = 1;
    }
    return !reader->failed;
}

/* Reads the argument behind the initial byte, 0, 1, 2, 4 or 8 bytes, which must be the shortest
 * form. */
/*@ requires reads(reader) && info < 32;
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0; */
static uint64_t read_argument(isopod_cbor_reader *reader, uint32_t info) {
    if (info < 24) {
        return info;
    }
    uint32_t length = info > 27 ? 0 : UINT32_C(1) << (info - 24u);
    if (length == 0 || !has(reader, length)) {
        reader->failed = 1;
        return 0;
    }
    //@ assert 24 <= info <= 27;
    //@ assert info == 24 ==> length == 1;
    //@ assert info == 25 ==> length == 2;
    //@ assert info == 26 ==> length == 4;
    //@ assert info == 27 ==> length == 8;
    uint64_t argument = 0;
    /*@ loop invariant 0 <= i <= length && reads(reader);
        loop invariant reader->at == \at(reader->at, LoopEntry) + i;
        loop assigns i, argument, reader->at;
        loop variant length - i; */
    for (uint32_t i = 0; i < length; i++) {
        argument = argument << 8 | reader->item[reader->at++];
    }
    if (argument < (length == 1 ? 24u : (uint64_t)1 << (4u * length))) {
        reader->failed = 1;
    }
    return argument;
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures reader->failed != 0 ==> \result == 0;
    ensures \old(reader->failed) != 0 ==> reader->failed != 0; */
static uint64_t read_head(isopod_cbor_reader *reader, uint32_t major) {
    if (!has(reader, 1) || (uint32_t)reader->item[reader->at] >> 5 != major) {
        reader->failed = 1;
        return 0;
    }
    uint32_t info = reader->item[reader->at++] & 31u;
    uint64_t argument = read_argument(reader, info);
    return reader->failed ? 0 : argument;
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0; */
void isopod_cbor_expect(isopod_cbor_reader *reader, uint32_t major, uint64_t argument) {
    if (read_head(reader, major) != argument) {
        reader->failed = 1;
    }
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures \result <= most && (reader->failed != 0 ==> \result == 0); */
uint64_t isopod_cbor_unsigned(isopod_cbor_reader *reader, uint64_t most) {
    uint64_t value = read_head(reader, ISOPOD_CBOR_UNSIGNED);
    if (value > most) {
        reader->failed = 1;
    }
    return reader->failed ? 0 : value;
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed != 0 ==> \result == 0; */
uint64_t isopod_cbor_array(isopod_cbor_reader *reader) {
    return read_head(reader, ISOPOD_CBOR_ARRAY);
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed != 0 ==> \result == 0; */
uint64_t isopod_cbor_float64(isopod_cbor_reader *reader) {
    if (!has(reader, 9) || reader->item[reader->at] != FLOAT64_HEAD) {
        reader->failed = 1;
        return 0;
    }
    uint64_t bits = 0;
    /*@ loop invariant 1 <= i <= 9;
        loop assigns i, bits;
        loop variant 9 - i; */
    for (uint32_t i = 1; i < 9; i++) {
        bits = bits << 8 | reader->item[reader->at + i];
    }
    reader->at += 9;
    return bits;
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed == 0 ==> \valid_read(\result + (0 .. length - 1)); */
static const uint8_t *take(isopod_cbor_reader *reader, uint64_t length) {
    if (!has(reader, length)) {
        return reader->item;
    }
    const uint8_t *string = reader->item + reader->at;
    reader->at += (size_t)length;
    return string;
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed == 0 ==> \valid_read(\result + (0 .. length - 1)); */
const uint8_t *isopod_cbor_string(isopod_cbor_reader *reader, uint32_t major, uint32_t length) {
    isopod_cbor_expect(reader, major, length);
    return take(reader, length);
}

/*@ requires reads(reader) && \valid(length) && \separated(length, reader);
    requires \separated(length, reader->item + (0 .. reader->bytes - 1));
    assigns reader->at, reader->failed, *length;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed == 0 ==> *length <= most && \valid_read(\result + (0 .. *length - 1)); */
const uint8_t *isopod_cbor_bytes_of(isopod_cbor_reader *reader, uint32_t most, uint32_t *length) {
    uint64_t bytes = read_head(reader, ISOPOD_CBOR_BYTES);
    reader->failed |= bytes > most;
    *length = reader->failed ? 0 : (uint32_t)bytes;
    return take(reader, bytes);
}

/*@ requires reads(reader);
    assigns reader->at, reader->failed;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures reader->failed == 0 && \result != \null ==> \valid_read(\result + (0 .. length - 1)); */
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
//@ assigns \nothing; ensures \result <= 4 && (first < 0x80 ==> \result == 0 || \result == 4);
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
//@ assigns \nothing; ensures \result <= 1;
static uint32_t is_second_wrong(uint8_t first, uint8_t second) {
    return (first == 0xe0u && second < 0xa0u) || (first == 0xedu && second > 0x9fu) ||
           (first == 0xf0u && second < 0x90u) || (first == 0xf4u && second > 0x8fu) ||
           (first == 0xc2u && second < 0xa0u);
}

/*@ requires length <= 255 && \valid_read(text + (0 .. length - 1));
    assigns \nothing;
    ensures \result <= 1; */
static uint32_t is_text(const uint8_t *text, uint32_t length) {
    /*@ loop invariant 0 <= i <= length;
        loop assigns i;
        loop variant length - i; */
    for (uint32_t i = 0; i < length;) {
        uint32_t following = continuation_bytes(text[i]);
        if (following > length - 1u - i || following == 4 ||
            (following > 0 && is_second_wrong(text[i], text[i + 1]))) {
            return 0;
        }
        /*@ loop invariant 1 <= k <= following + 1;
            loop assigns k;
            loop variant following - k; */
        for (uint32_t k = 1; k <= following; k++) {
            if (text[i + k] >> 6 != 2) {
                return 0;
            }
        }
        i += following + 1u;
    }
    return 1;
}

/*@ requires reads(reader) && \valid(length) && \separated(length, reader);
    requires \separated(length, reader->item + (0 .. reader->bytes - 1));
    assigns reader->at, reader->failed, *length;
    ensures reads(reader);
    ensures \old(reader->failed) != 0 ==> reader->failed != 0;
    ensures *length <= most;
    ensures reader->failed == 0 ==> \valid_read(\result + (0 .. *length - 1)); */
const uint8_t *isopod_cbor_text(isopod_cbor_reader *reader, uint8_t most, uint8_t *length) {
    uint64_t bytes = read_head(reader, ISOPOD_CBOR_TEXT);
    *length = 0;
    if (bytes > most || !has(reader, bytes) ||
        !is_text(reader->item + reader->at, (uint32_t)bytes)) {
        reader->failed = 1;
        return reader->item;
    }
    *length = (uint8_t)bytes;
    return take(reader, bytes);
}
