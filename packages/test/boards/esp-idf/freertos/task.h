/* Tasks of FreeRTOS. */
#include <stddef.h>
#include <stdint.h>

static inline int xTaskCreate(void (*run)(void *), const char *name, uint32_t stack,
                              void *parameter, int priority, void *handle) {
    (void)name, (void)stack, (void)priority, (void)handle;
    run(parameter);
    return pdPASS;
}

static inline uint32_t uxTaskGetStackHighWaterMark(void *task) {
    (void)task;
    return 1000;
}

static inline void vTaskDelete(void *task) {
    (void)task;
}
