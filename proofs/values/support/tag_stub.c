/* The demands of tag/tag.c, tag/poly1305.c and tag/hedge.c on their callers; tag.c analyses these.
 */
#include "arbitrary.h"
#include "tag/hedge.h"
#include "tag/tag.h"

/*@ requires \valid(tag) && \valid_read(name);
    requires \valid_read(name->key + (0 .. 31)) && \initialized(name->key + (0 .. 31));
    requires \valid_read(name->nonce + (0 .. 15)) && \initialized(name->nonce + (0 .. 15)); */
void isopod_tag_start(isopod_tag *tag, const isopod_tag_name *name) {
    arbitrary(tag, sizeof *tag);
}

/*@ requires \valid(tag) && \initialized(&tag->authenticated);
    requires length == 0 || (\valid_read(bytes + (0 .. length - 1)) &&
        \initialized(bytes + (0 .. length - 1))); */
void isopod_tag_add(isopod_tag *tag, const uint8_t *bytes, size_t length) {
    arbitrary(tag, sizeof *tag);
}

/*@ requires \valid(tag) && \initialized(&tag->authenticated); */
void isopod_tag_finish(isopod_tag *tag) {
    arbitrary(tag, sizeof *tag);
}

/*@ requires \valid(out + (0 .. 15)) && \valid_read(name);
    requires \valid_read(name->key + (0 .. 31)) && \initialized(name->key + (0 .. 31));
    requires \valid_read(name->nonce + (0 .. 15)) && \initialized(name->nonce + (0 .. 15));
    requires length == 0 || (\valid_read(bytes + (0 .. length - 1)) &&
        \initialized(bytes + (0 .. length - 1))); */
void isopod_tag_of(uint8_t out[ISOPOD_TAG_BYTES], const isopod_tag_name *name, const uint8_t *bytes,
                   size_t length) {
    arbitrary(out, ISOPOD_TAG_BYTES);
}

/*@ requires \valid(hedge) && \valid_read(name);
    requires \valid_read(device_key + (0 .. 31)) && \initialized(device_key + (0 .. 31)); */
void isopod_hedge_start(isopod_tag *hedge, const uint8_t *device_key,
                        const isopod_frame_name *name) {
    arbitrary(hedge, sizeof *hedge);
}

/*@ requires \valid(hedge) && length <= 0xffff &&
        \valid(description + (0 .. (length + 15) / 16 * 16 - 1)); */
void isopod_hedge_describe(isopod_tag *hedge, uint8_t *description, size_t length) {
    arbitrary(hedge, sizeof *hedge);
}
