/* The ChaCha20 block function ([RFC8439], section 2.3) for Armv7-M, constant time. Words 0..11 stay
 * in r0..r11; of words 12..15 two are in registers, the other two on the stack. No rotation costs
 * an instruction: registers hold b rotated by rol 7 and d by rol 8, and the shifted operand of the
 * next instruction undoes this. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    .equ PAIR_LOW, 0 /* words 12 and 13 */
    .equ PAIR_HIGH, 8 /* words 14 and 15 */
    .equ ROUNDS_LEFT, 16
    .equ OUT, 20
    .equ KEY, 24
    .equ COUNT, 28
    .equ INPUT, 32 /* with the counter of the current block */
    .equ KEY_COPY, 48
    .equ FRAME, 80

    .macro QUARTER a, b, c, d
    add \a, \a, \b, ror #25
    eor \d, \a, \d, ror #24
    add \c, \c, \d, ror #16
    eor \b, \c, \b, ror #25
    add \a, \a, \b, ror #20
    eor \d, \a, \d, ror #16
    add \c, \c, \d, ror #24
    eor \b, \c, \b, ror #20
    .endm

    /* Counts, if asked to, while r12 is free; no other instruction of rounds sets flags. */
    .macro DOUBLE_ROUND counts=0
    QUARTER r0, r4, r8, r12
    QUARTER r1, r5, r9, r14
    strd r12, r14, [sp, #PAIR_LOW]
    .if \counts
    ldr r12, [sp, #ROUNDS_LEFT]
    subs r12, #1
    str r12, [sp, #ROUNDS_LEFT]
    .endif
    ldrd r12, r14, [sp, #PAIR_HIGH]
    QUARTER r2, r6, r10, r12
    QUARTER r3, r7, r11, r14
    QUARTER r0, r5, r10, r14
    QUARTER r3, r4, r9, r12
    strd r12, r14, [sp, #PAIR_HIGH]
    ldrd r12, r14, [sp, #PAIR_LOW]
    QUARTER r1, r6, r11, r12
    QUARTER r2, r7, r8, r14
    .endm

    /* out += four words at `from`, with their rotation resolved */
    .macro ADD_FOUR from, rotation, a, b, c, d
    ldmia \from!, {r0-r3}
    add \a, r0, \a, ror #\rotation
    add \b, r1, \b, ror #\rotation
    add \c, r2, \c, ror #\rotation
    add \d, r3, \d, ror #\rotation
    stmia r12!, {\a, \b, \c, \d}
    .endm

    .macro PEND rotation, registers:vararg
    .irp register, \registers
    ror \register, \register, #\rotation
    .endr
    .endm

/* void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
 *                             uint32_t count) */
    .section .text.isopod_chacha20_blocks, "ax", %progbits
    .global isopod_chacha20_blocks
    .type isopod_chacha20_blocks, %function
    .balign 4
isopod_chacha20_blocks:
    push {r4-r11, lr}
    cmp r3, #0
    beq .Lnone
    sub sp, #FRAME
    str r3, [sp, #COUNT]
    ldmia r2, {r4-r7}
    add r12, sp, #INPUT
    stmia r12, {r4-r7}
    tst r1, #3
    bne .Lcopy_key
.Lnext_block:
    strd r0, r1, [sp, #OUT]
    add r2, sp, #INPUT
    ldmia r2, {r0, r2, r12, r14}
    PEND 8, r0, r2, r12, r14
    strd r12, r14, [sp, #PAIR_HIGH]
    mov r12, r0
    mov r14, r2
    ldmia r1, {r4-r11}
    PEND 7, r4, r5, r6, r7
    movs r0, #5
    str r0, [sp, #ROUNDS_LEFT]
    adr r3, .Lconstants
    ldmia r3, {r0-r3}
.Lfour_rounds:
    DOUBLE_ROUND counts=1
    DOUBLE_ROUND
    bne .Lfour_rounds
    strd r12, r14, [sp, #PAIR_LOW]
    ldrd r12, r14, [sp, #OUT]
    stmia r12!, {r0-r3}
    ADD_FOUR r14, 25, r4, r5, r6, r7
    ldmia r14, {r0-r3}
    add r8, r0
    add r9, r1
    add r10, r2
    add r11, r3
    stmia r12!, {r8-r11}
    add r14, sp, #INPUT
    ldmia sp, {r4-r7}
    ADD_FOUR r14, 24, r4, r5, r6, r7
    adr r3, .Lconstants
    ldmia r3, {r0-r3}
    sub r12, #64
    ldmia r12, {r4-r7}
    add r4, r0
    add r5, r1
    add r6, r2
    add r7, r3
    stmia r12, {r4-r7}
    ldrd r1, r3, [sp, #KEY]
    add r0, r12, #64
    ldr r2, [sp, #INPUT]
    subs r3, #1
    add r2, #1
    str r2, [sp, #INPUT]
    str r3, [sp, #COUNT]
    bne .Lnext_block
    add sp, #FRAME
.Lnone:
    pop {r4-r11, pc}
.Lcopy_key: /* by bytes: loads of words at odd addresses may fault */
    add r3, sp, #KEY_COPY
    movs r12, #32
.Lnext_byte:
    ldrb r4, [r1], #1
    strb r4, [r3], #1
    subs r12, #1
    bne .Lnext_byte
    add r1, sp, #KEY_COPY
    b .Lnext_block
    .balign 4
.Lconstants: /* "expand 32-byte k" */
    .word 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
    .size isopod_chacha20_blocks, . - isopod_chacha20_blocks

#endif
