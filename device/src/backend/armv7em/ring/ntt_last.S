/* The last pass of the NTT: groups of four neighbours.
 *   void isopod_ntt_last_pass(int32_t *x, const isopod_ntt_pass *pass)
 * In |x| < 2^31, as the earlier passes leave them; |out| < 2.2q. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

x .req r0
first .req r1 /* one w1 per group */
second .req r2 /* w2 and w3 */
q .req r3
inverse .req r4 /* -1/q mod 2^32 */
barrett .req r5

    .macro MULTIPLY high, value, twiddle, low
    smull \low, \high, \value, \twiddle
    mul \value, \low, inverse
    smlal \low, \high, \value, q
    .endm

    .macro REDUCE value, spare
    smmulr \spare, \value, barrett
    mls \value, \spare, q, \value
    .endm

    .section .text.isopod_ntt_last_pass, "ax", %progbits
    .global isopod_ntt_last_pass
    .type isopod_ntt_last_pass, %function
    .balign 4
isopod_ntt_last_pass:
    push {r4-r11, lr}
    ldmia r1, {r1-r3, r6-r8}
    push {r3}
    mov q, r6
    mov inverse, r7
    mov barrett, r8
1:  ldmia x, {r6-r9}
    ldr r14, [first], #4
    MULTIPLY r10, r8, r14, r12
    MULTIPLY r11, r9, r14, r12
    ldmia second!, {r12, r14}
    REDUCE r6, r8
    REDUCE r7, r8
    add r8, r7, r11
    sub r7, r7, r11
    MULTIPLY r9, r8, r12, r11
    MULTIPLY r8, r7, r14, r11
    sub r11, r6, r10
    add r10, r6, r10
    add r6, r10, r9
    sub r7, r10, r9
    sub r9, r11, r8
    add r8, r11, r8
    stmia x!, {r6-r9}
    ldr r10, [sp]
    cmp x, r10
    bne 1b
    add sp, #4
    pop {r4-r11, pc}
    .size isopod_ntt_last_pass, . - isopod_ntt_last_pass

#endif
