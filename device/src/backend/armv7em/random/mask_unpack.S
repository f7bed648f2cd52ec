/* uint32_t isopod_mask_unpack_<bits>(uint32_t out[32], const uint32_t *words, uint32_t headroom)
 * The 32 fields of `bits` bits in `words`, which may be the end of out: a field is stored only
 * after the words in its place and before it were loaded. headroom = 2^31 - modulus: the saturating
 * addition of a field that is not below the modulus sets the sticky flag Q. Returns whether that
 * happened. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb
    .altmacro

    .equ SATURATED, 1 << 27 /* Q in APSR */

out .req r0
words .req r1
headroom .req r2
FIELD0 .req r3
FIELD1 .req r10
FIELD2 .req r11
FIELD3 .req r12
WORD0 .req r4
WORD1 .req r5
WORD2 .req r6
WORD3 .req r7
WORD4 .req r8
WORD5 .req r9

    .macro WITHIN field, word, shift, bits
    ubfx FIELD\field, WORD\word, #\shift, #\bits
    .endm

    .macro LOW_PART field, word, shift
    lsr FIELD\field, WORD\word, #\shift
    .endm

    .macro HIGH_PART field, word, at, width
    bfi FIELD\field, WORD\word, #\at, #\width
    .endm

    .macro CHECK field
    qadd r14, FIELD\field, headroom
    .endm

    /* the next words, up to six, of `left` */
    .macro LOAD left
    .if \left >= 6
    ldmia words!, {r4-r9}
    .elseif \left == 5
    ldmia words!, {r4-r8}
    .elseif \left == 3
    ldmia words!, {r4-r6}
    .else
    ldmia words!, {r4-r5}
    .endif
    .endm

    .macro NEED bits, word
    .if \word == LOADED
    LOAD %(\bits - LOADED)
    .set LOADED, LOADED + 6
    .endif
    .endm

    .macro NEXT_FIELD bits, i
    .set WORD, \i * \bits / 32
    .set SHIFT, \i * \bits % 32
    NEED \bits, %WORD
    .if SHIFT + \bits <= 32
    WITHIN %(\i % 4), %(WORD % 6), %SHIFT, \bits
    .else
    LOW_PART %(\i % 4), %(WORD % 6), %SHIFT
    NEED \bits, %(WORD + 1)
    HIGH_PART %(\i % 4), %((WORD + 1) % 6), %(32 - SHIFT), %(\bits + SHIFT - 32)
    .endif
    CHECK %(\i % 4)
    .if \i % 4 == 3
    stmia out!, {r3, r10, r11, r12}
    .endif
    .endm

    .macro UNPACK bits
    .section .text.isopod_mask_unpack_\bits, "ax", %progbits
    .global isopod_mask_unpack_\bits
    .type isopod_mask_unpack_\bits, %function
    .balign 4
isopod_mask_unpack_\bits:
    push {r4-r11, lr}
    mov r3, #0
    msr APSR_nzcvq, r3
    .set LOADED, 0
    .set I, 0
    .rept 32
    NEXT_FIELD \bits, %I
    .set I, I + 1
    .endr
    mrs r0, APSR
    and r0, #SATURATED
    pop {r4-r11, pc}
    .size isopod_mask_unpack_\bits, . - isopod_mask_unpack_\bits
    .endm

    UNPACK 26
    UNPACK 27
    UNPACK 29
    UNPACK 30

#endif
