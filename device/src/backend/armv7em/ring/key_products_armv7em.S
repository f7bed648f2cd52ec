/* void isopod_key_products(int32_t *a, int32_t *b, uint32_t count, const isopod_prime *prime)
 * Bounds are in key_products.h. Products are reduced by smull, mul, smlal: the low word cancels. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

/* isopod_prime */
    .equ NEGATIVE_INVERSE, 8
    .equ MONTGOMERY_SQUARE, 16

masks .req r0
factors .req r1
end .req r2
q .req r3
inverse .req r4
square .req r5
low .req r10
high .req r11
spare .req r12

    .macro REDC low, high
    mul spare, \low, inverse
    smlal \low, \high, spare, q
    .endm

    .macro BOTH a, b
    smull low, high, \a, square
    REDC low, high
    smull low, \b, \a, \b
    REDC low, \b
    and spare, q, high, asr #31
    add \a, high, spare
    .endm

    .section .text.isopod_key_products, "ax", %progbits
    .global isopod_key_products
    .type isopod_key_products, %function
    .balign 4
isopod_key_products:
    push {r4-r11, lr}
    add end, masks, r2, lsl #2
    ldr inverse, [r3, #NEGATIVE_INVERSE]
    ldr square, [r3, #MONTGOMERY_SQUARE]
    ldr q, [r3]
1:  ldrd r6, r7, [masks]
    ldrd r8, r9, [factors]
    BOTH r6, r8
    BOTH r7, r9
    stmia masks!, {r6, r7}
    stmia factors!, {r8, r9}
    ldrd r6, r7, [masks]
    ldrd r8, r9, [factors]
    BOTH r6, r8
    BOTH r7, r9
    stmia masks!, {r6, r7}
    stmia factors!, {r8, r9}
    cmp masks, end
    bne 1b
    pop {r4-r11, pc}
    .size isopod_key_products, . - isopod_key_products

#endif
