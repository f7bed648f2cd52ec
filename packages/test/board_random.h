/* Takes the place of the example's file on the simulated board, which has no generator: repeats
 * itself at every start, never for a product. */
static int board_random(void *state, uint8_t *out, size_t length) {
    static uint32_t z = 1;
    (void)state;
    for (size_t i = 0; i < length; i++) {
        z = z * 1664525UL + 1013904223UL;
        out[i] = (uint8_t)(z >> 24);
    }
    return 0;
}
