/* Around the snippet of docs/guides/device-start.md: a noise source of the board. */
#include "isopod/entropy.h"
#include "isopod/health.h"

int board_sample(void *state, uint8_t *sample);

#include "snippet.h"

isopod_entropy *entropy_of_the_board(void);

isopod_entropy *entropy_of_the_board(void) {
    return &entropy;
}
