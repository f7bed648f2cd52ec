/* Broadcasts an encrypted reading in Bluetooth LE advertisements: 18 bytes behind the number of the
 * maker, without a connection. Whoever listens carries them to the server. */
#include <string.h>

#include <zephyr/bluetooth/bluetooth.h>
#include <zephyr/kernel.h>

#include "entropy/zephyr.h"
#include "send_packet.h"

enum { MAKER_BYTES = 2, SECONDS = 60 };

static uint8_t payload[MAKER_BYTES + PACKET_BYTES] = {0xff, 0xff}; /* 0xffff: of tests */
static const struct bt_data advertisement[] = {
    BT_DATA(BT_DATA_MANUFACTURER_DATA, payload, sizeof payload)};

int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_zephyr(state, out, length);
}

/* A product: its sensor, 0 to 1023. */
static int16_t read_sensor(void) {
    static int16_t reading = 500;
    return reading++;
}

static int broadcast(void) {
    static bool is_on;
    const int error =
        is_on ? bt_le_adv_update_data(advertisement, ARRAY_SIZE(advertisement), NULL, 0)
              : bt_le_adv_start(BT_LE_ADV_NCONN, advertisement, ARRAY_SIZE(advertisement), NULL, 0);
    is_on = is_on || error == 0;
    return error;
}

/* A reading that cannot be encrypted ends the sample; the last packet stays on the air till then.
 */
static isopod_status send_reading(void) {
    uint8_t packet[PACKET_BYTES];
    const isopod_status status = make_packet(read_sensor(), packet);
    if (status == ISOPOD_OK) {
        memcpy(payload + MAKER_BYTES, packet, sizeof packet);
        printk("broadcast: %d\n", broadcast());
    }
    return status;
}

int main(void) {
    isopod_status status = start_packets();
    if (status == ISOPOD_OK && bt_enable(NULL) != 0) {
        printk("no radio\n");
        return 0;
    }
    while (status == ISOPOD_OK) {
        status = send_reading();
        k_sleep(K_SECONDS(SECONDS));
    }
    bt_le_adv_stop();
    printk("%s\n", isopod_status_text(status));
    return 0;
}
