/* Sends an encrypted reading over LoRaWAN every ten minutes: a payload of 18 bytes. It fits
 * every data rate of Europe; of North America all but the slowest, which carries 11. The network
 * sees neither the reading nor its change. */
#include <zephyr/device.h>
#include <zephyr/kernel.h>
#include <zephyr/lorawan/lorawan.h>

#include "entropy/zephyr.h"
#include "lorawan_keys.h" /* LORAWAN_DEV_EUI, LORAWAN_JOIN_EUI, LORAWAN_APP_KEY: initialisers */
#include "send_packet.h"

enum { PORT = 2, MINUTES = 10 };

int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_zephyr(state, out, length);
}

/* A product: its sensor, 0 to 1023. */
static int16_t read_sensor(void) {
    static int16_t reading = 500;
    return reading++;
}

static int join(void) {
    static uint8_t device[] = LORAWAN_DEV_EUI, join[] = LORAWAN_JOIN_EUI, key[] = LORAWAN_APP_KEY;
    struct lorawan_join_config config = {
        .mode = LORAWAN_ACT_OTAA,
        .dev_eui = device,
        .otaa = {.join_eui = join, .app_key = key, .nwk_key = key},
    };
    const struct device *radio = DEVICE_DT_GET(DT_ALIAS(lora0));
    return device_is_ready(radio) && lorawan_start() == 0 ? lorawan_join(&config) : -1;
}

/* A packet that the network does not take is lost: its number is used up and never comes again. */
static isopod_status send_reading(void) {
    uint8_t packet[PACKET_BYTES];
    const isopod_status status = make_packet(read_sensor(), packet);
    if (status == ISOPOD_OK) {
        const int error = lorawan_send(PORT, packet, sizeof packet, LORAWAN_MSG_UNCONFIRMED);
        printk("sent: %d\n", error);
    }
    return status;
}

int main(void) {
    isopod_status status = start_packets();
    if (status == ISOPOD_OK && join() != 0) {
        printk("no network\n");
        return 0;
    }
    while (status == ISOPOD_OK) {
        status = send_reading();
        k_sleep(K_MINUTES(MINUTES));
    }
    printk("%s\n", isopod_status_text(status));
    return 0;
}
