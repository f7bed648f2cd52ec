/* Products and reductions of the NTT domain, four values at a time.
 *   void isopod_reduce_words(int32_t *x, const int32_t *end, const isopod_prime *prime)
 *   void isopod_multiply_add_words(int32_t *x, const int32_t *a, const isopod_multiply_words *with)
 * Bounds are in pointwise.h. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

/* isopod_prime */
    .equ BARRETT, 12

    .section .text.isopod_reduce_words, "ax", %progbits
    .global isopod_reduce_words
    .type isopod_reduce_words, %function
    .balign 4
isopod_reduce_words:
    push {r4-r8, lr}
    ldr r3, [r2, #BARRETT]
    ldr r2, [r2]
1:  ldmia r0, {r4-r7}
    smmulr r8, r4, r3
    smmulr r12, r5, r3
    mls r4, r8, r2, r4
    mls r5, r12, r2, r5
    smmulr r8, r6, r3
    smmulr r12, r7, r3
    mls r6, r8, r2, r6
    mls r7, r12, r2, r7
    stmia r0!, {r4-r7}
    cmp r0, r1
    bne 1b
    pop {r4-r8, pc}
    .size isopod_reduce_words, . - isopod_reduce_words

x .req r0
a .req r1
key .req r2
end .req r3
q .req r4
inverse .req r5
one .req r6

    .macro PRODUCT value
    ldr r7, [a], #4
    ldr r8, [key], #4
    smull r9, r8, r7, r8
    smlal r9, r8, \value, one
    mul r7, r9, inverse
    smlal r9, r8, r7, q
    and r7, q, r8, asr #31
    add \value, r8, r7
    .endm

    .section .text.isopod_multiply_add_words, "ax", %progbits
    .global isopod_multiply_add_words
    .type isopod_multiply_add_words, %function
    .balign 4
isopod_multiply_add_words:
    push {r4-r11, lr}
    ldmia r2, {r2-r6}
1:  ldmia x, {r10, r11, r12, r14}
    PRODUCT r10
    PRODUCT r11
    PRODUCT r12
    PRODUCT r14
    stmia x!, {r10, r11, r12, r14}
    cmp x, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_multiply_add_words, . - isopod_multiply_add_words

#endif
