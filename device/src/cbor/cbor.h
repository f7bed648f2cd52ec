/* The few CBOR items that parts and results are made of, in deterministic encoding ([RFC8949],
 * section 4.2.1). */
#ifndef ISOPOD_CBOR_H
#define ISOPOD_CBOR_H

#include "isopod/wire.h"

#include <stddef.h>

/* Writes the head of an item (major type and shortest argument), 1 to 9 bytes; returns the place
 * behind it. */
uint8_t *isopod_cbor_head(uint8_t *out, uint32_t major, uint64_t argument);

/* Writes unsigned integers one after the other; returns the place behind them. */
uint8_t *isopod_cbor_numbers(uint8_t *out, const uint64_t *numbers, uint32_t count);

/* Writes a signed integer; returns the place behind it. */
uint8_t *isopod_cbor_integer(uint8_t *out, int32_t value);

/* Writes a whole byte string; returns the place behind it. */
uint8_t *isopod_cbor_bytes(uint8_t *out, const uint8_t *bytes, uint32_t length);

/* A reader of consecutive items, which has read `at` of `bytes` bytes. An unexpected item, or one
 * that is not in deterministic encoding, sets `failed`. From then on nothing is read, numbers are 0
 * and strings empty. No function relies on `at` being within `bytes`: each compares them. */
typedef struct {
    const uint8_t *item;
    size_t at;
    size_t bytes;
    uint8_t failed;
} isopod_cbor_reader;

/*@ predicate reads(isopod_cbor_reader *reader) =
        \valid(reader) && reader->bytes <= 0x7fffffff &&
        \separated(reader, reader->item + (0 .. reader->bytes - 1)) &&
        \valid_read(reader->item + (0 .. reader->bytes - 1)); */

/* Reads the head of an item, which must be this one. */
void isopod_cbor_expect(isopod_cbor_reader *reader, uint32_t major, uint64_t argument);
uint64_t isopod_cbor_unsigned(isopod_cbor_reader *reader, uint64_t most);
/* Reads the head of an array: the number of its elements. */
uint64_t isopod_cbor_array(isopod_cbor_reader *reader);
/* Reads a float64, which is never shortened, as its bits. */
uint64_t isopod_cbor_float64(isopod_cbor_reader *reader);
/* Reads a byte or text string of exactly this length. */
const uint8_t *isopod_cbor_string(isopod_cbor_reader *reader, uint32_t major, uint32_t length);
/* Reads a byte string of this length, or an empty one: NULL. */
const uint8_t *isopod_cbor_optional(isopod_cbor_reader *reader, uint32_t length);
/* Reads a byte string of at most `most` bytes. */
const uint8_t *isopod_cbor_bytes_of(isopod_cbor_reader *reader, uint32_t most, uint32_t *length);
/* Reads UTF-8 text without control characters, of at most 255 bytes. */
const uint8_t *isopod_cbor_text(isopod_cbor_reader *reader, uint8_t most, uint8_t *length);

#endif
