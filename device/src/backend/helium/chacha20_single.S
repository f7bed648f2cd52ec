/* ChaCha20 blocks ([RFC8439], section 2.3) for Helium one after the other, a row of the state in
 * each of four registers, constant time. A round works on four columns at once. Rows then turn
 * through the stack, so that diagonals become columns and columns become diagonals again. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

    .equ ROW1, 0
    .equ ROW2, 16
    .equ ROW3, 32
    .equ FRAME, 48
    .equ DOUBLE_ROUNDS, 10

    /* One round. turn1, turn2, turn3: addresses of the words that the lanes of rows 1 to 3 get. */
    .macro ROUND turn1, turn2, turn3
    vadd.i32 q0, q0, q1
    veor q3, q3, q0
    vrev32.16 q3, q3
    vadd.i32 q2, q2, q3
    veor q1, q1, q2
    vshl.i32 q7, q1, #12
    vsri.32 q7, q1, #20
    vadd.i32 q0, q0, q7
    veor q3, q3, q0
    vshl.i32 q1, q3, #8
    vsri.32 q1, q3, #24
    vadd.i32 q2, q2, q1
    vstrw.32 q1, [r4, #ROW3]
    veor q7, q7, q2
    vstrw.32 q2, [r4, #ROW2]
    vshl.i32 q1, q7, #7
    vsri.32 q1, q7, #25
    vldrw.u32 q3, [\turn3, #ROW3]
    vstrw.32 q1, [r4, #ROW1]
    vldrw.u32 q2, [\turn2, #ROW2]
    vldrw.u32 q1, [\turn1, #ROW1]
    .endm

    /* The addresses of the words of a row at r4 from byte `first` on, going round. */
    .macro TURN register, first
    movs r12, #\first
    viwdup.u32 \register, r12, r5, #4
    vadd.i32 \register, \register, r4
    .endm

    /* out += a row of the first state, which is in q7 */
    .macro PUT row
    vadd.i32 \row, \row, q7
    vstrw.32 \row, [r0], #16
    .endm

/* void isopod_chacha20_single_blocks(uint32_t *out, const uint8_t key[32],
 *                                    const uint32_t input[4], uint32_t count): count > 0 blocks. */
    .section .text.isopod_chacha20_single_blocks, "ax", %progbits
    .global isopod_chacha20_single_blocks
    .type isopod_chacha20_single_blocks, %function
    .balign 4
isopod_chacha20_single_blocks:
    push {r4-r6, lr}
    vpush {d8-d15}
    sub sp, #FRAME
    mov r4, sp
    movs r5, #16
    TURN q4, 4
    TURN q5, 8
    TURN q6, 12
    adr r5, .Lconstants
    ldr r6, [r2]
.Lnext_block:
    vldrw.u32 q0, [r5]
    vldrb.u8 q1, [r1] /* of any alignment */
    vldrb.u8 q2, [r1, #16]
    vldrw.u32 q3, [r2]
    vmov.32 q3[0], r6
    movs r12, #DOUBLE_ROUNDS
    dls lr, r12
1:  ROUND q4, q5, q6
    ROUND q6, q5, q4
    le lr, 1b
    vldrw.u32 q7, [r5]
    PUT q0
    vldrb.u8 q7, [r1]
    PUT q1
    vldrb.u8 q7, [r1, #16]
    PUT q2
    vldrw.u32 q7, [r2]
    vmov.32 q7[0], r6
    PUT q3
    adds r6, #1
    subs r3, #1
    bne .Lnext_block
    add sp, #FRAME
    vpop {d8-d15}
    pop {r4-r6, pc}
    .balign 4
.Lconstants: /* "expand 32-byte k" */
    .word 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
    .size isopod_chacha20_single_blocks, . - isopod_chacha20_single_blocks

#endif
