/* The butterflies of one radix-4 pass of the 32-bit FFT at one offset, twiddles in three pairs:
 *   void isopod_fft32_<kind>_<length>(int32_t *x, const int32_t *end, const int32_t twiddles[6])
 *   void isopod_fft32_<kind>_any(int32_t *x, const int32_t *end, const int32_t twiddles[6],
 *                                uint32_t bytes)
 * for inputs `length` complex words (`bytes` bytes) apart. smmulr, smmlar and smmlsr round as
 * spec/ckks.md, section 4, does. Kind column is the encoder's, which divides by four. Kind inverse
 * is the decoder's, which does not (spec/decryption.md, section 2): words that leave its range of
 * 29 bits are saturated and set the sticky flag Q. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

    .equ TWIDDLES, 0 /* T(J), T(2J), T(3J) */
    .equ FRAME, 24

x .req r0
upper .req r1 /* the third of the four inputs */
w_re .req r2
w_im .req r3
end .req r14

    .macro RAISE_column re, im
    .endm

    .macro RAISE_inverse re, im
    lsl \re, \re, #2
    lsl \im, \im, #2
    .endm

    .macro CHECK_column re, im
    .endm

    .macro CHECK_inverse re, im
    ssat \re, #29, \re
    ssat \im, #29, \im
    .endm

    .macro TURN kind, re, im, x_re, x_im, which
    RAISE_\kind \x_re, \x_im
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

    /* r12, r8 = a + b and r10, r11 = a - b of a in r8, r9 and b in r10, r11 */
    .macro LAST_SUM_DIFFERENCE_inverse
    add r12, r8, r10
    sub r10, r8, r10
    add r8, r9, r11
    sub r11, r9, r11
    .endm

    /* the same of four times a */
    .macro LAST_SUM_DIFFERENCE_column
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

    .macro COLUMN kind, length
    .section .text.isopod_fft32_\kind\()_\length, "ax", %progbits
    .global isopod_fft32_\kind\()_\length
    .type isopod_fft32_\kind\()_\length, %function
    .balign 4
isopod_fft32_\kind\()_\length:
    ENTER
    add upper, x, #16 * \length
1:  ldrd r4, r5, [upper, #8 * \length]
    TURN \kind, r6, r7, r4, r5, 2
    ldrd r4, r5, [upper]
    TURN \kind, r8, r9, r4, r5, 0
    SUM_DIFFERENCE
    ldrd r8, r9, [x, #8 * \length]
    TURN \kind, r10, r11, r8, r9, 1
    ldrd r8, r9, [x]
    LAST_SUM_DIFFERENCE_\kind
    add r2, r12, r4
    add r3, r8, r5
    CHECK_\kind r2, r3
    strd r2, r3, [x]
    sub r2, r12, r4
    sub r3, r8, r5
    CHECK_\kind r2, r3
    strd r2, r3, [upper]
    add r2, r10, r7
    sub r3, r11, r6
    CHECK_\kind r2, r3
    strd r2, r3, [x, #8 * \length]
    sub r2, r10, r7
    add r3, r11, r6
    CHECK_\kind r2, r3
    strd r2, r3, [upper, #8 * \length]
    add x, #32 * \length
    add upper, #32 * \length
    cmp x, end
    blo 1b
    LEAVE
    .size isopod_fft32_\kind\()_\length, . - isopod_fft32_\kind\()_\length
    .endm

bytes .req r1

    .macro COLUMN_ANY kind
    .section .text.isopod_fft32_\kind\()_any, "ax", %progbits
    .global isopod_fft32_\kind\()_any
    .type isopod_fft32_\kind\()_any, %function
    .balign 4
isopod_fft32_\kind\()_any:
    mov r12, r3
    ENTER
    mov bytes, r12
1:  add x, x, bytes, lsl #1
    add x, bytes
    ldrd r4, r5, [x]
    TURN \kind, r6, r7, r4, r5, 2
    sub x, bytes
    ldrd r4, r5, [x]
    TURN \kind, r8, r9, r4, r5, 0
    SUM_DIFFERENCE
    sub x, bytes
    ldrd r8, r9, [x]
    TURN \kind, r10, r11, r8, r9, 1
    sub x, bytes
    ldrd r8, r9, [x]
    LAST_SUM_DIFFERENCE_\kind
    add r2, r12, r4
    add r3, r8, r5
    CHECK_\kind r2, r3
    strd r2, r3, [x]
    add x, bytes
    add r2, r10, r7
    sub r3, r11, r6
    CHECK_\kind r2, r3
    strd r2, r3, [x]
    add x, bytes
    sub r2, r12, r4
    sub r3, r8, r5
    CHECK_\kind r2, r3
    strd r2, r3, [x]
    add x, bytes
    sub r2, r10, r7
    add r3, r11, r6
    CHECK_\kind r2, r3
    strd r2, r3, [x]
    add x, bytes
    cmp x, end
    blo 1b
    LEAVE
    .size isopod_fft32_\kind\()_any, . - isopod_fft32_\kind\()_any
    .endm

    COLUMN column, 4
    COLUMN column, 16
    COLUMN column, 64
    COLUMN_ANY column
    COLUMN inverse, 4
    COLUMN inverse, 16
    COLUMN inverse, 64
    COLUMN_ANY inverse

/* void isopod_fft32_first(int32_t *x, const int32_t *end)
 * void isopod_fft32_inverse_first(int32_t *x, const int32_t *end)
 * The pass of neighbours, without twiddles. */
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

    .macro PLAIN p, q, sum
    add \sum, \p, \q
    sub \p, \p, \q
    .endm

    .section .text.isopod_fft32_inverse_first, "ax", %progbits
    .global isopod_fft32_inverse_first
    .type isopod_fft32_inverse_first, %function
    .balign 4
isopod_fft32_inverse_first:
    push {r4-r11, lr}
1:  ldmia x, {r2-r9}
    PLAIN r2, r4, r10 /* s in r10, u in r2 */
    PLAIN r3, r5, r11
    PLAIN r6, r8, r12 /* p in r12, r in r6 */
    PLAIN r7, r9, r14
    add r4, r2, r7 /* y1 */
    sub r5, r3, r6
    sub r8, r2, r7 /* y3 */
    add r9, r3, r6
    add r2, r10, r12 /* y0 */
    add r3, r11, r14
    sub r6, r10, r12 /* y2 */
    sub r7, r11, r14
    .irp register, r2, r3, r4, r5, r6, r7, r8, r9
    ssat \register, #29, \register
    .endr
    stmia x!, {r2-r9}
    cmp x, r1
    bne 1b
    pop {r4-r11, pc}
    .size isopod_fft32_inverse_first, . - isopod_fft32_inverse_first

#endif
