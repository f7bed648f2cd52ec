/* The body of a packet (spec/packet.md, section 2): message, error and product of each coefficient
 * that is sent, rounded and packed. Constant time. */
#include "packet.h"

#include "../base/memory.h"

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

static int32_t value_at(const isopod_values *values, uint32_t index) {
    return values->type == ISOPOD_VALUES_INT16 ? ((const int16_t *)values->data)[index]
                                               : ((const int32_t *)values->data)[index];
}

/* The error of a coefficient; its group is sampled where it is not yet there. The caller has
 * sampled the first one, which is the only one of most packets, in less stack. */
static int32_t error_at(isopod_packet_state *state, uint32_t place, uint32_t *sampled) {
    if (*sampled != place / ISOPOD_PACKET_ERRORS) {
        *sampled = place / ISOPOD_PACKET_ERRORS;
        isopod_packet_sample(state, *sampled);
    }
    return state->error[place % ISOPOD_PACKET_ERRORS];
}

void isopod_packet_put_body(const isopod_packet *packet, uint8_t *out) {
    const isopod_packet_config *config = packet->config;
    const uint32_t run = isopod_packet_run(config), count = isopod_packet_coefficients(config);
    uint32_t sampled = 0, row = 0, column = 0;
    packed_bits to = {.out = out};
    for (uint32_t index = 0; index < count; index++) {
        uint32_t place = row * isopod_packet_stride(config) + column;
        int64_t sum = error_at(packet->state, place, &sampled);
        sum -= config->method->product(packet, index);
        if (column < config->columns) {
            sum += config->scheme->message(
                packet, value_at(packet->values, row * config->columns + column));
        }
        put(&to, rounded(residue_of(sum, packet->prime), packet->prime->modulus, config->dropped),
            packet->prime->bits - config->dropped);
        column++;
        row += column == run;
        column = column == run ? 0 : column;
    }
    if (to.held > 0) {
        *to.out = (uint8_t)to.word;
    }
}
