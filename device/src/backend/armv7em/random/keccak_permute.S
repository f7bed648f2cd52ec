/* void isopod_keccak_permute(uint32_t words[50]): Keccak-f[1600] ([FIPS202], section 3.3) in place, on bit-interleaved lanes:
 * each lane is a word of its even bits and a word of its odd bits.
 *
 * Hardly any rotation costs an instruction ([ADOMNICAI23]). Every stored word has a pending rotation, fixed by the number
 * x + 5y of its lane: it lies turned right by the amount that it still has to be turned left. The shifted operand of its first
 * use in the next round turns it. A rotation of a lane by r rotates both words by r/2. If r is odd, it exchanges the words and
 * rotates them by (r+1)/2 and (r-1)/2.
 *
 * Pi moves no words either. A plane is stored in the places of the five lanes from which it is computed, in an order that
 * brings all lanes back to their own places after two rounds. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb
    .altmacro

    .equ FRAME, 40 /* theta's effects */

state .req r12
constant .req r14

/* rho: offset of lane (x, y) as RHO_<x + 5y> */
    .equ RHO_0, 0
    .equ RHO_1, 1
    .equ RHO_2, 62
    .equ RHO_3, 28
    .equ RHO_4, 27
    .equ RHO_5, 36
    .equ RHO_6, 44
    .equ RHO_7, 6
    .equ RHO_8, 55
    .equ RHO_9, 20
    .equ RHO_10, 3
    .equ RHO_11, 10
    .equ RHO_12, 43
    .equ RHO_13, 25
    .equ RHO_14, 39
    .equ RHO_15, 41
    .equ RHO_16, 45
    .equ RHO_17, 15
    .equ RHO_18, 21
    .equ RHO_19, 8
    .equ RHO_20, 18
    .equ RHO_21, 2
    .equ RHO_22, 61
    .equ RHO_23, 56
    .equ RHO_24, 14

/* number of the lane that pi moves to lane \to */
    .macro SOURCE result, to
    .set \result, (\to % 5 + 3 * (\to / 5)) % 5 + 5 * (\to % 5)
    .endm

    .macro OFFSET result, lane
    .set \result, RHO_\lane
    .endm

/* how far word \half of the lane that goes to \to is turned left by rho */
    .macro TURNED result, to, half
    SOURCE LANE, \to
    OFFSET TURN, %LANE
    .set \result, (TURN + TURN % 2 * (1 - 2 * \half)) / 2
    .endm

/* pending rotations: EVEN_<to> and ODD_<to> for the words of lane \to, which are those pending in theta's effect plus rho;
 * EFFECT_EVEN_<x> and EFFECT_ODD_<x> for theta's effect on column x, which are those of lane x - 1 of plane 0, and none on
 * column 0 */
    .macro SET_PENDING to, column
    TURNED BY_EVEN, \to, 0
    TURNED BY_ODD, \to, 1
    .if TURN % 2
    .set EVEN_\to, (BY_EVEN + EFFECT_ODD_\column) % 32
    .set ODD_\to, (BY_ODD + EFFECT_EVEN_\column) % 32
    .else
    .set EVEN_\to, (BY_EVEN + EFFECT_EVEN_\column) % 32
    .set ODD_\to, (BY_ODD + EFFECT_ODD_\column) % 32
    .endif
    .endm

    .macro SET_EFFECT x, even, odd
    .set EFFECT_EVEN_\x, \even
    .set EFFECT_ODD_\x, \odd
    .endm

    SET_EFFECT 0, 0, 0
    SET_PENDING 0, 0
    SET_EFFECT 1, EVEN_0, ODD_0
    SET_PENDING 1, 1
    SET_EFFECT 2, EVEN_1, ODD_1
    SET_PENDING 2, 2
    SET_EFFECT 3, EVEN_2, ODD_2
    SET_PENDING 3, 3
    SET_EFFECT 4, EVEN_3, ODD_3
    SET_PENDING 4, 4
    .set TO, 5
    .rept 20
    SOURCE FROM, TO
    SET_PENDING %TO, %(FROM % 5)
    .set TO, TO + 1
    .endr

    .macro PENDING result, lane, half
    .if \half
    .set \result, ODD_\lane
    .else
    .set \result, EVEN_\lane
    .endif
    .endm

/* a = b op c, c turned right by an amount mod 32 */
    .macro WITH op, a, b, c, right
    .if (\right) & 31
    \op \a, \b, \c, ror #(\right) & 31
    .else
    \op \a, \b, \c
    .endif
    .endm

/* place of lane \lane: its own or, with \away, row 2x + 3y and column 2x + y */
    .macro PLACE result, lane, away
    .if \away
    .set \result, (2 * \lane + \lane / 5) % 5 + 5 * ((2 * \lane + 3 * (\lane / 5)) % 5)
    .else
    .set \result, \lane
    .endif
    .endm

    .macro LOAD even, odd, lane, away
    PLACE AT, \lane, \away
    ldrd r\even, r\odd, [state, #8 * AT]
    .endm

/* column parities to r0..r9, with the rotation of the lanes of y = 0 pending */
    .macro PARITY_OF x, even, odd, away
    LOAD \even, \odd, \x, \away
    PENDING EVEN, \x, 0
    PENDING ODD, \x, 1
    .set Y, 5
    .rept 4
    LOAD 10, 11, %(\x + Y), \away
    PENDING P, %(\x + Y), 0
    WITH eor, r\even, r\even, r10, EVEN - P
    PENDING P, %(\x + Y), 1
    WITH eor, r\odd, r\odd, r11, ODD - P
    .set Y, Y + 5
    .endr
    .endm

/* C[x-1] ^ (C[x+1] turned by one) */
    .macro EFFECT_OF x, left_even, left_odd, right_even, right_odd
    PENDING P, %((\x + 4) % 5), 0
    PENDING Q, %((\x + 1) % 5), 1
    WITH eor, r10, r\left_even, r\right_odd, P - Q - 1
    TURN 10, %(P - EFFECT_EVEN_\x)
    PENDING P, %((\x + 4) % 5), 1
    PENDING Q, %((\x + 1) % 5), 0
    WITH eor, r11, r\left_odd, r\right_even, P - Q
    TURN 11, %(P - EFFECT_ODD_\x)
    strd r10, r11, [sp, #8 * \x]
    .endm

    .macro TURN register, left
    .if \left
    ror r\register, r\register, #32 - \left
    .endif
    .endm

/* r\even, r\odd = words of the lane that goes to \to, after theta, before rho; exchanged if rho
 * does */
    .macro TAKE even, odd, lane, column, away
    LOAD \even, \odd, \lane, \away
    ldrd r10, r11, [sp, #8 * \column]
    PENDING P, \lane, 0
    WITH eor, r\even, r10, r\even, EFFECT_EVEN_\column - P
    PENDING P, \lane, 1
    WITH eor, r\odd, r11, r\odd, EFFECT_ODD_\column - P
    .endm

    .macro MOVED even, odd, to, away
    SOURCE FROM, \to
    OFFSET RHO, %FROM
    .if RHO % 2
    TAKE \odd, \even, %FROM, %(FROM % 5), \away
    .else
    TAKE \even, \odd, %FROM, %(FROM % 5), \away
    .endif
    .endm

/* r\t = a ^ (~b & c), words of lanes ta, tb, tc, with the rotation of a pending */
    .macro CHI t, a, b, c, ta, tb, tc, half
    PENDING PA, \ta, \half
    PENDING PB, \tb, \half
    PENDING PC, \tc, \half
    WITH bic, r\t, r\c, r\b, PC - PB
    WITH eor, r\t, r\a, r\t, PA - PC
    .endm

/* lane x of plane y, from words in r(2x), r(2x+1) and those of its two neighbours */
    .macro CHI_LANE x, y, a, b, c, away
    CHI 10, %(2 * \a), %(2 * \b), %(2 * \c), %(\a + 5 * \y), %(\b + 5 * \y), %(\c + 5 * \y), 0
    CHI 11, %(2 * \a + 1), %(2 * \b + 1), %(2 * \c + 1), %(\a + 5 * \y), %(\b + 5 * \y), %(\c + 5 * \y), 1
    PLACE AT, %(\x + 5 * \y), %(1 - \away)
    strd r10, r11, [state, #8 * AT]
    .endm

    .macro PLANE y, away
    MOVED 0, 1, %(5 * \y), \away
    MOVED 2, 3, %(5 * \y + 1), \away
    MOVED 4, 5, %(5 * \y + 2), \away
    MOVED 6, 7, %(5 * \y + 3), \away
    MOVED 8, 9, %(5 * \y + 4), \away
    CHI_LANE 0, \y, 0, 1, 2, \away
    CHI_LANE 1, \y, 1, 2, 3, \away
    CHI_LANE 2, \y, 2, 3, 4, \away
    CHI_LANE 3, \y, 3, 4, 0, \away
    CHI_LANE 4, \y, 4, 0, 1, \away
    .endm

/* a round that takes lanes in their own places or, with \away, elsewhere, and leaves them the other way; lane 0 never moves */
    .macro ROUND away
    PARITY_OF 0, 0, 1, \away
    PARITY_OF 1, 2, 3, \away
    PARITY_OF 2, 4, 5, \away
    PARITY_OF 3, 6, 7, \away
    PARITY_OF 4, 8, 9, \away
    EFFECT_OF 0, 8, 9, 2, 3
    EFFECT_OF 1, 0, 1, 4, 5
    EFFECT_OF 2, 2, 3, 6, 7
    EFFECT_OF 3, 4, 5, 8, 9
    EFFECT_OF 4, 6, 7, 0, 1
    PLANE 4, \away
    PLANE 3, \away
    PLANE 2, \away
    PLANE 1, \away
    PLANE 0, \away
    ldrd r0, r1, [state]
    ldrd r2, r3, [constant], #8
    eors r0, r2
    eors r1, r3
    strd r0, r1, [state]
    .endm

    .section .text.isopod_keccak_permute, "ax", %progbits
    .global isopod_keccak_permute
    .type isopod_keccak_permute, %function
    .balign 4
isopod_keccak_permute:
    push {r4-r11, lr}
    sub sp, #FRAME
    mov state, r0
    adr constant, .Lround_constants
.Ltwo_rounds:
    ROUND 0
    ROUND 1
    adr r0, .Lround_constants_end
    cmp constant, r0
    bne .Ltwo_rounds
    add sp, #FRAME
    pop {r4-r11, pc}
    .balign 4
.Lround_constants: /* iota, even and odd bits */
    .word 0x00000001, 0x00000000, 0x00000000, 0x00000089
    .word 0x00000000, 0x8000008b, 0x00000000, 0x80008080
    .word 0x00000001, 0x0000008b, 0x00000001, 0x00008000
    .word 0x00000001, 0x80008088, 0x00000001, 0x80000082
    .word 0x00000000, 0x0000000b, 0x00000000, 0x0000000a
    .word 0x00000001, 0x00008082, 0x00000000, 0x00008003
    .word 0x00000001, 0x0000808b, 0x00000001, 0x8000000b
    .word 0x00000001, 0x8000008a, 0x00000001, 0x80000081
    .word 0x00000000, 0x80000081, 0x00000000, 0x80000008
    .word 0x00000000, 0x00000083, 0x00000000, 0x80008003
    .word 0x00000001, 0x80008088, 0x00000000, 0x80000088
    .word 0x00000001, 0x00008000, 0x00000000, 0x80008082
.Lround_constants_end:
    .size isopod_keccak_permute, . - isopod_keccak_permute

#endif
