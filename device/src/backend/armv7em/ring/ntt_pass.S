/* Passes of the NTT: two layers, in place, radix 4. One function per distance of the four inputs
 * (in words: 4, 16, 64, 256) and per kind of prime; their bounds are in ntt_armv7em.c.
 *
 *   void isopod_ntt_pass_<kind>_<distance>(int32_t *x, const isopod_ntt_pass *pass)
 *
 * A group of 4 * distance words has one set of twiddles: w1 of the first layer, w2 and w3 of the
 * second. Products are reduced by smull, mul, smlal: the low word cancels, the high word is
 * left. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

    .syntax unified
    .thumb

/* the pass, on the stack */
    .equ FIRST, 0 /* the next w1 */
    .equ SECOND, 4 /* the next w2, w3 */
    .equ END, 8 /* of x */
    .equ PASS_BYTES, 24 /* and modulus, negative_inverse, barrett */

x .req r0
w1 .req r1
w2 .req r2
w3 .req r3
w12 .req r4 /* bits27: w1 * w2 */
w13 .req r5 /* bits27: -w1 * w3 */
barrett .req r4 /* bits30 */
q .req r6
inverse .req r7 /* -1/q mod 2^32 */
end .req r8
t0 .req r9
t1 .req r10
t2 .req r11
t3 .req r12
t4 .req r14

/* high = (high:low) * 2^-32 mod q; spare is lost */
    .macro REDC low, high, spare
    mul \spare, \low, inverse
    smlal \low, \high, \spare, q
    .endm

/* the outputs p + u1, p - u1, m + u3, m - u3 of a butterfly, p and u1 lost */
    .macro OUTPUTS distance, at, p, m, u1, u3, spare
    add \spare, \p, \u1
    sub \p, \p, \u1
    str \spare, [x, #\at]
    str \p, [x, #\at + 4 * \distance]
    add \spare, \m, \u3
    sub \p, \m, \u3
    str \spare, [x, #\at + 8 * \distance]
    str \p, [x, #\at + 12 * \distance]
    .endm

/* u1 = w2*x1 + w1*w2*x3 and u3 = w3*x1 - w1*w3*x3, one reduction each */
    .macro BUTTERFLY_bits27 distance, at
    ldr t0, [x, #\at + 4 * \distance]
    ldr t1, [x, #\at + 12 * \distance]
    smull t2, t3, t0, w2
    smlal t2, t3, t1, w12
    REDC t2, t3, t4
    smull t2, t4, t0, w3
    smlal t2, t4, t1, w13
    REDC t2, t4, t0
    ldr t0, [x, #\at + 8 * \distance]
    smull t1, t2, t0, w1
    REDC t1, t2, t0
    ldr t0, [x, #\at]
    sub t1, t0, t2
    add t0, t0, t2
    OUTPUTS \distance, \at, t0, t1, t3, t4, t2
    .endm

    .macro REDUCE value, spare
    smmulr \spare, \value, barrett
    mls \value, \spare, q, \value
    .endm

/* x0 and x1 are reduced on the way */
    .macro BUTTERFLY_bits30 distance, at
    ldr t0, [x, #\at + 12 * \distance]
    ldr t1, [x, #\at + 4 * \distance]
    smull t2, t3, t0, w1
    REDC t2, t3, t0
    REDUCE t1, t0
    add t0, t1, t3
    sub t1, t1, t3
    smull t2, t3, t0, w2
    REDC t2, t3, t0
    smull t2, t4, t1, w3
    REDC t2, t4, t1
    ldr t0, [x, #\at + 8 * \distance]
    smull t1, t2, t0, w1
    REDC t1, t2, t0
    ldr t0, [x, #\at]
    REDUCE t0, t1
    sub t1, t0, t2
    add t0, t0, t2
    OUTPUTS \distance, \at, t0, t1, t3, t4, t2
    .endm

    .macro PRODUCTS_bits27
    smull t0, w12, w1, w2
    REDC t0, w12, t1
    smull t0, w13, w1, w3
    REDC t0, w13, t1
    rsb w13, w13, #0
    .endm

    .macro PRODUCTS_bits30
    .endm

    .macro PASS kind, distance
    .section .text.isopod_ntt_pass_\kind\()_\distance, "ax", %progbits
    .global isopod_ntt_pass_\kind\()_\distance
    .type isopod_ntt_pass_\kind\()_\distance, %function
    .balign 4
isopod_ntt_pass_\kind\()_\distance:
    push {r4-r11, lr}
    sub sp, #PASS_BYTES + 4
    ldmia r1, {r2-r7}
    mov r8, r7
    mov r7, r6
    mov r6, r5
    stmia sp, {r2-r4}
    .ifc \kind, bits30
    mov barrett, r8
    .endif
1:  ldrd t0, t1, [sp, #FIRST]
    ldr w1, [t0], #4
    ldmia t1!, {w2, w3}
    strd t0, t1, [sp, #FIRST]
    PRODUCTS_\kind
    .if \distance > 4
    add end, x, #4 * \distance
    .endif
2:  BUTTERFLY_\kind \distance, 0
    BUTTERFLY_\kind \distance, 4
    BUTTERFLY_\kind \distance, 8
    BUTTERFLY_\kind \distance, 12
    .if \distance > 4
    adds x, #16
    cmp x, end
    bne 2b
    ldr t0, [sp, #END]
    add x, #12 * \distance
    .else
    ldr t0, [sp, #END]
    adds x, #16 * \distance
    .endif
    cmp x, t0
    bne 1b
    add sp, #PASS_BYTES + 4
    pop {r4-r11, pc}
    .size isopod_ntt_pass_\kind\()_\distance, . - isopod_ntt_pass_\kind\()_\distance
    .endm

    PASS bits27, 4
    PASS bits27, 16
    PASS bits27, 64
    PASS bits27, 256
    PASS bits30, 4
    PASS bits30, 16
    PASS bits30, 64
    PASS bits30, 256

#endif
