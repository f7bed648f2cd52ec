/* ChaCha20 blocks ([RFC8439], section 2.3) for Helium, four at a time, one per lane, constant time.
 * Seven of the sixteen words are in registers, the other nine on the stack in two areas. The column
 * round fills one area while it empties the other; the diagonal round does the reverse. A round ends
 * with a quarter round whose operands all stay in registers, with one operand of each other quarter
 * round. Between quarter rounds three words are stored and three are loaded. The stored words lie
 * in neighbouring registers, so that one instruction stores them. Words between the loaded ones are
 * loaded, too, into registers that the next instruction overwrites or that are free. After a double
 * round every word is back in its place. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    .equ STATE, 0 /* of the first of four blocks */
    .equ COUNTER, 48
    .equ AREA0, 64
    .equ AREA1, AREA0 + 9 * 16
    .equ FRAME, AREA1 + 9 * 16
    .equ DOUBLE_ROUNDS, 10

    /* Leaves b in the register of d and d in that of b; t is free. */
    .macro QUARTER a, b, c, d, t
    vadd.i32 \a, \a, \b
    veor \d, \d, \a
    vrev32.16 \d, \d
    vadd.i32 \c, \c, \d
    veor \b, \b, \c
    vshl.i32 \t, \b, #12
    vsri.32 \t, \b, #20
    vadd.i32 \a, \a, \t
    veor \d, \d, \a
    vshl.i32 \b, \d, #8
    vsri.32 \b, \d, #24
    vadd.i32 \c, \c, \b
    veor \t, \t, \c
    vshl.i32 \d, \t, #7
    vsri.32 \d, \t, #25
    .endm

    /* Word `number` of the initial state to all lanes; base: its address in all lanes. */
    .macro SPREAD register, base, number
    vldrw.u32 \register, [\base, #4 * \number]
    .endm

    /* Adds these two words of the initial state and stores them in all blocks. */
    .macro PUT number, first, second
    ldrd r1, r12, [sp, #4 * \number]
    vadd.i32 \first, \first, r1
    vadd.i32 \second, \second, r12
    vstrw.32 \first, [q2, #4 * \number]
    vstrw.32 \second, [q2, #4 * \number + 4]
    .endm

/* void isopod_chacha20_fours(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
 *                            uint32_t fours): 4 * fours blocks. */
    .section .text.isopod_chacha20_fours, "ax", %progbits
    .global isopod_chacha20_fours
    .type isopod_chacha20_fours, %function
    .balign 4
isopod_chacha20_fours:
    push {r4-r11, lr}
    vpush {d8-d15}
    sub sp, #FRAME
    mov r12, sp
    adr r8, .Lconstants
    ldmia r8, {r4-r7}
    stmia r12!, {r4-r7}
    ldr r4, [r1] /* of any alignment */
    ldr r5, [r1, #4]
    ldr r6, [r1, #8]
    ldr r7, [r1, #12]
    ldr r8, [r1, #16]
    ldr r9, [r1, #20]
    ldr r10, [r1, #24]
    ldr r11, [r1, #28]
    stmia r12!, {r4-r11}
    ldmia r2, {r4-r7}
    stmia r12!, {r4-r7}
    mov r2, r3
    mov r4, r12 /* slots of area 0: 0, 2, 4, 5 */
    add r5, r4, #16 * 2
    add r6, r4, #16 * 4
    add r7, r4, #16 * 5
    add r8, r4, #AREA1 - AREA0 /* of area 1: 0, 1, 4, 5 */
    add r9, r8, #16
    add r10, r8, #16 * 4
    add r11, r8, #16 * 5

    /* The words in area 1: 10, 15, 5, 9, 3, 14, 2, 7, 13. */
.Lnext_four:
    mov r12, sp
    vdup.32 q7, r12
    SPREAD q0, q7, 10
    SPREAD q1, q7, 15
    SPREAD q2, q7, 5
    SPREAD q3, q7, 9
    SPREAD q4, q7, 3
    SPREAD q5, q7, 14
    SPREAD q6, q7, 2
    vstmia r8, {d0-d13}
    SPREAD q0, q7, 7
    SPREAD q1, q7, 13
    vstrw.32 q0, [r8, #16 * 7]
    vstrw.32 q1, [r8, #16 * 8]
    vdup.32 q2, r12
    SPREAD q0, q2, 6
    SPREAD q1, q2, 11
    SPREAD q3, q2, 8
    SPREAD q5, q2, 4
    SPREAD q6, q2, 1
    SPREAD q7, q2, 0
    ldr r12, [sp, #COUNTER]
    vidup.u32 q4, r12, #1
    movs r1, #DOUBLE_ROUNDS
    dls lr, r1
1:
    mov r3, r4
    QUARTER q7, q5, q3, q4, q2 /* 0, 4, 8, 12 */
    vstmia r3!, {d6-d11}       /* 8, 4, 12 */
    vldmia r10, {d4-d11}       /* 3, -, -, 7 */
    vldmia r9, {d6-d9}         /* 15, - */
    QUARTER q2, q5, q1, q3, q4 /* 3, 7, 11, 15 */
    vstmia r3!, {d2-d7}        /* 11, 3, 7 */
    vldmia r8, {d6-d9}         /* 10, - */
    vldmia r11, {d2-d5}        /* 14, 2 */
    QUARTER q2, q0, q3, q1, q4 /* 2, 6, 10, 14 */
    vstmia r3!, {d0-d5}        /* 14, 6, 2 */
    vldrw.32 q4, [r8, #16 * 8] /* 13 */
    vldmia r9, {d0-d5}         /* -, 5, 9 */
    QUARTER q6, q1, q2, q4, q0 /* 1, 5, 9, 13 */
    QUARTER q7, q4, q3, q5, q0 /* 0, 5, 10, 15 */
    vstmia r3!, {d6-d11}       /* 10, 15, 5 */
    vldmia r6, {d6-d11}        /* 3, -, 14 */
    vldrw.32 q4, [r4, #16]     /* 4 */
    QUARTER q3, q4, q2, q5, q0 /* 3, 4, 9, 14 */
    vstmia r3!, {d4-d9}        /* 9, 3, 14 */
    vldrw.32 q0, [r4, #16 * 8] /* 2 */
    vldmia r7, {d4-d9}         /* 7, -, - */
    vldmia r4, {d6-d9}         /* 8, - */
    QUARTER q0, q2, q3, q1, q4 /* 2, 7, 8, 13 */
    vstmia r3!, {d0-d5}        /* 2, 7, 13 */
    vldrw.32 q4, [r4, #16 * 7] /* 6 */
    vldmia r5, {d0-d5}         /* 12, 11, - */
    QUARTER q6, q4, q1, q0, q2 /* 1, 6, 11, 12 */
    le lr, 1b

    movs r12, #0
    vidup.u32 q2, r12, #8
    vshl.i32 q2, q2, #3
    vadd.i32 q2, q2, r0
    PUT 0, q7, q6
    vldrw.32 q6, [r8, #16 * 7]
    PUT 6, q0, q6
    vldrw.32 q6, [r8, #16 * 8]
    ldrd r12, r1, [sp, #COUNTER]
    vidup.u32 q7, r12, #1
    str r12, [sp, #COUNTER]
    vadd.i32 q4, q4, q7
    vadd.i32 q6, q6, r1
    vstrw.32 q4, [q2, #48]
    vstrw.32 q6, [q2, #52]
    vldmia r9, {d12-d15} /* 15, 5 */
    PUT 4, q5, q7
    vldmia r11, {d8-d11} /* 14, 2 */
    PUT 14, q4, q6
    vldrw.32 q0, [r8, #16 * 4]
    PUT 2, q5, q0
    vldrw.32 q0, [r8]
    PUT 10, q0, q1
    vldrw.32 q0, [r8, #16 * 3]
    PUT 8, q3, q0
    add r0, #256
    subs r2, #1
    bne .Lnext_four
    add sp, #FRAME
    vpop {d8-d15}
    pop {r4-r11, pc}
    .balign 4
.Lconstants:
    .word 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
    .size isopod_chacha20_fours, . - isopod_chacha20_fours

#endif
