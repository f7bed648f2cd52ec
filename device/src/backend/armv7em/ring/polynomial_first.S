/* The first pass of the NTT of a compact polynomial of degree 4096, and its fold into a quarter
 * chunk, coefficients being taken from where they are:
 *   void isopod_first_<kind>(int32_t *out, const isopod_first *from)
 *   void isopod_fold_<kind>(int32_t *out, const isopod_first *from)
 * kind: message (packed words and errors) or error. Coefficients k, k+1024, k+2048 and k+3072 meet,
 * k = 1..1023 for messages, 0..1023 for errors. Bounds are in polynomial_armv7em.c. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    .equ M, 1024

/* from: up, down, error, modulus, negative_inverse, barrett, twiddles[5], on the stack from BARRETT
 * on */
    .equ BARRETT, 0
    .equ W1, 4
    .equ W2, 8
    .equ W12, 12
    .equ W3, 16
    .equ W13, 20
    .equ END, 24
    .equ FRAME, 28

up .req r0 /* message words 2k, 2k+1 */
down .req r1 /* message words 2(M-k), 2(M-k)+1 */
error .req r2
q .req r3
inverse .req r4
low_out .req r5 /* out + k, and further, so that offsets reach out + k + M */
high_out .req r6 /* the same for k + 2M */
x0 .req r7
x1 .req r8
u1 .req r9
u3 .req r10
low .req r11
high .req r12
t .req r14

    .macro REDC low, high, spare
    mul \spare, \low, inverse
    smlal \low, \high, \spare, q
    .endm

    .macro ODD_message /* x1 in x1, x3 in x0 */
    ldrd x0, x1, [down], #-8
    ldrsb t, [error, #M]
    add x1, t
    ldrsb t, [error, #3 * M]
    sub x0, t, x0
    .endm

    .macro ODD_error
    ldrsb x1, [error, #M]
    ldrsb x0, [error, #3 * M]
    .endm

    .macro EVEN_message /* x0 in x0, x2 in x1 */
    ldrd x0, x1, [up], #8
    ldrsb t, [error, #2 * M]
    sub x1, t, x1
    ldrsb t, [error], #1
    add x0, t
    ldr t, [sp, #BARRETT]
    smmulr t, x0, t
    mls x0, t, q, x0
    .endm

    .macro EVEN_error
    ldrsb x1, [error, #2 * M]
    ldrsb x0, [error], #1
    .endm

    .macro BUTTERFLY kind, behind
    ODD_\kind
    ldr t, [sp, #W2]
    smull low, u1, x1, t
    ldr t, [sp, #W12]
    smlal low, u1, x0, t
    REDC low, u1, t
    ldr t, [sp, #W3]
    smull low, u3, x1, t
    ldr t, [sp, #W13]
    smlal low, u3, x0, t
    REDC low, u3, t
    EVEN_\kind
    ldr t, [sp, #W1]
    smull low, high, x1, t
    REDC low, high, t
    sub x1, x0, high
    add x0, high
    add t, x0, u1
    sub x0, u1
    str t, [low_out, #-(\behind)]
    str x0, [low_out, #4 * M - (\behind)]
    add t, x1, u3
    sub x1, u3
    str t, [high_out, #-(\behind)]
    str x1, [high_out, #4 * M - (\behind)]
    .endm

    /* One output: x0 + (w1*x2 + w2*x1 + w12*x3) */
    .macro FOLD kind
    ODD_\kind
    smull low, high, x1, w2
    smlal low, high, x0, w12
    EVEN_\kind
    ldr t, [sp, #W1]
    smlal low, high, x1, t
    REDC low, high, t
    add high, x0
    str high, [low_out], #4
    .endm

    .macro ENTER name, kind
    .section .text.isopod_\name\()_\kind, "ax", %progbits
    .global isopod_\name\()_\kind
    .type isopod_\name\()_\kind, %function
    .balign 4
isopod_\name\()_\kind:
    push {r4-r11, lr}
    sub sp, #FRAME
    mov r5, r0
    mov r14, r1
    ldmia r14!, {r0-r4}
    ldmia r14, {r6-r11}
    stmia sp, {r6-r11}
    .endm

    .macro LEAVE name, kind
    cmp low_out, t
    bne 1b
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_\name\()_\kind, . - isopod_\name\()_\kind
    .endm

    /* 1023 = 3 * 341 butterflies, or 1024 = 2 * 512 */
    .macro FIRST kind, unrolled, first
    ENTER first, \kind
    add t, low_out, #4 * M
    add t, #4 * \unrolled
    str t, [sp, #END]
    add low_out, #4 * \first + 4 * \unrolled
    add high_out, low_out, #8 * M
1:  BUTTERFLY \kind, 4 * \unrolled
    BUTTERFLY \kind, 4 * \unrolled - 4
    .if \unrolled > 2
    BUTTERFLY \kind, 4 * \unrolled - 8
    .endif
    add low_out, #4 * \unrolled
    add high_out, #4 * \unrolled
    ldr t, [sp, #END]
    LEAVE first, \kind
    .endm

w2 .req r6
w12 .req r10

    .macro FOLD_ALL kind, unrolled, first
    ENTER fold, \kind
    add t, low_out, #4 * M
    str t, [sp, #END]
    add low_out, #4 * \first
    ldr w2, [sp, #W2]
    ldr w12, [sp, #W12]
1:  FOLD \kind
    FOLD \kind
    .if \unrolled > 2
    FOLD \kind
    .endif
    ldr t, [sp, #END]
    LEAVE fold, \kind
    .endm

    FIRST message, 3, 1
    FIRST error, 2, 0
    FOLD_ALL message, 3, 1
    FOLD_ALL error, 2, 0

#endif
