/* void isopod_pack_group_<bits>(uint32_t *out, const uint32_t *residues)
 * Packs 32 residues of `bits` bits into `bits` words; out may be residues or lie before it. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb
    .altmacro

out .req r0
residues .req r1
VALUE0 .req r2
VALUE1 .req r3
VALUE2 .req r4
VALUE3 .req r5
WORD0 .req r6
WORD1 .req r7
WORD2 .req r8
WORD3 .req r9
WORD4 .req r10
WORD5 .req r11

    .macro FIRST_OF word, value
    mov WORD\word, VALUE\value
    .endm

    .macro INSERT word, value, shift
    orr WORD\word, WORD\word, VALUE\value, lsl #\shift
    .endm

    .macro CARRY word, value, shift
    lsr WORD\word, VALUE\value, #\shift
    .endm

    /* words are stored by six, the last ones as they are */
    .macro STORE count
    .if \count == 6
    stmia out!, {r6-r11}
    .elseif \count == 5
    stmia out!, {r6-r10}
    .elseif \count == 3
    stmia out!, {r6-r8}
    .else
    stmia out!, {r6-r7}
    .endif
    .endm

    .macro NEXT_VALUE bits, i
    .set WORD, \i * \bits / 32
    .set SHIFT, \i * \bits % 32
    .if \i % 4 == 0
    ldmia residues!, {r2-r5}
    .endif
    .if SHIFT == 0
    FIRST_OF %(WORD % 6), %(\i % 4)
    .else
    INSERT %(WORD % 6), %(\i % 4), %SHIFT
    .endif
    .if SHIFT + \bits >= 32
    .if WORD % 6 == 5
    STORE 6
    .elseif WORD == \bits - 1
    STORE %(\bits % 6)
    .endif
    .if SHIFT + \bits > 32
    CARRY %((WORD + 1) % 6), %(\i % 4), %(32 - SHIFT)
    .endif
    .endif
    .endm

    .macro PACK bits
    .section .text.isopod_pack_group_\bits, "ax", %progbits
    .global isopod_pack_group_\bits
    .type isopod_pack_group_\bits, %function
    .balign 4
isopod_pack_group_\bits:
    push {r4-r11}
    .set I, 0
    .rept 32
    NEXT_VALUE \bits, %I
    .set I, I + 1
    .endr
    pop {r4-r11}
    bx lr
    .size isopod_pack_group_\bits, . - isopod_pack_group_\bits
    .endm

    PACK 26
    PACK 27
    PACK 29
    PACK 30

#endif
