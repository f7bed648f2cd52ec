/* FreeRTOS, whose tasks run when they are made. */
#define pdPASS 1
