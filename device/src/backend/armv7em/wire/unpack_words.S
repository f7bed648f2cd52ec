/* void isopod_unpack_copy(uint32_t *out, const uint8_t *bytes, uint32_t words)
 * At least six words from any address. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

    .section .text.isopod_unpack_copy, "ax", %progbits
    .global isopod_unpack_copy
    .type isopod_unpack_copy, %function
    .balign 4
isopod_unpack_copy:
    push {r4-r8, lr}
    subs r2, #6
1:  ldr r3, [r1], #4
    ldr r4, [r1], #4
    ldr r5, [r1], #4
    ldr r6, [r1], #4
    ldr r7, [r1], #4
    ldr r8, [r1], #4
    stmia r0!, {r3-r8}
    subs r2, #6
    bhs 1b
    adds r2, #6
    beq 3f
2:  ldr r3, [r1], #4
    str r3, [r0], #4
    subs r2, #1
    bne 2b
3:  pop {r4-r8, pc}
    .size isopod_unpack_copy, . - isopod_unpack_copy

/* void isopod_unpack_products(int32_t *x, const uint32_t *a, const uint32_t *key,
 *                             const isopod_unpack_factors *by)
 * 32 times x = a*key - x, |out| < q, reduced by smull, smlal, mul, smlal. */
x .req r0
a .req r1
key .req r2
minus_one .req r3 /* -2^32 mod q */
q .req r4
inverse .req r5
end .req r14

    .section .text.isopod_unpack_products, "ax", %progbits
    .global isopod_unpack_products
    .type isopod_unpack_products, %function
    .balign 4
isopod_unpack_products:
    push {r4-r11, lr}
    ldmia r3, {r3-r5}
    add end, x, #4 * 32
1:  ldrd r6, r7, [x]
    ldmia a!, {r8, r9}
    ldmia key!, {r10, r11}
    smull r12, r6, r6, minus_one
    smlal r12, r6, r8, r10
    mul r8, r12, inverse
    smlal r12, r6, r8, q
    smull r12, r7, r7, minus_one
    smlal r12, r7, r9, r11
    mul r8, r12, inverse
    smlal r12, r7, r8, q
    stmia x!, {r6, r7}
    ldrd r6, r7, [x]
    ldmia a!, {r8, r9}
    ldmia key!, {r10, r11}
    smull r12, r6, r6, minus_one
    smlal r12, r6, r8, r10
    mul r8, r12, inverse
    smlal r12, r6, r8, q
    smull r12, r7, r7, minus_one
    smlal r12, r7, r9, r11
    mul r8, r12, inverse
    smlal r12, r7, r8, q
    stmia x!, {r6, r7}
    cmp x, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_unpack_products, . - isopod_unpack_products

#endif
