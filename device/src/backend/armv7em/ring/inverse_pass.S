/* Passes of the inverse NTT: two layers, in place, radix 4; bounds are in inverse_ntt_armv7em.c.
 * Products are reduced by smull, smlal, mul, smlal: the low word cancels, the high word is left. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

x .req r0
q .req r4
inverse .req r5 /* -1/q mod 2^32 */

    /* high = (high:low) * 2^-32 mod q; spare is lost */
    .macro REDC low, high, spare
    mul \spare, \low, inverse
    smlal \low, \high, \spare, q
    .endm

    /* a, b = a + b, a - b */
    .macro SUM_DIFFERENCE a, b
    add \a, \a, \b
    sub \b, \a, \b, lsl #1
    .endm

/* void isopod_inverse_pass(int32_t *x, const isopod_inverse_multipliers *by, uint32_t bytes)
 * One group of four times `bytes` bytes, a multiple of 16. */
y .req r1 /* of the second of the four inputs */
bytes .req r2
sum .req r3
sum0 .req r6
sum1 .req r7
dif0 .req r8
dif1 .req r9
low .req r10
high .req r11
w0 .req r12
w1 .req r14

    .equ END, 0 /* of x */
    .equ INNER, 4 /* two words each */
    .equ OUTER, 12
    .equ BOTH, 20
    .equ FRAME, 28

    .macro PRODUCTS a, b, at
    ldrd w0, w1, [sp, #\at]
    smull low, high, \a, w0
    smlal low, high, \b, w1
    REDC low, high, w0
    .endm

    .macro BUTTERFLY
    ldr sum0, [x]
    ldr dif0, [y]
    ldr sum1, [x, bytes, lsl #1]
    ldr dif1, [y, bytes, lsl #1]
    SUM_DIFFERENCE sum0, dif0
    SUM_DIFFERENCE sum1, dif1
    PRODUCTS dif0, dif1, BOTH
    str high, [y, bytes, lsl #1]
    PRODUCTS dif0, dif1, INNER
    str high, [y], #4
    PRODUCTS sum0, sum1, OUTER
    str high, [x, bytes, lsl #1]
    smull low, high, sum0, sum
    smlal low, high, sum1, sum
    REDC low, high, w0
    str high, [x], #4
    .endm

    .section .text.isopod_inverse_pass, "ax", %progbits
    .global isopod_inverse_pass
    .type isopod_inverse_pass, %function
    .balign 4
isopod_inverse_pass:
    push {r4-r11, lr}
    sub sp, #FRAME
    ldmia r1, {r3-r11} /* sum, modulus, negative inverse, three pairs */
    add r12, x, bytes
    str r12, [sp]
    add r12, sp, #INNER
    stmia r12, {r6-r11}
    add y, x, bytes
1:  BUTTERFLY
    BUTTERFLY
    BUTTERFLY
    BUTTERFLY
    ldr w0, [sp, #END]
    cmp x, w0
    bne 1b
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_inverse_pass, . - isopod_inverse_pass

/* void isopod_inverse_first(int32_t *x, const isopod_inverse_first *pass)
 * All groups of four neighbours, each with twiddles of its own, which the tables hold negated and
 * in reverse order: differences are taken the other way round. */
outer .req r1 /* of the group, downwards */
inner .req r2 /* two of the group, downwards */
barrett .req r3
t0 .req r6
x1 .req r7
t1 .req r8
x3 .req r9
x0 .req r10
x2 .req r11

    .equ FIRST_SUM, 0
    .equ FIRST_END, 4

    .section .text.isopod_inverse_first, "ax", %progbits
    .global isopod_inverse_first
    .type isopod_inverse_first, %function
    .balign 4
isopod_inverse_first:
    push {r4-r11, lr}
    sub sp, #12
    ldmia r1, {r1-r7} /* outer, inner, barrett, modulus, negative inverse, sum, end */
    strd r6, r7, [sp, #FIRST_SUM]
1:  ldmia x, {r6-r9}
    ldrd w1, w0, [inner], #-8
    add x0, r6, r7
    rsb x1, x0, r7, lsl #1
    add x2, r8, r9
    rsb x3, x2, r9, lsl #1
    smull t0, x1, x1, w0
    REDC t0, x1, w0
    smull t0, x3, x3, w1
    REDC t0, x3, w1
    add w0, x1, x3
    sub x3, x3, x1
    smmulr w1, w0, barrett
    mls x1, w1, q, w0
    ldr w0, [outer], #-4
    smull t0, x3, x3, w0
    REDC t0, x3, w1
    rsb w1, w0, #0
    smull t0, t1, x2, w0
    smlal t0, t1, x0, w1
    REDC t0, t1, w1
    ldr w1, [sp, #FIRST_SUM]
    smull w0, t0, x0, w1
    smlal w0, t0, x2, w1
    REDC w0, t0, w1
    stmia x!, {r6-r9}
    ldr w0, [sp, #FIRST_END]
    cmp x, w0
    bne 1b
    add sp, #12
    pop {r4-r11, pc}
    .size isopod_inverse_first, . - isopod_inverse_first

/* void isopod_inverse_last(int32_t *x, int32_t *half, const isopod_inverse_last_layer *layer)
 * The layer of one block: sums and differences of both halves, times their factors. */
half .req r1
end .req r2

    .macro SCALE value, factor
    smull low, \value, \value, \factor
    REDC low, \value, high
    .endm

    .section .text.isopod_inverse_last, "ax", %progbits
    .global isopod_inverse_last
    .type isopod_inverse_last, %function
    .balign 4
isopod_inverse_last:
    push {r4-r11, lr}
    ldmia r2, {r2-r6} /* end, sum, modulus, negative inverse, difference */
    mov w0, r6
1:  ldmia x, {r6-r7}
    ldmia half, {r8-r9}
    SUM_DIFFERENCE r6, r8
    SUM_DIFFERENCE r7, r9
    SCALE r6, sum
    SCALE r7, sum
    SCALE r8, w0
    SCALE r9, w0
    stmia x!, {r6-r7}
    stmia half!, {r8-r9}
    cmp x, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_inverse_last, . - isopod_inverse_last

#endif
