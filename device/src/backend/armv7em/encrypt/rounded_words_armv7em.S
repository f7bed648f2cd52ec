/* Products, rounding and packing of coefficients that travel (encrypt/rounded.h; the bounds are in
 * encrypt/rounded_put.c). One product with 2^held adds a value to the waiting word; the high word
 * of the product carries over. 2^held times 2^kept tells whether the word is whole. The code
 * branches on that alone: counts are public. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    /* isopod_rounded_bits */
    .equ OUT, 0
    .equ HELD, 8
    /* isopod_rounded_one */
    .equ KEPT, 32
    .equ BEFORE, 36 /* and the end */
    .equ IS_SHORT, 44
    /* isopod_rounded_join_of */
    .equ JOIN_END, 40
    /* isopod_rounded_two */
    .equ SUMS_END, 28
    /* own frame */
    .equ BITS, 0
    .equ FIRST, 4 /* fields used once for each coefficient */
    .equ END, 8
    .equ FRAME, 12

word .req r8
place .req r10 /* 2^held */
step .req r11 /* 2^kept, or 2^(kept - 32) */
out .req r12
t .req r14

    .macro LOAD_BITS bits, spare
    ldr \spare, [\bits, #HELD]
    mov place, #1
    lsl place, place, \spare
    ldrd out, word, [\bits, #OUT]
    .endm

    .macro STORE_BITS spare
    ldr \spare, [sp, #BITS]
    strd out, word, [\spare, #OUT]
    clz place, place
    rsb place, place, #31
    str place, [\spare, #HELD]
    .endm

    /* Appends a value below 2^kept < 2^32, which is lost; it is in r0..r7. */
    .macro APPEND value
    mov t, #0
    umlal word, t, \value, place
    umull place, \value, place, step
    cbz \value, .Lheld\@
    str word, [out], #4
    mov word, t
    mov place, \value
.Lheld\@:
    .endm

/* void isopod_rounded_put_one(isopod_rounded_bits *bits, const isopod_rounded_one *of) */
s .req r0
values .req r1
error .req r2
q .req r3
barrett .req r4
factor .req r5
after .req r6
dropped .req r7
x .req r9

    .macro COEFFICIENT load, size
    ldr s, [x], #4
    \load t, [values], #\size
    mla s, t, factor, s
    ldrsb t, [error], #1
    add s, s, t
    ldr t, [sp, #FIRST]
    add s, s, t
    smmulr t, s, barrett
    mls s, t, q, s
    and t, q, s, asr #31
    add s, s, after
    add s, s, t
    lsr s, s, dropped
    APPEND s
    .endm

    /* All coefficients, two in a turn; if their number is odd, the first turn has one. */
    .macro COEFFICIENTS load, size
    ldr t, [sp, #END]
    sub t, t, x
    tst t, #4
    bne .Lodd\@
.Lnext\@:
    COEFFICIENT \load, \size
.Lodd\@:
    COEFFICIENT \load, \size
    ldr t, [sp, #END]
    cmp x, t
    bne .Lnext\@
    .endm

    .section .text.isopod_rounded_put_one, "ax", %progbits
    .global isopod_rounded_put_one
    .type isopod_rounded_put_one, %function
    .balign 4
isopod_rounded_put_one:
    push {r4-r11, lr}
    ldrd r2, r3, [r1, #BEFORE]
    push {r0, r2, r3}
    LOAD_BITS r0, r2
    ldr r0, [r1, #IS_SHORT]
    ldr r2, [r1, #KEPT]
    mov step, #1
    lsl step, step, r2
    ldr x, [r1], #4
    ldmia r1, {r1-r7}
    cmp r0, #0
    beq 1f
    COEFFICIENTS ldrsh, 2
    b 2f
1:  COEFFICIENTS ldr, 8
2:  STORE_BITS r0
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_rounded_put_one, . - isopod_rounded_put_one

/* void isopod_rounded_put_two(isopod_rounded_bits *bits, const isopod_rounded_two *of) */
low .req r0
high .req r1
sums .req r2
q_low .req r3
q_high .req r4
raise .req r5
lost .req r6
rise .req r7 /* 32 - lost */
kept .req r9

    .macro ADD_WHERE_NEGATIVE
    lsr t, high, #31
    umlal low, high, t, q_low
    mla high, t, q_high, high
    .endm

    /* A sum as the number in [0, q), raised and without the bits that are lost. */
    .macro NEXT_SUM
    ldrd low, high, [sums], #8
    ADD_WHERE_NEGATIVE
    ADD_WHERE_NEGATIVE
    adds low, low, raise
    adc high, high, #0
    lsl t, high, rise
    lsr low, low, lost
    orr low, low, t
    .endm

    .macro LOOP_OF_SUMS to
    ldr t, [sp, #END]
    cmp sums, t
    bne \to
    .endm

    .section .text.isopod_rounded_put_two, "ax", %progbits
    .global isopod_rounded_put_two
    .type isopod_rounded_put_two, %function
    .balign 4
isopod_rounded_put_two:
    push {r4-r11, lr}
    ldr r3, [r1, #SUMS_END]
    push {r0, r2, r3}
    LOAD_BITS r0, r2
    ldr sums, [r1], #8
    ldmia r1, {r3-r6, r9}
    rsb rise, lost, #32
    mov step, #1
    subs t, kept, #32
    bpl 2f
    lsl step, step, kept
1:  NEXT_SUM
    APPEND low
    LOOP_OF_SUMS 1b
    b 5f
2:  lsl step, step, t
3:  NEXT_SUM
    lsr high, high, lost
    mov t, #0
    umlal word, t, low, place
    str word, [out], #4
    mov word, #0
    umlal t, word, high, place
    umull place, low, place, step
    cbz low, 4f
    str t, [out], #4
    mov place, low
    LOOP_OF_SUMS 3b
    b 5f
4:  mov word, t
    LOOP_OF_SUMS 3b
5:  STORE_BITS r0
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_rounded_put_two, . - isopod_rounded_put_two

    .unreq x
    .unreq error

/* void isopod_rounded_join(const isopod_rounded_join_of *of) */
x .req r0
y .req r1
message .req r2
error .req r3
first .req r4
second .req r5
negative_inverse .req r6
inverse .req r7
least .req r8
least_high .req r9
sum .req r10
sum_high .req r11
c .req r12
digit .req r14

    .section .text.isopod_rounded_join, "ax", %progbits
    .global isopod_rounded_join
    .type isopod_rounded_join, %function
    .balign 4
isopod_rounded_join:
    push {r4-r11, lr}
    ldr r1, [r0, #JOIN_END]
    push {r1, r2, r3}
    ldmia r0, {r0-r9}
1:  ldr digit, [y], #4
    ldr c, [x], #4
    sub digit, digit, c
    smull sum, sum_high, digit, inverse
    mul digit, sum, negative_inverse
    smlal sum, sum_high, digit, second
    ldrsb sum, [error], #1
    and digit, second, sum_high, asr #31
    add digit, digit, sum_high
    add c, c, sum
    ldrd sum, sum_high, [message]
    smlal sum, sum_high, digit, first
    subs sum, sum, least
    sbc sum_high, sum_high, least_high
    adds sum, sum, c
    adc sum_high, sum_high, c, asr #31
    strd sum, sum_high, [message], #8
    ldr digit, [sp]
    cmp x, digit
    bne 1b
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_rounded_join, . - isopod_rounded_join

    .unreq x

/* void isopod_rounded_multiply(isopod_word *x, const isopod_word *a, const isopod_residue *key,
 *                              uint32_t count, const isopod_prime *prime) */
x .req r0
a .req r1
key .req r2
end .req r3
modulus .req r4
minus .req r5 /* -1/q mod 2^32 */

    /* value = value * factor * 2^-32 mod q; the factor is lost */
    .macro MULTIPLY value, factor
    smull \factor, \value, \value, \factor
    mul r14, \factor, minus
    smlal \factor, \value, r14, modulus
    .endm

    .section .text.isopod_rounded_multiply, "ax", %progbits
    .global isopod_rounded_multiply
    .type isopod_rounded_multiply, %function
    .balign 4
isopod_rounded_multiply:
    push {r4-r10, lr}
    ldr r12, [sp, #32]
    ldr modulus, [r12]
    ldr minus, [r12, #8]
    add end, x, end, lsl #2
1:  ldmia a!, {r6-r9}
    ldrd r10, r12, [key], #8
    MULTIPLY r6, r10
    MULTIPLY r7, r12
    ldrd r10, r12, [key], #8
    MULTIPLY r8, r10
    MULTIPLY r9, r12
    stmia x!, {r6-r9}
    cmp x, end
    bne 1b
    pop {r4-r10, pc}
    .size isopod_rounded_multiply, . - isopod_rounded_multiply

#endif
