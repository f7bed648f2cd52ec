/* The body of a packet (spec/packet.md, section 2): each coefficient that is sent, rounded and
 * packed. Constant time. */
#include "../packet.h"

#include "../../base/memory.h"

/* The bits that wait for a whole byte. */
typedef struct {
    uint8_t *out;
    uint32_t word;
    uint32_t held;
} packed_bits;

/* Appends at most 16 bits. */
static void put_half(packed_bits *to, uint32_t value, uint32_t count) {
    to->word |= value << to->held;
    for (to->held += count; to->held >= 8u; to->held -= 8u) {
        *to->out++ = (uint8_t)to->word;
        to->word >>= 8;
    }
}

static void put(packed_bits *to, uint32_t value, uint32_t count) {
    uint32_t first = count < 16u ? count : 16u;
    put_half(to, value & 0xffffu, first);
    put_half(to, value >> 16, count - first);
}

/* The canonical residue of |value| < 2^46. */
static uint32_t residue_of(int64_t value, const isopod_prime *prime) {
    isopod_word reduced = isopod_redc(value, prime);
    reduced = isopod_montgomery(reduced, (int32_t)prime->montgomery_square, prime);
    return isopod_canonical(reduced, prime);
}

/* spec/coefficients.md, section 2. */
static uint32_t rounded(uint32_t value, uint32_t modulus, uint32_t dropped) {
    uint32_t kept = (value + (UINT32_C(1) << dropped >> 1)) >> dropped;
    return kept & isopod_ct_negative((int32_t)((kept << dropped) - modulus));
}

void isopod_packet_put_body(const isopod_packet *packet, uint8_t *out) {
    const isopod_packet_config *config = packet->config;
    const isopod_prime *prime = packet->prime;
    const uint32_t count = isopod_packet_coefficients(config);
    packed_bits to = {.out = out};
    for (uint32_t index = 0; index < count; index++) {
        uint32_t coefficient =
            residue_of(-ISOPOD_PROGRAM_READ(config->method->product)(packet, index), prime);
        put(&to, rounded(coefficient, prime->modulus, config->dropped),
            prime->bits - config->dropped);
    }
    if (to.held > 0) {
        *to.out = (uint8_t)to.word;
    }
}
