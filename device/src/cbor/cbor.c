/* Writing of CBOR heads and byte strings ([RFC8949], section 3), always with the shortest
 * argument. */
#include "cbor.h"

#include "../base/memory.h"

/*@ assigns \nothing;
    ensures argument < 24 <==> \result == 0;
    ensures 24 <= argument <= 0xff <==> \result == 1;
    ensures 0xff < argument <= 0xffff <==> \result == 2;
    ensures 0xffff < argument <= 0xffffffff <==> \result == 4;
    ensures 0xffffffff < argument <==> \result == 8; */
static uint32_t argument_bytes(uint64_t argument) {
    if (argument < 24) {
        return 0;
    }
    if (argument <= 0xffu) {
        return 1;
    }
    if (argument <= 0xffffu) {
        return 2;
    }
    return argument <= 0xffffffffu ? 4 : 8;
}

/*@ requires major < 8 && \valid(out + (0 .. 8));
    assigns out[0 .. 8];
    ensures \old(out) < \result <= \old(out) + 9; */
ISOPOD_SMALL uint8_t *isopod_cbor_head(uint8_t *out, uint32_t major, uint64_t argument) {
    uint32_t length = argument_bytes(argument);
    /* additional information 24, 25, 26, 27 announces 1, 2, 4, 8 bytes */
    uint32_t info =
        length == 0 ? (uint32_t)argument : 24u + (length >= 2) + (length >= 4) + (length >= 8);
    *out++ = (uint8_t)(major << 5 | info);
    //@ ghost uint8_t *first = out;
    /*@ loop invariant 0 <= length <= \at(length, LoopEntry);
        loop invariant out == first + \at(length, LoopEntry) - length;
        loop assigns length, out, first[0 .. 7];
        loop variant length; */
    while (length-- > 0) {
        *out++ = (uint8_t)(argument >> (8 * length));
    }
    return out;
}

ISOPOD_SMALL uint8_t *isopod_cbor_numbers(uint8_t *out, const uint64_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        out = isopod_cbor_head(out, ISOPOD_CBOR_UNSIGNED, numbers[i]);
    }
    return out;
}

/* A negative number n has the argument -1 - n. */
/*@ requires \valid(out + (0 .. 8));
    assigns out[0 .. 8];
    ensures \old(out) < \result <= \old(out) + 9; */
ISOPOD_SMALL uint8_t *isopod_cbor_integer(uint8_t *out, int32_t value) {
    uint32_t is_negative = value < 0, argument = (uint32_t)value ^ (0u - is_negative);
    return isopod_cbor_head(out, is_negative ? ISOPOD_CBOR_NEGATIVE : ISOPOD_CBOR_UNSIGNED,
                            argument);
}

ISOPOD_SMALL uint8_t *isopod_cbor_bytes(uint8_t *out, const uint8_t *bytes, uint32_t length) {
    out = isopod_cbor_head(out, ISOPOD_CBOR_BYTES, length);
    isopod_copy(out, bytes, length);
    return out + length;
}
