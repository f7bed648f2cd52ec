/* void isopod_slot_values(uint32_t *out, const int32_t *words, const isopod_slot_loop *loop)
 * float32 values of words (spec/decryption.md, section 2), the place of each from its power of 3.
 * Straight-line: clz and shifts take one cycle whatever their operands. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

out .req r0
words .req r1
order .req r2
step .req r3
half .req r4 /* n/2 - 1 */
reciprocal .req r5
exponent .req r6 /* field where bit 31 is the leading digit, less the 1 of that digit */
end .req r7
word .req r8
zeros .req r9
low .req r10
high .req r11
t .req r12
kept .req r14

    .section .text.isopod_slot_values, "ax", %progbits
    .global isopod_slot_values
    .type isopod_slot_values, %function
    .balign 4
isopod_slot_values:
    push {r4-r11, lr}
    ldmia r2, {r2-r7}
1:  sbfx t, order, #1, #1
    eor t, t, order, lsr #2
    and t, t, half
    eor t, t, #1
    ldr word, [words, t, lsl #2]
    mul order, order, step
    eor t, word, word, asr #31
    add t, t, word, lsr #31
    lsl t, t, #3
    umull low, high, t, reciprocal /* below 2^31 */
    clz zeros, high
    lsl low, high, zeros
    lsr kept, low, #8
    uxtb low, low
    and t, kept, #1
    add low, low, #0x7f
    add low, low, t
    add kept, kept, low, lsr #8
    sub zeros, exponent, zeros
    add kept, kept, zeros, lsl #23
    and word, word, #0x80000000
    orr kept, kept, word
    rsb high, high, #0
    and kept, kept, high, asr #31 /* 0 stays 0 */
    str kept, [out], #4
    cmp out, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_slot_values, . - isopod_slot_values

#endif
