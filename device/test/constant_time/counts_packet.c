/* Packets of random values under random keys, in regions. One device key and one name give all
 * trials one mask, whose rejections take time. */
#include "../harness/check.h"
#include "../packet/packet_input.h"
#include "../pad/pad_input.h"
#include "counter/markers.h"
#include "counts.h"
#include "isopod/tfhe_packet.h"

#define MOST_PACKET 512u

typedef struct {
    const isopod_params *params;
    const isopod_packet_method *method;
    uint8_t rows;
    uint8_t tag_bytes;
} profile;

static const profile profiles[] = {
    {&isopod_ckks_1024x1_sum, &isopod_packet_stream, 1, 8},
    {&isopod_bfv_1024x1_count, &isopod_packet_stream, 3, 16},
    {&isopod_ckks_2048x1_air, &isopod_packet_transform, 2, 4},
};
static const isopod_tfhe_params *const tfhe_sets[] = {&isopod_tfhe_1024_tuniform,
                                                      &isopod_tfhe_2048_tfhe_rs};
#define TFHE (sizeof profiles / sizeof profiles[0])          /* the first profile of TFHE */
#define PADS (TFHE + sizeof tfhe_sets / sizeof tfhe_sets[0]) /* the last profile */
_Static_assert(PADS == COUNTS_PACKET_PROFILES - 1u, "all profiles");

/* The context is opened in the first region, the packet encrypted in the second. */
static void encrypt(packet_fixture *packet) {
    static uint8_t out[MOST_PACKET];
    size_t length;
    counts_measure();
    isopod_region_begin();
    isopod_status status =
        isopod_packet_open(&packet->context, &packet->config, &packet->set.sender);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    isopod_region_begin();
    status = isopod_packet_encrypt(&packet->context, &packet->encryptor, &packet->values, out,
                                   sizeof out, &length);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    counts_report();
}

/* Encrypts in the same regions. */
static void encrypt_tfhe(tfhe_fixture *set, const isopod_tfhe_packet_config *config) {
    static uint8_t out[MOST_PACKET];
    static _Alignas(8) uint8_t workspace[4096];
    const isopod_packet_encryptor encryptor = {.workspace = {workspace, sizeof workspace},
                                               .entropy = &set->entropy,
                                               .sender = &set->sender};
    isopod_tfhe_packet_context context;
    size_t length;
    counts_measure();
    isopod_region_begin();
    isopod_status status = isopod_tfhe_packet_open(&context, config, &set->sender);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    isopod_region_begin();
    status =
        isopod_tfhe_packet_encrypt(&context, &encryptor, config->schema, out, sizeof out, &length);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    counts_report();
}

/* Bits and bytes; nothing of a mask is rejected, so the device key is random, too. */
static void counts_tfhe_packets(const isopod_tfhe_params *params, uint32_t trials) {
    uint8_t device_key[ISOPOD_FRAME_KEY_BYTES];
    tfhe_fixture set;
    check_memory_reset();
    tfhe_fixture_open(&set, params, TFHE_STREAM);
    const isopod_tfhe_values values = tfhe_fixture_values("1*9+2*3");
    const isopod_tfhe_packet_config config = {.params = params,
                                              .key = &set.key,
                                              .schema = &values,
                                              .accept_label = params->label,
                                              .device_bytes = 4};
    set.entropy.fill = counts_random_fill;
    set.sender.key = device_key;
    for (uint32_t trial = 0; trial < trials; trial++) {
        (void)counts_random_fill(NULL, device_key, sizeof device_key);
        counts_randomise_tfhe_key(&set);
        counts_randomise_tfhe_values(&values);
        encrypt_tfhe(&set, &config);
    }
}

/* Keys are derived in the first region, a packet is encrypted in the second. */
static void encrypt_pads(pad_fixture *pads) {
    static uint8_t out[MOST_PACKET];
    size_t length;
    counts_measure();
    isopod_region_begin();
    isopod_status status =
        isopod_pad_derive(&pads->keys, &pads->config, &pads->sender, pads->pad_key);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    CHECK(isopod_pad_open(&pads->context, &pads->config, &pads->sender, &pads->keys) == ISOPOD_OK);
    isopod_region_begin();
    status = isopod_pad_encrypt(&pads->context, &pads->encryptor, &pads->values, out, sizeof out,
                                &length);
    isopod_region_end();
    CHECK(status == ISOPOD_OK);
    counts_report();
}

static void counts_pads(uint32_t trials) {
    pad_fixture pads;
    check_memory_reset();
    pad_fixture_open(&pads);
    int16_t *data = (int16_t *)(uintptr_t)pads.values.data;
    uint8_t *device_key = (uint8_t *)(uintptr_t)pads.sender.key;
    for (uint32_t trial = 0; trial < trials; trial++) {
        (void)counts_random_fill(NULL, pads.pad_key, ISOPOD_PAD_KEY_BYTES);
        (void)counts_random_fill(NULL, device_key, ISOPOD_FRAME_KEY_BYTES);
        for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
            data[i] = (int16_t)((int32_t)(counts_random() % 4095u) - 2047);
        }
        pads.sender.sequence = 15;
        encrypt_pads(&pads);
    }
}

static void counts_packets(const profile *profile, uint32_t trials) {
    packet_fixture packet;
    check_memory_reset();
    packet_fixture_open(&packet, profile->params);
    packet.config.method = profile->method;
    packet.config.tag_bytes = profile->tag_bytes;
    packet.config.rows = profile->rows;
    packet.config.stride = 40;
    uint32_t count = (uint32_t)profile->rows * packet.config.columns;
    int16_t *data = check_memory(sizeof *data * count);
    const isopod_values values = {data, count, ISOPOD_VALUES_INT16};
    packet.values = values;
    packet_workspace(&packet);
    for (uint32_t trial = 0; trial < trials; trial++) {
        packet_repeat(&packet);
        packet.set.entropy.fill = counts_random_fill;
        counts_randomise_key(&packet.set);
        for (uint32_t i = 0; i < count; i++) {
            data[i] = (int16_t)((int32_t)(counts_random() % 4097u) - 2048);
        }
        encrypt(&packet);
    }
}

void counts_packet(uint32_t number, uint32_t trials) {
    if (number == PADS) {
        counts_pads(trials);
    } else if (number >= TFHE) {
        counts_tfhe_packets(tfhe_sets[number - TFHE], trials);
    } else {
        counts_packets(&profiles[number], trials);
    }
}
