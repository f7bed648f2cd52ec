/* The generator of the board: fill `out` from its hardware and return 0. An ATmega has none of its
 * own, so that this file refuses until it is given one; nothing weaker takes its place. */
static int board_random(void *state, uint8_t *out, size_t length) {
    (void)state;
    (void)out;
    (void)length;
    return 1;
}
