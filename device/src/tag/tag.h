/* Tags of wire items: XChaCha20-Poly1305 over associated data alone (spec/wire.md, section 2). */
#ifndef ISOPOD_SRC_TAG_H
#define ISOPOD_SRC_TAG_H

#include <stddef.h>

#include "isopod/tag.h"
#include "isopod/wire.h"

#define ISOPOD_TAG_ITEM_BYTES (1u + ISOPOD_TAG_BYTES)

/* The inputs of a tag's one-time key. */
typedef struct {
    const uint8_t *key;   /* 32 bytes */
    const uint8_t *nonce; /* 16 bytes, fresh */
    uint64_t domain;      /* d */
} isopod_tag_name;

void isopod_tag_start(isopod_tag *tag, const isopod_tag_name *name);
void isopod_tag_add(isopod_tag *tag, const uint8_t *bytes, size_t length);
/* Leaves the tag in tag->block and wipes the rest. */
void isopod_tag_finish(isopod_tag *tag);

/* Writes the tag of bytes that lie together. */
void isopod_tag_of(uint8_t out[ISOPOD_TAG_BYTES], const isopod_tag_name *name, const uint8_t *bytes,
                   size_t length);

#endif
