/* Packets of random values under random keys, in regions. One device key and one name give all
 * trials one mask, whose rejections take time. */
#include "../harness/check.h"
#include "../packet/packet_input.h"
#include "counter/markers.h"
#include "counts.h"

#define MOST_PACKET 512u

typedef struct {
    const isopod_params *params;
    const isopod_packet_method *method;
    uint8_t rows;
    uint8_t tag_bytes;
} profile;

static const profile profiles[COUNTS_PACKET_PROFILES] = {
    {&isopod_ckks_1024x1_sum, &isopod_packet_stream, 1, 8},
    {&isopod_bfv_1024x1_count, &isopod_packet_stream, 3, 16},
    {&isopod_ckks_2048x1_air, &isopod_packet_transform, 2, 4},
};

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

void counts_packet(uint32_t number, uint32_t trials) {
    const profile *profile = &profiles[number];
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
