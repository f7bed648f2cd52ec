/* The regions of the generated assembly file that test_cycles.py writes. */
#include <stdint.h>

void known_cycles(uint32_t *memory);

int main(void) {
    uint32_t memory[16] = {0};
    known_cycles(memory + 8);
    return 0;
}
