/* Four ChaCha20 blocks ([RFC8439], section 2.3) for Helium, one per lane, constant time. Seven of
 * the sixteen words are in registers, the others in slots on the stack. A round ends with a quarter
 * round whose operands all stay, beside one operand of each other quarter round; so the first
 * quarter round of the next round loads nothing, the others three words each: nine loads and nine
 * stores a round. After a double round every word is back in its register. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    .equ SLOTS, 16 * 16
    .equ DOUBLE_ROUNDS, 10

    /* Leaves b in the register of d and d in that of b. */
    .macro QUARTER a, b, c, d
    vadd.i32 \a, \a, \b
    veor \d, \d, \a
    vrev32.16 \d, \d
    vadd.i32 \c, \c, \d
    veor \b, \b, \c
    vshl.i32 q7, \b, #12
    vsri.32 q7, \b, #20
    vadd.i32 \a, \a, q7
    veor \d, \d, \a
    vshl.i32 \b, \d, #8
    vsri.32 \b, \d, #24
    vadd.i32 \c, \c, \b
    veor q7, q7, \c
    vshl.i32 \d, q7, #7
    vsri.32 \d, q7, #25
    .endm

    /* Word `old` to its slot, word `new` into its register. */
    .macro EXCHANGE register, old, new
    vstrw.32 \register, [r3, #16 * \old]
    vldrw.32 \register, [r3, #16 * \new]
    .endm

    /* Words `number` and `number` + 1 of the initial state to the registers. */
    .macro BOTH number, first, second
    ldrd r4, r5, [r1, #4 * \number]
    vdup.32 \first, r4
    vdup.32 \second, r5
    .endm

    .macro SPILL register, number
    vstrw.32 \register, [r3, #16 * \number]
    .endm

    .macro FETCH register, number
    vldrw.32 \register, [r3, #16 * \number]
    .endm

    /* Adds these two words of the initial state and stores them in all blocks. */
    .macro PUT number, first, second
    ldrd r4, r5, [r1, #4 * \number]
    vadd.i32 \first, \first, r4
    vadd.i32 \second, \second, r5
    vstrw.32 \first, [q7, #4 * \number]
    vstrw.32 \second, [q7, #4 * \number + 4]
    .endm

/* void isopod_chacha20_four(uint32_t *out, const uint32_t state[16]): blocks with the counters
 * state[12] .. state[12] + 3. */
    .section .text.isopod_chacha20_four, "ax", %progbits
    .global isopod_chacha20_four
    .type isopod_chacha20_four, %function
    .balign 4
isopod_chacha20_four:
    push {r4-r6, lr}
    vpush {d8-d15}
    sub sp, #SLOTS
    mov r3, sp
    BOTH 6, q0, q1
    SPILL q0, 6
    SPILL q1, 7
    BOTH 10, q0, q1
    SPILL q0, 10
    SPILL q1, 11
    BOTH 0, q0, q7
    SPILL q7, 1
    BOTH 4, q1, q7
    SPILL q7, 5
    BOTH 2, q7, q4
    SPILL q7, 2
    BOTH 8, q2, q5
    BOTH 14, q6, q7
    SPILL q7, 15
    BOTH 12, q3, q7
    SPILL q7, 13
    vidup.u32 q3, r4, #1
    movs r2, #DOUBLE_ROUNDS
    dls lr, r2
1:
    QUARTER q0, q1, q2, q3 /* 0, 4, 8, 12 */
    EXCHANGE q3, 4, 1
    EXCHANGE q2, 8, 5
    EXCHANGE q1, 12, 13
    QUARTER q3, q2, q5, q1 /* 1, 5, 9, 13 */
    EXCHANGE q5, 9, 2
    EXCHANGE q3, 1, 6
    EXCHANGE q2, 13, 10
    QUARTER q5, q3, q2, q6 /* 2, 6, 10, 14 */
    EXCHANGE q3, 14, 7
    EXCHANGE q5, 2, 11
    EXCHANGE q6, 6, 15
    QUARTER q4, q3, q5, q6 /* 3, 7, 11, 15 */
    QUARTER q0, q1, q2, q3 /* 0, 5, 10, 15 */
    EXCHANGE q3, 5, 6
    EXCHANGE q2, 10, 1
    EXCHANGE q1, 15, 12
    QUARTER q2, q3, q5, q1 /* 1, 6, 11, 12 */
    EXCHANGE q5, 11, 2
    EXCHANGE q2, 1, 8
    EXCHANGE q1, 6, 13
    QUARTER q5, q6, q2, q1 /* 2, 7, 8, 13 */
    EXCHANGE q1, 7, 14
    EXCHANGE q5, 2, 9
    EXCHANGE q6, 13, 4
    QUARTER q4, q6, q5, q1 /* 3, 4, 9, 14 */
    le lr, 1b

    SPILL q3, 12
    movs r4, #0
    vidup.u32 q7, r4, #8
    vshl.i32 q7, q7, #3
    vadd.i32 q7, q7, r0
    FETCH q3, 1
    PUT 0, q0, q3
    FETCH q3, 2
    PUT 2, q3, q4
    FETCH q3, 5
    PUT 4, q1, q3
    FETCH q0, 6
    FETCH q1, 7
    PUT 6, q0, q1
    PUT 8, q2, q5
    FETCH q0, 10
    FETCH q1, 11
    PUT 10, q0, q1
    FETCH q0, 15
    PUT 14, q6, q0
    FETCH q0, 12
    FETCH q1, 13
    ldrd r4, r5, [r1, #48]
    vidup.u32 q2, r4, #1
    vadd.i32 q0, q0, q2
    vadd.i32 q1, q1, r5
    vstrw.32 q0, [q7, #48]
    vstrw.32 q1, [q7, #52]
    add sp, #SLOTS
    vpop {d8-d15}
    pop {r4-r6, pc}
    .size isopod_chacha20_four, . - isopod_chacha20_four

#endif
