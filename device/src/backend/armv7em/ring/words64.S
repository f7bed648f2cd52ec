/* Montgomery arithmetic modulo a 64-bit prime q < 2^60, in pairs of 32-bit words, unsigned: x*w/2^64
 * mod q is in 0 .. 2q for every x < 2^64 and w < q.
 *
 *   void isopod64_layer(const isopod64_layer_words *layer)
 *   void isopod64_inverse_layer(const isopod64_layer_words *layer)
 *   void isopod64_multiply_words(int64_t *x, const int64_t *a, const isopod64_words *with)
 *   void isopod64_scale_words(int64_t *x, const isopod64_words *with)
 *
 * The structures are those of words64.h. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

/* isopod64_words, copied to the stack */
    .equ WORDS_FACTOR, 0
    .equ WORDS_MODULUS, 8
    .equ WORDS_INVERSE, 16
    .equ WORDS_END, 20
    .equ WORDS_KEY, 24
    .equ WORDS_BYTES, 32

/* isopod64_layer_words; its first four words go to the stack, and the multiple behind them */
    .equ LAYER_X, 0
    .equ LAYER_TWIDDLES, 4
    .equ LAYER_END, 8
    .equ LAYER_HALF, 12
    .equ LAYER_MODULUS, 16
    .equ LAYER_INVERSE, 24
    .equ LAYER_MULTIPLE, 32
    .equ LAYER_BYTES, 16

/* t3:t2:t1:t0 = a1:a0 * b1:b0 */
    .macro MULTIPLY t0, t1, t2, t3, a0, a1, b0, b1
    umull \t0, \t1, \a0, \b0
    mov \t2, #0
    umaal \t1, \t2, \a0, \b1
    mov \t3, #0
    umaal \t1, \t3, \a1, \b0
    umaal \t2, \t3, \a1, \b1
    .endm

/* t3:t2 = (t + m * q) / 2^64 with m that clears the low words; t0 and the spare ones are lost. */
    .macro REDUCE t0, t1, t2, t3, q0, q1, inverse, spare0, spare1
    mul \spare0, \t0, \inverse
    mov \spare1, #0
    umaal \t0, \spare1, \spare0, \q0
    umaal \t1, \spare1, \spare0, \q1
    mul \spare0, \t1, \inverse
    umaal \t1, \t0, \spare0, \q0
    umaal \t2, \t0, \spare0, \q1
    adds \t2, \t2, \spare1
    adc \t3, \t3, \t0
    .endm

/* Reduces 0 .. 2q to 0 .. q. */
    .macro CANONICAL t2, t3, q0, q1, spare0, spare1
    subs \t2, \t2, \q0
    sbc \t3, \t3, \q1
    and \spare0, \q0, \t3, asr #31
    and \spare1, \q1, \t3, asr #31
    adds \t2, \t2, \spare0
    adc \t3, \t3, \spare1
    .endm

/* The next centred twiddle, as it lies in the table, from 0 to q. */
    .macro TWIDDLE w0, w1, q0, q1, step, spare0, spare1
    ldr \spare0, [sp, #LAYER_TWIDDLES]
    ldrd \w0, \w1, [\spare0], #\step
    str \spare0, [sp, #LAYER_TWIDDLES]
    and \spare0, \q0, \w1, asr #31
    and \spare1, \q1, \w1, asr #31
    adds \w0, \w0, \spare0
    adc \w1, \w1, \spare1
    .endm

    .section .text.isopod64_layer, "ax", %progbits
    .global isopod64_layer
    .type isopod64_layer, %function
    .balign 4
isopod64_layer:
    push {r4-r11, lr}
    sub sp, sp, #LAYER_BYTES + 4
    ldm r0!, {r1-r4}
    stm sp, {r1-r4}
    ldm r0, {r5-r7} /* q, -1/q */
    mov r0, r1
    ldr r1, [sp, #LAYER_HALF]
1:  TWIDDLE r3, r4, r5, r6, 8, r8, r9
    add r1, r0, r1
    mov r2, r1
2:  ldrd r8, r9, [r1]
    MULTIPLY r10, r11, r12, lr, r8, r9, r3, r4
    REDUCE r10, r11, r12, lr, r5, r6, r7, r8, r9
    ldrd r8, r9, [r0]
    adds r10, r8, r12
    adc r11, r9, lr
    strd r10, r11, [r0], #8
    subs r8, r8, r12
    sbc r9, r9, lr
    adds r8, r8, r5
    adc r9, r9, r6
    adds r8, r8, r5
    adc r9, r9, r6
    strd r8, r9, [r1], #8
    cmp r0, r2
    bne 2b
    mov r0, r1
    ldr r1, [sp, #LAYER_HALF]
    ldr r8, [sp, #LAYER_END]
    cmp r0, r8
    bne 1b
    add sp, sp, #LAYER_BYTES + 4
    pop {r4-r11, pc}
    .size isopod64_layer, . - isopod64_layer

/* x[i] + y[i], and (y[i] - x[i] + multiple) * w: the inverse of block g of m has minus the twiddle
 * of block m-1-g. */
    .section .text.isopod64_inverse_layer, "ax", %progbits
    .global isopod64_inverse_layer
    .type isopod64_inverse_layer, %function
    .balign 4
isopod64_inverse_layer:
    push {r4-r11, lr}
    sub sp, sp, #LAYER_BYTES + 12
    ldrd r4, r5, [r0, #LAYER_MULTIPLE]
    strd r4, r5, [sp, #LAYER_BYTES]
    ldm r0!, {r1-r4}
    stm sp, {r1-r4}
    ldm r0, {r5-r7} /* q, -1/q */
    mov r0, r1
    mov r1, r4
1:  TWIDDLE r3, r4, r5, r6, -8, r8, r9
    add r1, r0, r1
    mov r2, r1
2:  ldrd r8, r9, [r1]
    ldrd r10, r11, [r0]
    adds r12, r8, r10
    adc lr, r9, r11
    strd r12, lr, [r0], #8
    subs r8, r8, r10
    sbc r9, r9, r11
    ldrd r10, r11, [sp, #LAYER_BYTES]
    adds r8, r8, r10
    adc r9, r9, r11
    MULTIPLY r10, r11, r12, lr, r8, r9, r3, r4
    REDUCE r10, r11, r12, lr, r5, r6, r7, r8, r9
    strd r12, lr, [r1], #8
    cmp r0, r2
    bne 2b
    mov r0, r1
    ldr r1, [sp, #LAYER_HALF]
    ldr r8, [sp, #LAYER_END]
    cmp r0, r8
    bne 1b
    add sp, sp, #LAYER_BYTES + 12
    pop {r4-r11, pc}
    .size isopod64_inverse_layer, . - isopod64_inverse_layer

    .section .text.isopod64_multiply_words, "ax", %progbits
    .global isopod64_multiply_words
    .type isopod64_multiply_words, %function
    .balign 4
isopod64_multiply_words:
    push {r4-r11, lr}
    sub sp, sp, #WORDS_BYTES + 4
    ldm r2, {r3-r10}
    stm sp, {r3-r10}
    mov r2, r9 /* the key */
1:  ldrd r3, r4, [r1], #8
    ldrd r5, r6, [r2], #8
    MULTIPLY r8, r9, r10, r11, r3, r4, r5, r6
    ldrd r3, r4, [r0]
    ldrd r5, r6, [sp, #WORDS_FACTOR]
    mov r12, #0
    umaal r8, r12, r3, r5
    umaal r9, r12, r3, r6
    mov lr, #0
    umaal r9, lr, r4, r5
    umaal r10, lr, r4, r6
    adds r10, r10, r12
    adc r11, r11, lr
    ldrd r5, r6, [sp, #WORDS_MODULUS]
    REDUCE r8, r9, r10, r11, r5, r6, r7, r3, r12
    CANONICAL r10, r11, r5, r6, r3, r4
    strd r10, r11, [r0], #8
    ldr r3, [sp, #WORDS_END]
    cmp r0, r3
    bne 1b
    add sp, sp, #WORDS_BYTES + 4
    pop {r4-r11, pc}
    .size isopod64_multiply_words, . - isopod64_multiply_words

    .section .text.isopod64_scale_words, "ax", %progbits
    .global isopod64_scale_words
    .type isopod64_scale_words, %function
    .balign 4
isopod64_scale_words:
    push {r4-r11, lr}
    mov r12, r1
    ldm r12, {r3-r7} /* the factor, q, -1/q */
    ldr r2, [r1, #WORDS_END]
1:  ldrd r8, r9, [r0]
    MULTIPLY r10, r11, r12, lr, r8, r9, r3, r4
    REDUCE r10, r11, r12, lr, r5, r6, r7, r8, r9
    CANONICAL r12, lr, r5, r6, r8, r9
    strd r12, lr, [r0], #8
    cmp r0, r2
    bne 1b
    pop {r4-r11, pc}
    .size isopod64_scale_words, . - isopod64_scale_words

#endif
