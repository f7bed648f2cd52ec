/* Shows what happens when the generator of random numbers fails: nothing is sent, and nothing more
 * until the device starts anew, even if the generator recovers. Run it once on the board of a
 * product, and see that its own firmware reports the failure. */
#include <zephyr/kernel.h>

#include "entropy/zephyr.h"
#include "send_packet.h"

enum { PACKETS = 5, FAILING = 3 };

static int number;

/* Zephyr's generator, which fails once. */
int board_random(void *state, uint8_t *out, size_t length) {
    return number == FAILING ? -1 : isopod_entropy_zephyr(state, out, length);
}

static void send(const uint8_t *packet) {
    for (int i = 0; i < PACKET_BYTES; i++) {
        printk("%02x", packet[i]);
    }
    printk("\n");
}

int main(void) {
    isopod_status status = start_packets();
    for (number = 1; number <= PACKETS; number++) {
        uint8_t packet[PACKET_BYTES];
        if (status == ISOPOD_OK || number > 1) {
            status = make_packet(READING_MIDDLE, packet);
        }
        if (status == ISOPOD_OK) {
            send(packet);
        } else {
            printk("%s\n", isopod_status_text(status));
        }
    }
    return 0;
}
