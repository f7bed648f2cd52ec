/* Passes of the inverse NTT of TFHE's products: two layers, in place, radix 4, and the product with
 * the key in the first. Their bounds are in ring_multiply_armv7em.c.
 *
 *   void isopod_ring_inverse_first(int32_t *x, const isopod_ring_pass *pass)     distance 1
 *   void isopod_ring_inverse_<distance>(int32_t *x, const isopod_ring_pass *pass)
 *   void isopod_ring_inverse_<kind>_256(int32_t *x, const isopod_ring_pass *pass)
 *
 * The inverse of twiddle m + g is the negative of twiddle 2m - 1 - g: tables are read backwards,
 * and differences are taken the other way round. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

/* the pass, on the stack */
    .equ FIRST, 0 /* behind the next r1 */
    .equ SECOND, 4 /* behind the next r3, r2 */
    .equ END, 8 /* of x */
    .equ PASS_BYTES, 12

/* high = (high:low) * 2^-32 mod q; spare is lost */
    .macro REDC low, high, spare
    mul \spare, \low, inverse
    smlal \low, \high, \spare, q
    .endm

/* to the nearest representative: round(2^32 / q) = 30 */
    .macro REDUCE value, spare
    mov \spare, #30
    smmulr \spare, \value, \spare
    mls \value, \spare, q, \value
    .endm

x .req r0
first .req r1
second .req r2
key .req r3
q .req r4
inverse .req r5

    .section .text.isopod_ring_inverse_first, "ax", %progbits
    .global isopod_ring_inverse_first
    .type isopod_ring_inverse_first, %function
    .balign 4
isopod_ring_inverse_first:
    push {r4-r11, lr}
    ldmia r1, {r1-r3, r6-r8}
    push {r3}
    mov key, r8
    mov q, r6
    mov inverse, r7
1:  ldmia x, {r6-r9}
    ldmia key!, {r10, r14}
    smull r11, r12, r6, r10
    REDC r11, r12, r10
    smull r11, r6, r7, r14
    REDC r11, r6, r14
    ldmia key!, {r10, r14}
    smull r11, r7, r8, r10
    REDC r11, r7, r10
    smull r11, r8, r9, r14
    REDC r11, r8, r14
    sub r9, r6, r12
    add r12, r12, r6
    sub r6, r8, r7
    add r7, r7, r8
    ldmdb second!, {r10, r14}
    smull r11, r8, r9, r14
    REDC r11, r8, r14
    smull r11, r9, r6, r10
    REDC r11, r9, r10
    ldr r10, [first, #-4]!
    sub r6, r7, r12
    add r12, r12, r7
    sub r14, r9, r8
    add r8, r8, r9
    smull r11, r9, r6, r10
    REDC r11, r9, r7
    smull r11, r7, r14, r10
    REDC r11, r7, r6
    strd r12, r8, [x], #8
    strd r9, r7, [x], #8
    ldr r10, [sp]
    cmp x, r10
    bne 1b
    add sp, #4
    pop {r4-r11, pc}
    .size isopod_ring_inverse_first, . - isopod_ring_inverse_first

    .unreq first
    .unreq second
    .unreq key
    .unreq q
    .unreq inverse
w1 .req r1
w2 .req r2
w3 .req r3
w12 .req r4 /* -w1 * w2 */
w13 .req r5 /* w1 * w3 */
q .req r6
inverse .req r7
end .req r8
t0 .req r9
t1 .req r10
t2 .req r11
t3 .req r12
t4 .req r14

/* A sum of four, and an output that is one redc. plain: as they are; sums: the sum is reduced; all:
 * both are. */
    .macro SUM_plain value, spare
    .endm
    .macro SUM_sums value, spare
    REDUCE \value, \spare
    .endm
    .macro SUM_all value, spare
    REDUCE \value, \spare
    .endm
    .macro OUT_plain value, spare
    .endm
    .macro OUT_sums value, spare
    .endm
    .macro OUT_all value, spare
    REDUCE \value, \spare
    .endm

    .macro BUTTERFLY kind, distance, at
    ldr t0, [x, #\at]
    ldr t1, [x, #\at + 4 * \distance]
    sub t2, t1, t0
    add t0, t0, t1
    ldr t1, [x, #\at + 8 * \distance]
    ldr t3, [x, #\at + 12 * \distance]
    sub t4, t3, t1
    add t1, t1, t3
    sub t3, t1, t0
    add t0, t0, t1
    SUM_\kind t0, t1
    str t0, [x, #\at]
    smull t0, t1, t3, w1
    REDC t0, t1, t3
    OUT_\kind t1, t3
    str t1, [x, #\at + 8 * \distance]
    smull t0, t1, t2, w2
    smlal t0, t1, t4, w3
    REDC t0, t1, t3
    OUT_\kind t1, t3
    str t1, [x, #\at + 4 * \distance]
    smull t0, t1, t2, w12
    smlal t0, t1, t4, w13
    REDC t0, t1, t3
    OUT_\kind t1, t3
    str t1, [x, #\at + 12 * \distance]
    .endm

    .macro PASS name, kind, distance
    .section .text.isopod_ring_inverse_\name, "ax", %progbits
    .global isopod_ring_inverse_\name
    .type isopod_ring_inverse_\name, %function
    .balign 4
isopod_ring_inverse_\name:
    push {r4-r11, lr}
    sub sp, #PASS_BYTES
    ldmia r1, {r2-r6}
    mov inverse, r6
    mov q, r5
    stmia sp, {r2-r4}
1:  ldrd t0, t1, [sp, #FIRST]
    ldr w1, [t0, #-4]!
    ldmdb t1!, {t2, t3}
    strd t0, t1, [sp, #FIRST]
    mov w3, t2
    mov w2, t3
    smull t0, w12, w1, w2
    REDC t0, w12, t1
    rsb w12, w12, #0
    smull t0, w13, w1, w3
    REDC t0, w13, t1
    add end, x, #4 * \distance
2:  BUTTERFLY \kind, \distance, 0
    BUTTERFLY \kind, \distance, 4
    BUTTERFLY \kind, \distance, 8
    BUTTERFLY \kind, \distance, 12
    adds x, #16
    cmp x, end
    bne 2b
    ldr t0, [sp, #END]
    add x, #12 * \distance
    cmp x, t0
    bne 1b
    add sp, #PASS_BYTES
    pop {r4-r11, pc}
    .size isopod_ring_inverse_\name, . - isopod_ring_inverse_\name
    .endm

    PASS 4, sums, 4
    PASS 16, plain, 16
    PASS 64, sums, 64
    PASS plain_256, plain, 256
    PASS all_256, all, 256

#endif
