/* void isopod_product27(int32_t *x, const uint32_t *a, const isopod_product_group *group) void
 * isopod_product_lean(int32_t *x, const uint32_t *a, const isopod_product_group *group,
 *                          const isopod_ntt *ntt)
 *
 * Eight groups of four neighbours: the last pass of the NTT for a prime of up to 27 bits, the
 * product of a and the key, and the sum of both, under one reduction for each output:
 *   y = a*key + R*b0 + w2*b1, R = 2^32 mod q, then canonical.
 * |b0| + |b1| + 2q < 2^32 (ntt_armv7em.c), |w2|, |R| <= q/2, |a| and key < q: |y| < q before the
 * last addition. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

/* the group: first, second, key, modulus, negative_inverse, one */
    .equ GROUP_FIRST, 0
    .equ GROUP_KEY, 8
    .equ NTT_TWIDDLES, 4
    .equ FIRST, 0 /* copies of the twiddles, as isopod_lean_twiddles */
    .equ SECOND, 32
    .equ FRAME, 96
    .equ GROUPS, 8 /* ISOPOD_LEAN_GROUPS */

x .req r0
a .req r1
key .req r2
q .req r3
x0 .req r4
x1 .req r5
x2 .req r6
x3 .req r7
twiddle .req r8
low .req r9
high .req r10
t .req r11
inverse .req r12
one .req r14

    .macro MULTIPLY high, value
    smull low, \high, \value, twiddle
    mul \value, low, inverse
    smlal low, \high, \value, q
    .endm

    .macro OUTPUT even, odd
    ldr t, [a], #4
    ldr high, [key], #4
    smull low, high, t, high
    smlal low, high, one, \even
    smlal low, high, twiddle, \odd
    mul t, low, inverse
    smlal low, high, t, q
    and t, q, high, asr #31
    add high, t
    str high, [x], #4
    .endm

    .macro GROUP at
    ldmia x, {x0-x3}
    ldr twiddle, [sp, #FIRST + 4 * \at]
    MULTIPLY high, x2
    MULTIPLY t, x3
    sub x2, x0, high
    add x0, x0, high
    sub x3, x1, t
    add x1, x1, t
    ldr twiddle, [sp, #SECOND + 8 * \at]
    OUTPUT x0, x1
    rsb x1, x1, #0
    OUTPUT x0, x1
    ldr twiddle, [sp, #SECOND + 8 * \at + 4]
    OUTPUT x2, x3
    rsb x3, x3, #0
    OUTPUT x2, x3
    .endm

    .macro COPY_EIGHT from, to
    ldmia \from!, {r4-r11}
    stmia \to!, {r4-r11}
    .endm

    .section .text.isopod_product27, "ax", %progbits
    .global isopod_product27
    .type isopod_product27, %function
    .balign 4
isopod_product27:
    push {r4-r11, lr}
    sub sp, #FRAME + 4
    mov r14, sp
    ldrd r3, r12, [r2], #8
    COPY_EIGHT r3, r14
    COPY_EIGHT r12, r14
    COPY_EIGHT r12, r14
.Lproducts:
    ldmia r2, {r4-r7}
    mov key, r4
    mov q, r5
    mov inverse, r6
    mov one, r7
    GROUP 0
    GROUP 1
    GROUP 2
    GROUP 3
    GROUP 4
    GROUP 5
    GROUP 6
    GROUP 7
    add sp, #FRAME + 4
    pop {r4-r11, pc}
    .size isopod_product27, . - isopod_product27

/* Makes the twiddles in the place of their copies. */
    .global isopod_product_lean
    .type isopod_product_lean, %function
isopod_product_lean:
    push {r4-r11, lr}
    sub sp, #FRAME + 4
    mov r4, r0
    mov r5, r1
    mov r6, r2
    ldr r2, [r2, #GROUP_FIRST]
    ldr r0, [r3, #NTT_TWIDDLES]
    subs r2, r0
    asrs r2, #2
    mov r1, r3
    mov r0, sp
    movs r3, #GROUPS
    bl isopod_lean_fill
    mov r0, r4
    mov r1, r5
    add r2, r6, #GROUP_KEY
    b .Lproducts
    .size isopod_product_lean, . - isopod_product_lean

#endif
