/* void isopod_poly1305_block(uint32_t h[5], const uint32_t r[4], const uint8_t block[16]) h = (h +
 * block + 2^128) * r, partly reduced: the sums of tag/poly1305.c, column by column, f_i = 5 * (r_i
 * / 4). */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

h0 .req r3
h1 .req r4
h2 .req r5
h3 .req r6
h4 .req r7
m0 .req r8
m1 .req r9
m2 .req r10
m3 .req r11
low .req r12
high .req r14
five1 .req r0
five2 .req r1
five3 .req r2

    .macro FIVE_QUARTERS f, m
    lsr \f, \m, #2
    add \f, \f, \f, lsl #2
    .endm

    .macro CARRY
    mov low, high
    mov high, #0
    .endm

    .section .text.isopod_poly1305_block, "ax", %progbits
    .global isopod_poly1305_block
    .type isopod_poly1305_block, %function
    .balign 4
isopod_poly1305_block:
    push {r0, r4-r11, lr}
    ldr h0, [r2]
    ldr h1, [r2, #4]
    ldr h2, [r2, #8]
    ldr h3, [r2, #12]
    ldmia r0, {r8-r12}
    adds h0, r8
    adcs h1, h1, r9
    adcs h2, h2, r10
    adcs h3, h3, r11
    adc h4, r12, #1
    ldmia r1, {m0-m3}
    umull low, high, h0, m0
    FIVE_QUARTERS five1, m0
    umlal low, high, h4, five1
    FIVE_QUARTERS five1, m1
    umlal low, high, h3, five1
    FIVE_QUARTERS five2, m2
    umlal low, high, h2, five2
    FIVE_QUARTERS five3, m3
    umlal low, high, h1, five3
    push {low}
    CARRY
    umlal low, high, h0, m1
    umlal low, high, h1, m0
    umlal low, high, h2, five3
    umlal low, high, h3, five2
    umlal low, high, h4, five1
    mov five1, low
    CARRY
    umlal low, high, h0, m2
    umlal low, high, h1, m1
    umlal low, high, h2, m0
    umlal low, high, h3, five3
    umlal low, high, h4, five2
    mov five2, low
    CARRY
    umlal low, high, h0, m3
    umlal low, high, h1, m2
    umlal low, high, h2, m1
    umlal low, high, h3, m0
    umlal low, high, h4, five3
    and m0, m0, #3
    mla high, h4, m0, high /* from 2^128 on */
    pop {m0}
    lsr m1, high, #2
    add m1, m1, m1, lsl #2
    adds m0, m1
    adcs m1, five1, #0
    adcs m2, five2, #0
    adcs m3, low, #0
    and high, high, #3
    adc low, high, #0
    pop {r0}
    stmia r0, {m0-m3, low}
    pop {r4-r11, pc}
    .size isopod_poly1305_block, . - isopod_poly1305_block

#endif
