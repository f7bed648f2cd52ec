/* Measures an encryption in a thread of its own, whose stack Kconfig chooses. */
#include <zephyr/kernel.h>

#include "benchmark.h"
#include "entropy/zephyr.h"
#include "isopod_kconfig.h"

enum { PRIORITY = 5 };

K_THREAD_STACK_DEFINE(stack, ISOPOD_KCONFIG_STACK_BYTES);
static struct k_thread thread;

int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_zephyr(state, out, length);
}

uint32_t board_microseconds(void) {
    return k_cyc_to_us_floor32(k_cycle_get_32());
}

void board_report(const char *name, uint32_t number) {
    printk("%s %u\n", name, (unsigned)number);
}

static void run(void *first, void *second, void *third) {
    ARG_UNUSED(first);
    ARG_UNUSED(second);
    ARG_UNUSED(third);
    const isopod_status status = run_benchmark();
    size_t unused = 0;
    if (k_thread_stack_space_get(k_current_get(), &unused) == 0) {
        board_report("stack_bytes", (uint32_t)(ISOPOD_KCONFIG_STACK_BYTES - unused));
    }
    printk("%s\n", isopod_status_text(status));
}

int main(void) {
    k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), run, NULL, NULL, NULL, PRIORITY,
                    0, K_NO_WAIT);
    k_thread_join(&thread, K_FOREVER);
    return 0;
}
