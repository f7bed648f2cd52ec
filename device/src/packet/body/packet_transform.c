/* The product a*s of a packet by transforms (spec/packet.md, section 8), for many coefficients. */
#include "../packet.h"

#include "../../base/memory.h"
#include "../../encrypt/rounded.h"
#include "../../ring/inverse_ntt.h"
#include "../../ring/polynomial.h"

static size_t workspace_bytes(const isopod_packet_config *config) {
    return ISOPOD_PACKET_TRANSFORM_WORKSPACE(UINT32_C(1) << config->params->log2_ring_degree);
}

static uint32_t has_tables(const isopod_packet_config *config) {
    return config->tables != NULL && isopod_tables_fit(config->tables, config->params);
}

static isopod_word *product_of(const isopod_packet *packet) {
    return (isopod_word *)(void *)((uint8_t *)packet->state + ISOPOD_PACKET_STATE_BYTES);
}

/* NTT(s) in Montgomery form. */
static void transform_key(const isopod_packet *packet, const isopod_ntt *ntt, isopod_word *out) {
    const isopod_polynomial secret = {.load = isopod_load_ternary,
                                      .words =
                                          packet->config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4u,
                                      .prime = ntt->prime,
                                      .n = ntt->length,
                                      .factor = isopod_montgomery_one(ntt->prime)};
    isopod_polynomial_ntt(out, &secret, ntt);
    isopod_canonical_all(out, ntt->length, ntt->prime);
}

static void expand_mask(const isopod_packet *packet, isopod_word *out, uint32_t n) {
    for (uint32_t at = 0; at < n; at += ISOPOD_PACKET_GROUP) {
        isopod_packet_mask_group(packet->state, packet->prime);
        for (uint32_t i = 0; i < ISOPOD_PACKET_GROUP; i++) {
            *out++ = (isopod_word)packet->state->group[i];
        }
    }
}

/* The mask takes the place of the noise key, which waits behind the polynomials. */
static void multiply(const isopod_packet *packet) {
    isopod_ntt ntt = isopod_ntt_of(packet->config->params, packet->config->tables, 0);
    isopod_word *x = product_of(packet), *key = x + ntt.length;
    isopod_noise_key *noise = (isopod_noise_key *)(void *)(key + ntt.length);
    *noise = packet->state->noise;
    isopod_packet_mask_start(packet->state);
    expand_mask(packet, x, ntt.length);
    isopod_ntt_layers(x, &ntt);
    transform_key(packet, &ntt, key);
    isopod_rounded_multiply(x, x, (const isopod_residue *)key, ntt.length, ntt.prime);
    isopod_inverse_ntt(x, &ntt, isopod_inverse_ntt_factor(&ntt));
    packet->state->noise = *noise;
    isopod_packet_subtract_messages(packet);
}

static isopod_word *place_of(const isopod_packet *packet, uint32_t index) {
    uint32_t run = isopod_packet_run(packet->config);
    return product_of(packet) + index / run * isopod_packet_stride(packet->config) + index % run;
}

/* The word is below q, and |addend| <= q/2 + 21. */
static void subtract(const isopod_packet *packet, uint32_t index, int32_t addend) {
    *place_of(packet, index) -= addend;
}

static int64_t product(const isopod_packet *packet, uint32_t index) {
    return *place_of(packet, index);
}

const isopod_packet_method isopod_packet_transform ISOPOD_PROGRAM_MEMORY = {
    .has_tables = has_tables,
    .workspace_bytes = workspace_bytes,
    .multiply = multiply,
    .subtract = subtract,
    .product = product};

/* The cheaper way, by the number of coefficients. */
static const isopod_packet_method *chosen(const isopod_packet_config *config) {
    return isopod_packet_coefficients(config) <= ISOPOD_PACKET_STREAM_MOST
               ? &isopod_packet_stream
               : &isopod_packet_transform;
}

static size_t chosen_workspace_bytes(const isopod_packet_config *config) {
    return ISOPOD_PROGRAM_READ(chosen(config)->workspace_bytes)(config);
}

static void multiply_chosen(const isopod_packet *packet) {
    ISOPOD_PROGRAM_READ(chosen(packet->config)->multiply)(packet);
}

static void chosen_subtract(const isopod_packet *packet, uint32_t index, int32_t addend) {
    ISOPOD_PROGRAM_READ(chosen(packet->config)->subtract)(packet, index, addend);
}

static int64_t chosen_product(const isopod_packet *packet, uint32_t index) {
    return ISOPOD_PROGRAM_READ(chosen(packet->config)->product)(packet, index);
}

const isopod_packet_method isopod_packet_by_count ISOPOD_PROGRAM_MEMORY = {
    .has_tables = has_tables,
    .workspace_bytes = chosen_workspace_bytes,
    .multiply = multiply_chosen,
    .subtract = chosen_subtract,
    .product = chosen_product};
