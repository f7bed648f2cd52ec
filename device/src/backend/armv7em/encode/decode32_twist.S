/* The pre-twist of the 32-bit decoder (spec/decryption.md, section 2). Sums of products start from
 * the rounding constant. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

/* void isopod_decode32_twist(int32_t *folded, const int32_t *cosine, uint32_t half) V_k in place of
 * D_k and D_{half-k}, 0 < k < half/2; half = n/2. Four times D_k fits a word, and V_k is the upper
 * word of the products. */
low .req r0
high .req r1
cosine .req r2
other .req r3 /* the sine */
end .req r4
one_half .req r5

    .section .text.isopod_decode32_twist, "ax", %progbits
    .global isopod_decode32_twist
    .type isopod_decode32_twist, %function
    .balign 4
isopod_decode32_twist:
    push {r4-r11, lr}
    add other, r1, r2, lsl #2
    add end, low, r2, lsl #1
    add r12, low, r2, lsl #2
    adds cosine, r1, #4
    subs other, #4
    subs r1, r12, #4
    adds low, #4
    mov one_half, #0x80000000
1:  ldr r6, [low]
    ldr r7, [high]
    ldr r8, [cosine], #4
    ldr r9, [other], #-4
    lsl r6, r6, #2
    lsl r7, r7, #2
    mov r10, one_half
    mov r11, #0
    smlal r10, r11, r6, r8
    smlal r10, r11, r7, r9
    str r11, [low], #4
    rsb r7, r7, #0
    mov r10, one_half
    mov r11, #0
    smlal r10, r11, r6, r9
    smlal r10, r11, r7, r8
    str r11, [high], #-4
    cmp low, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_decode32_twist, . - isopod_decode32_twist

/* void isopod_decode32_join(int32_t *words, const int32_t *v, const isopod_decode32_places *places)
 * X_k and X_{m-k}, 0 < k < m/2, m = n/4, at their bit-reversed places, parts exchanged. Words out of
 * range are saturated and set the sticky flag Q. */
words .req r0
up .req r1 /* Re V_k; Im V_{m-k} is 4m bytes behind */
down .req r2 /* Re V_{m-k}; Im V_k is 4m bytes behind */
bytes .req r3 /* 4m */

    .equ COSINE, 0 /* of 4k */
    .equ SINE, 4
    .equ K, 8 /* and m */
    .equ SHIFT, 16 /* of what rbit gives */
    .equ FRAME, 20

    /* (high:low + 2^29) >> 30 */
    .macro ROUND out, low, high
    lsr \low, \low, #30
    orr \out, \low, \high, lsl #2
    .endm

    .section .text.isopod_decode32_join, "ax", %progbits
    .global isopod_decode32_join
    .type isopod_decode32_join, %function
    .balign 4
isopod_decode32_join:
    push {r4-r11, lr}
    sub sp, #FRAME
    ldmia r2, {r4-r7} /* cosine, sine, m, shift */
    strd r4, r5, [sp, #COSINE]
    str r7, [sp, #SHIFT]
    lsl bytes, r6, #2
    add down, up, bytes
    mov r4, #1
    strd r4, r6, [sp, #K]
    adds up, #4
    subs down, #4
1:  ldr r4, [up] /* Re V */
    ldr r5, [down, bytes] /* Im V */
    ldr r6, [down], #-4 /* Re V' */
    ldr r7, [up, bytes] /* Im V' */
    adds up, #4
    sub r8, r4, r6 /* Y */
    add r9, r5, r7
    add r4, r4, r6 /* S */
    sub r5, r5, r7
    ldrd r10, r11, [sp, #COSINE]
    ldr r6, [r10, #16]!
    ldr r7, [r11, #-16]!
    strd r10, r11, [sp, #COSINE]
    mov r10, #0x20000000
    mov r11, #0
    smlal r10, r11, r8, r7
    smlal r10, r11, r9, r6
    ROUND r12, r10, r11 /* Im R */
    rsb r9, r9, #0
    mov r10, #0x20000000
    mov r11, #0
    smlal r10, r11, r8, r6
    smlal r10, r11, r9, r7
    ROUND r14, r10, r11 /* Re R */
    ldrd r8, r9, [sp, #K]
    ldr r10, [sp, #SHIFT]
    sub r9, r9, r8
    rbit r6, r8
    rbit r7, r9
    lsr r6, r6, r10
    lsr r7, r7, r10
    add r8, r8, #1
    str r8, [sp, #K]
    add r6, words, r6, lsl #3
    add r7, words, r7, lsl #3
    sub r9, r4, r12
    add r10, r5, r14
    ssat r9, #29, r9
    ssat r10, #29, r10
    str r10, [r6]
    str r9, [r6, #4]
    add r9, r4, r12
    sub r10, r14, r5
    ssat r9, #29, r9
    ssat r10, #29, r10
    str r10, [r7]
    str r9, [r7, #4]
    cmp up, down
    bne 1b
    add sp, #FRAME
    pop {r4-r11, pc}
    .size isopod_decode32_join, . - isopod_decode32_join

#endif
