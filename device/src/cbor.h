/* The few CBOR items a part is made of, in deterministic encoding (RFC 8949, section 4.2.1). */
#ifndef ISOPOD_CBOR_H
#define ISOPOD_CBOR_H

#include <stdint.h>

#define ISOPOD_CBOR_UNSIGNED 0u
#define ISOPOD_CBOR_BYTES 2u
#define ISOPOD_CBOR_ARRAY 4u

/* Writes the head of an item (major type and shortest argument), 1 to 9 bytes; returns the place
 * behind it. */
uint8_t *isopod_cbor_head(uint8_t *out, uint32_t major, uint64_t argument);

/* A whole byte string. */
uint8_t *isopod_cbor_bytes(uint8_t *out, const uint8_t *bytes, uint32_t length);

#endif
