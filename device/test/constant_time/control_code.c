/* Positive control of disassembly.py: a branch and a division that no line of public.toml allows.
 */
#include <stdint.h>

void isopod_control_call(void);
void isopod_control_branch(uint32_t secret);
uint32_t isopod_control_division(uint32_t secret, uint32_t modulus);

void isopod_control_branch(uint32_t secret) {
    if ((secret & 1u) != 0) {
        isopod_control_call();
    }
    isopod_control_call();
}

uint32_t isopod_control_division(uint32_t secret, uint32_t modulus) {
    return secret % modulus;
}
