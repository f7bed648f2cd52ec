/* void isopod_poly1305_blocks(uint32_t h[5], const uint32_t r[4], const uint8_t *bytes,
 *                             size_t count)
 * For each block h = (h + block + 2^128) * r, partly reduced: the sums of tag/poly1305.c, column by
 * column, f_i = 5 * (r_i / 4). The accumulator stays in registers from block to block. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

bytes .req r0
h0 .req r3
h1 .req r4
h2 .req r5
h3 .req r6
h4 .req r7
five1 .req r0
five2 .req r1
five3 .req r2
m0 .req r8
m1 .req r9
m2 .req r10
m3 .req r11
low .req r12 /* five quarters of m0 when it is loaded */
high .req r14

    .equ FACTORS, 0 /* five1, five2, five3, m0, m1, m2, m3, and that of m0 */
    .equ X0, 32
    .equ BYTES, 36 /* and their end */
    .equ ACCUMULATOR, 44
    .equ FRAME, 48

    .macro FIVE_QUARTERS f, m
    lsr \f, \m, #2
    add \f, \f, \f, lsl #2
    .endm

    /* Begins a column with what the last one carries over. */
    .macro NEXT_COLUMN h, m
    mov low, #0
    umaal low, high, \h, \m
    .endm

    .section .text.isopod_poly1305_blocks, "ax", %progbits
    .global isopod_poly1305_blocks
    .type isopod_poly1305_blocks, %function
    .balign 4
isopod_poly1305_blocks:
    cmp r3, #0
    beq .Lnone
    push {r4-r11, lr}
    sub sp, #FRAME
    add r3, r2, r3, lsl #4
    strd r2, r3, [sp, #BYTES]
    str r0, [sp, #ACCUMULATOR]
    mov r14, r2
    ldmia r0, {r3-r7}
    ldmia r1, {m0-m3}
    FIVE_QUARTERS low, m0
    FIVE_QUARTERS five1, m1
    FIVE_QUARTERS five2, m2
    FIVE_QUARTERS five3, m3
    stmia sp, {r0-r2, r8-r12}
    mov bytes, r14
.Lnext_block:
    ldr m0, [bytes], #4
    ldr m1, [bytes], #4
    ldr m2, [bytes], #4
    ldr m3, [bytes], #4
    str bytes, [sp, #BYTES]
    adds h0, m0
    adcs h1, h1, m1
    adcs h2, h2, m2
    adcs h3, h3, m3
    adc h4, h4, #1
    ldmia sp, {r0-r2, r8-r12}
    umull low, high, h4, low
    umlal low, high, h0, m0
    umlal low, high, h1, five3
    umlal low, high, h2, five2
    umlal low, high, h3, five1
    str low, [sp, #X0]
    NEXT_COLUMN h0, m1
    umlal low, high, h1, m0
    umlal low, high, h2, five3
    umlal low, high, h3, five2
    umlal low, high, h4, five1
    mov five1, low
    NEXT_COLUMN h0, m2
    umlal low, high, h1, m1
    umlal low, high, h2, m0
    umlal low, high, h3, five3
    umlal low, high, h4, five2
    mov five2, low
    NEXT_COLUMN h0, m3
    umlal low, high, h1, m2
    umlal low, high, h2, m1
    umlal low, high, h3, m0
    umlal low, high, h4, five3
    and m0, m0, #3
    mla high, h4, m0, high /* from 2^128 on */
    ldr m0, [sp, #X0]
    lsr m1, high, #2
    add m1, m1, m1, lsl #2
    adds h0, m0, m1
    adcs h1, five1, #0
    adcs h2, five2, #0
    adcs h3, low, #0
    and high, high, #3
    adc h4, high, #0
    ldrd bytes, r1, [sp, #BYTES]
    cmp bytes, r1
    bne .Lnext_block
    ldr r0, [sp, #ACCUMULATOR]
    stmia r0, {r3-r7}
    add sp, #FRAME
    pop {r4-r11, pc}
.Lnone:
    bx lr
    .size isopod_poly1305_blocks, . - isopod_poly1305_blocks

#endif
