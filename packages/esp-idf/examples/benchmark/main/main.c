/* Measures an encryption in a task of its own, whose stack Kconfig chooses. */
#include <stdio.h>

#include "benchmark.h"
#include "entropy/esp_idf.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "isopod_kconfig.h"

enum { PRIORITY = 5 };

/* For firmware without radio, whose noise comes from the ADC. */
int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_esp_idf(state, out, length);
}

uint32_t board_microseconds(void) {
    return (uint32_t)esp_timer_get_time();
}

void board_report(const char *name, uint32_t number) {
    printf("%s %lu\n", name, (unsigned long)number);
}

static void run(void *parameter) {
    (void)parameter;
    const isopod_status status = run_benchmark();
    board_report("stack_bytes", ISOPOD_KCONFIG_STACK_BYTES - uxTaskGetStackHighWaterMark(NULL));
    printf("%s\n", isopod_status_text(status));
    vTaskDelete(NULL);
}

void app_main(void) {
    if (xTaskCreate(run, "isopod", ISOPOD_KCONFIG_STACK_BYTES, NULL, PRIORITY, NULL) != pdPASS) {
        printf("no memory for the task\n");
    }
}
