/* Around the snippet of docs/guides/device-start.md: the board's flash. */
#include "isopod/counter.h"

int board_flash_read(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length);
int board_flash_write(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                      size_t length);
int board_flash_erase(void *state, uint8_t page);
isopod_status start(isopod_sender *sender);

#include "snippet.h"
