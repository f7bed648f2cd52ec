/* The butterflies of one radix-4 pass of the 32-bit FFT at one offset, twiddles in three pairs:
 *   void isopod_fft32_column_<length>(int32_t *x, const int32_t *end, const int32_t twiddles[6])
 *   void isopod_fft32_column_any(int32_t *x, const int32_t *end, const int32_t twiddles[6],
 *                                uint32_t bytes)
 * for inputs `length` complex words (`bytes` bytes) apart. smmulr, smmlar and smmlsr round as
 * spec/ckks.md, section 4, does. */
    .syntax unified
    .thumb

    .equ TWIDDLES, 0 /* T(J), T(2J), T(3J) */
    .equ FRAME, 24

x .req r0
upper .req r1 /* the third of the four inputs */
w_re .req r2
w_im .req r3
end .req r14

    .macro TURN re, im, x_re, x_im, which
    ldrd w_re, w_im, [sp, #TWIDDLES + 8 * \which]
    smmulr \re, \x_re, w_re
    smmulr \im, \x_re, w_im
    smmlsr \re, \x_im, w_im, \re
    smmlar \im, \x_im, w_re, \im
    .endm

    /* r4, r5 = c + d and r6, r7 = c - d of c in r8, r9 and d in r6, r7 */
    .macro SUM_DIFFERENCE
    add r4, r8, r6
    sub r6, r8, r6
    add r5, r9, r7
    sub r7, r9, r7
    .endm

    /* r12, r8 = a + b and r10, r11 = a - b of four times a in r8, r9 and b in r10, r11 */
    .macro QUARTERED_SUM_DIFFERENCE
    add r8, #2
    add r9, #2
    add r12, r10, r8, asr #2
    rsb r10, r10, r8, asr #2
    add r8, r11, r9, asr #2
    rsb r11, r11, r9, asr #2
    .endm

    .macro ENTER
    push {r4-r11, lr}
    sub sp, #FRAME + 4
    mov end, r1
    ldmia r2, {r4-r9}
    stmia sp, {r4-r9}
    .endm

    .macro LEAVE
    add sp, #FRAME + 4
    pop {r4-r11, pc}
    .endm

    .macro COLUMN length
    .section .text.isopod_fft32_column_\length, "ax", %progbits
    .global isopod_fft32_column_\length
    .type isopod_fft32_column_\length, %function
    .balign 4
isopod_fft32_column_\length:
    ENTER
    add upper, x, #16 * \length
1:  ldrd r4, r5, [upper, #8 * \length]
    TURN r6, r7, r4, r5, 2
    ldrd r4, r5, [upper]
    TURN r8, r9, r4, r5, 0
    SUM_DIFFERENCE
    ldrd r8, r9, [x, #8 * \length]
    TURN r10, r11, r8, r9, 1
    ldrd r8, r9, [x]
    QUARTERED_SUM_DIFFERENCE
    add r2, r12, r4
    add r3, r8, r5
    strd r2, r3, [x]
    sub r2, r12, r4
    sub r3, r8, r5
    strd r2, r3, [upper]
    add r2, r10, r7
    sub r3, r11, r6
    strd r2, r3, [x, #8 * \length]
    sub r2, r10, r7
    add r3, r11, r6
    strd r2, r3, [upper, #8 * \length]
    add x, #32 * \length
    add upper, #32 * \length
    cmp x, end
    blo 1b
    LEAVE
    .size isopod_fft32_column_\length, . - isopod_fft32_column_\length
    .endm

    COLUMN 4
    COLUMN 16
    COLUMN 64

bytes .req r1

    .section .text.isopod_fft32_column_any, "ax", %progbits
    .global isopod_fft32_column_any
    .type isopod_fft32_column_any, %function
    .balign 4
isopod_fft32_column_any:
    mov r12, r3
    ENTER
    mov bytes, r12
1:  add x, x, bytes, lsl #1
    add x, bytes
    ldrd r4, r5, [x]
    TURN r6, r7, r4, r5, 2
    sub x, bytes
    ldrd r4, r5, [x]
    TURN r8, r9, r4, r5, 0
    SUM_DIFFERENCE
    sub x, bytes
    ldrd r8, r9, [x]
    TURN r10, r11, r8, r9, 1
    sub x, bytes
    ldrd r8, r9, [x]
    QUARTERED_SUM_DIFFERENCE
    add r2, r12, r4
    add r3, r8, r5
    strd r2, r3, [x]
    add x, bytes
    add r2, r10, r7
    sub r3, r11, r6
    strd r2, r3, [x]
    add x, bytes
    sub r2, r12, r4
    sub r3, r8, r5
    strd r2, r3, [x]
    add x, bytes
    sub r2, r10, r7
    add r3, r11, r6
    strd r2, r3, [x]
    add x, bytes
    cmp x, end
    blo 1b
    LEAVE
    .size isopod_fft32_column_any, . - isopod_fft32_column_any

/* void isopod_fft32_first(int32_t *x, const int32_t *end): the pass of neighbours, without
 * twiddles */
    /* p + q to sum and p - q to difference, of registers that hold four times p and q */
    .macro QUARTERED p, q, sum
    asr \p, \p, #2
    add \sum, \p, \q, asr #2
    sub \p, \p, \q, asr #2
    .endm

    .section .text.isopod_fft32_first, "ax", %progbits
    .global isopod_fft32_first
    .type isopod_fft32_first, %function
    .balign 4
isopod_fft32_first:
    push {r4-r11, lr}
1:  ldmia x, {r2-r9}
    .irp register, r2, r3, r4, r5, r6, r7, r8, r9
    add \register, #2
    .endr
    QUARTERED r2, r4, r10 /* s in r10, u in r2 */
    QUARTERED r3, r5, r11
    QUARTERED r6, r8, r12 /* p in r12, r in r6 */
    QUARTERED r7, r9, r14
    add r4, r2, r7 /* y1 */
    sub r5, r3, r6
    sub r8, r2, r7 /* y3 */
    add r9, r3, r6
    add r2, r10, r12 /* y0 */
    add r3, r11, r14
    sub r6, r10, r12 /* y2 */
    sub r7, r11, r14
    stmia x!, {r2-r9}
    cmp x, r1
    bne 1b
    pop {r4-r11, pc}
    .size isopod_fft32_first, . - isopod_fft32_first
