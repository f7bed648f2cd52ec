/* void isopod_keccak_permute(uint32_t words[50]): Keccak-f[1600] ([FIPS202], section 3.3) in place, on bit-interleaved lanes:
 * each lane is a word of its even bits and a word of its odd bits.
 *
 * Hardly any rotation costs an instruction ([ADOMNICAI23]). Every stored word has a pending rotation, fixed by the number
 * x + 5y of its lane: it lies turned right by the amount that it still has to be turned left. The shifted operand of its first
 * use in the next round turns it. A rotation of a lane by r rotates both words by r/2. If r is odd, it exchanges the words and
 * rotates them by (r+1)/2 and (r-1)/2.
 *
 * Pi moves no words either. A plane is stored in the places of the five lanes from which it is computed, in an order that
 * brings all lanes back to their own places after two rounds. Its even words are computed first. Where rho exchanges the words
 * of a lane, the odd words still need what lies in the place of an even one: this one waits in its register.
 *
 * Chosen by the cycles of a Cortex-M4, not by instructions: there a pair costs three cycles, and a word one if it follows a load
 * or a store. So words are loaded and stored alone, behind each other; the parities of every other round take pairs, which save
 * code. Seven words of theta's effect stay in registers, three lie on the stack. Plane 0 stays in registers for the parities of
 * the next round. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb
    .altmacro

    .equ FRAME, 16
    .equ EFFECT_2_EVEN, 0 /* theta's effects on the stack */
    .equ EFFECT_3_EVEN, 4
    .equ EFFECT_4_ODD, 8
    .equ CONSTANT, 12 /* the next round constant */

/* registers of plane 0, even words and odd ones; then of the parities, which theta's effects replace. r1, r2, r3, r5, r6, r7 hold
 * a row of chi and an intermediate value: low registers, whose loads and stores are short. */
    .equ PLANE_0_0, 8
    .equ PLANE_0_1, 2
    .equ PLANE_0_2, 3
    .equ PLANE_0_3, 9
    .equ PLANE_0_4, 5
    .equ PLANE_0_5, 10
    .equ PLANE_0_6, 11
    .equ PLANE_0_7, 12
    .equ PLANE_0_8, 1
    .equ PLANE_0_9, 14

state .req r0

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

/* r\word = word \half of lane \lane, or back */
    .macro WORD op, word, lane, half, away
    PLACE AT, \lane, \away
    \op r\word, [state, #8 * AT + 4 * \half]
    .endm

/* adds a word of plane 1..4 to the parity of its column, which has the rotation of the lane of y = 0 pending */
    .macro ADD_PARITY word, lane, half
    PENDING SUM, %(\lane % 5), \half
    PENDING P, \lane, \half
    PLANE_0_REGISTER TO, %(\lane % 5 + 5 * \half)
    ADD_TO %TO, \word
    .endm

    .macro ADD_TO to, word
    WITH eor, r\to, r\to, r\word, SUM - P
    .endm

    .macro PLANE_0_REGISTER result, number
    .set \result, PLANE_0_\number
    .endm

/* lanes in their own places follow each other: both words of a lane at a time */
    .macro PARITIES_OF_LANE lane
    ldmia r4!, {r6, r7}
    ADD_PARITY 6, \lane, 0
    ADD_PARITY 7, \lane, 1
    .endm

/* lanes elsewhere: three words at a time, number \from of the forty and the next two */
    .macro WORD_OF_PLANES word, number
    WORD ldr, \word, %(5 + (\number) / 2), %((\number) % 2), 1
    .endm

    .macro ADD_NUMBER word, number
    ADD_PARITY \word, %(5 + (\number) / 2), %((\number) % 2)
    .endm

    .macro PARITIES_OF_WORDS from
    WORD_OF_PLANES 4, \from
    .if \from < 39
    WORD_OF_PLANES 6, \from + 1
    WORD_OF_PLANES 7, \from + 2
    .endif
    ADD_NUMBER 4, \from
    .if \from < 39
    ADD_NUMBER 6, \from + 1
    ADD_NUMBER 7, \from + 2
    .endif
    .endm

    .macro PARITIES away
    .if \away
    .set NUMBER, 0
    .rept 14
    PARITIES_OF_WORDS %NUMBER
    .set NUMBER, NUMBER + 3
    .endr
    .else
    add r4, state, #40
    .set NUMBER, 5
    .rept 20
    PARITIES_OF_LANE %NUMBER
    .set NUMBER, NUMBER + 1
    .endr
    .endif
    .endm

/* r\to = C[x-1] ^ C[x+1], the latter turned by one in an even word, which its odd one gives */
    .macro EFFECT_EVEN to, x, left, right
    PENDING P, %((\x + 4) % 5), 0
    PENDING Q, %((\x + 1) % 5), 1
    WITH eor, r\to, r\left, r\right, P - Q - 1
    TURN \to, %(P - EFFECT_EVEN_\x)
    .endm

    .macro EFFECT_ODD to, x, left, right
    PENDING P, %((\x + 4) % 5), 1
    PENDING Q, %((\x + 1) % 5), 0
    WITH eor, r\to, r\left, r\right, P - Q
    TURN \to, %(P - EFFECT_ODD_\x)
    .endm

    .macro TURN register, left
    .if \left
    ror r\register, r\register, #32 - \left
    .endif
    .endm

/* each replaces a parity that no later one needs */
    .macro EFFECTS
    EFFECT_EVEN 4, 0, 5, 11
    EFFECT_ODD 11, 2, 11, 9
    EFFECT_EVEN 9, 4, 9, 10
    EFFECT_ODD 10, 1, 10, 3
    EFFECT_EVEN 3, 3, 3, 14
    EFFECT_ODD 14, 0, 14, 2
    EFFECT_EVEN 2, 2, 2, 1
    EFFECT_ODD 1, 4, 1, 8
    EFFECT_EVEN 8, 1, 8, 12
    EFFECT_ODD 12, 3, 12, 5
    str r2, [sp, #EFFECT_2_EVEN]
    str r3, [sp, #EFFECT_3_EVEN]
    str r1, [sp, #EFFECT_4_ODD]
    .endm

/* word \half of the lane that goes to \to, before rho: the other one if rho exchanges the words */
    .macro BEFORE_RHO to, half
    SOURCE FROM, \to
    OFFSET RHO, %FROM
    .set BEFORE, (\half + RHO) % 2
    .endm

    .macro TAKE word, to, half, away
    BEFORE_RHO \to, \half
    WORD ldr, \word, %FROM, %BEFORE, \away
    .endm

/* adds theta's effect, which r\between takes from the stack if it lies there */
    .macro THETA word, to, half, between
    BEFORE_RHO \to, \half
    ADD_EFFECT \word, %FROM, %(FROM % 5), %BEFORE, \between
    .endm

    .macro ADD_EFFECT word, lane, column, half, between
    EFFECT_OF \column, \half
    PENDING P, \lane, \half
    .if \half
    .set BY, EFFECT_ODD_\column
    .else
    .set BY, EFFECT_EVEN_\column
    .endif
    .if EFFECT < 0
    ldr r\between, [sp, #-1 - EFFECT]
    ADD_FROM \word, \between
    .else
    ADD_FROM \word, %EFFECT
    .endif
    .endm

    .macro ADD_FROM word, effect
    WITH eor, r\word, r\effect, r\word, BY - P
    .endm

/* EFFECT = the register of theta's effect on a column, or below zero its place on the stack */
    .macro EFFECT_IN half, even, odd
    .if \half
    .set EFFECT, \odd
    .else
    .set EFFECT, \even
    .endif
    .endm

    .macro EFFECT_OF column, half
    .if \column == 0
    EFFECT_IN \half, 4, 14
    .elseif \column == 1
    EFFECT_IN \half, 8, 10
    .elseif \column == 2
    EFFECT_IN \half, -1 - EFFECT_2_EVEN, 11
    .elseif \column == 3
    EFFECT_IN \half, -1 - EFFECT_3_EVEN, 12
    .else
    EFFECT_IN \half, 9, -1 - EFFECT_4_ODD
    .endif
    .endm

/* registers of a row: lanes 0..4 of a plane, half of their words, and one for what lies between two steps */
    .macro ROW lane_0, lane_1, lane_2, lane_3, lane_4, between
    .set WORD_0, \lane_0
    .set WORD_1, \lane_1
    .set WORD_2, \lane_2
    .set WORD_3, \lane_3
    .set WORD_4, \lane_4
    .set BETWEEN, \between
    .endm

    .macro TAKE_WORDS plane, half, away, x:vararg
    .irp lane, \x
    TAKE_WORD \lane, \plane, \half, \away
    .endr
    .endm

    .macro TAKE_WORD x, plane, half, away
    TAKE %WORD_\x, %(5 * \plane + \x), \half, \away
    .endm

/* all five lanes, first one whose effect lies on the stack: its load follows others */
    .macro THETA_ROW plane, half, x:vararg
    .irp lane, \x
    THETA_WORD \lane, \plane, \half
    .endr
    .endm

    .macro THETA_WORD x, plane, half
    THETA %WORD_\x, %(5 * \plane + \x), \half, %BETWEEN
    .endm

/* r\to = word of lane x after chi, a ^ (~b & c), with the rotation of a pending */
    .macro CHI to, x, plane, half
    CHI_OF \to, %WORD_\x, %((\x + 1) % 5), %((\x + 2) % 5), %(5 * \plane + \x), \half
    .endm

    .macro CHI_OF to, a, x_b, x_c, lane, half
    PENDING PA, \lane, \half
    PENDING PB, %(\lane - \lane % 5 + \x_b), \half
    PENDING PC, %(\lane - \lane % 5 + \x_c), \half
    CHI_STEPS \to, \a, %WORD_\x_b, %WORD_\x_c, %BETWEEN
    .endm

    .macro CHI_STEPS to, a, b, c, between
    WITH bic, r\between, r\c, r\b, PC - PB
    WITH eor, r\to, r\a, r\between, PA - PC
    .endm

    .macro STORE word, x, plane, half, away
    WORD str, \word, %(\x + 5 * \plane), \half, %(1 - \away)
    .endm

    .macro CHI_STORE x, plane, half, away
    CHI %BETWEEN, \x, \plane, \half
    STORE %BETWEEN, \x, \plane, \half, \away
    .endm

    .macro ODD_ROW plane, away, x:vararg
    THETA_ROW \plane, 1, \x
    CHI_STORE 0, \plane, 1, \away
    CHI_STORE 1, \plane, 1, \away
    CHI_STORE 2, \plane, 1, \away
    CHI_STORE 3, \plane, 1, \away
    CHI_STORE 4, \plane, 1, \away
    .endm

    .macro EVEN_WORDS plane, away, x:vararg
    ROW 2, 3, 5, 1, 6, 7
    TAKE_WORDS \plane, 0, \away, 0, 1, 2, 3, 4
    THETA_ROW \plane, 0, \x
    .endm

/* planes 2 and 3, in which even words of lanes 2 and 3 wait, as r5 and r1 */
    .macro EVEN_ROW_OF_2 plane, away, x:vararg
    EVEN_WORDS \plane, \away, \x
    CHI_STORE 0, \plane, 0, \away
    CHI_STORE 1, \plane, 0, \away
    CHI_STORE 4, \plane, 0, \away
    CHI 5, 2, \plane, 0
    CHI 1, 3, \plane, 0
    .endm

    .macro STORE_2 plane, away
    STORE 5, 2, \plane, 0, \away
    STORE 1, 3, \plane, 0, \away
    .endm

/* planes 1 and 4, in which lane 0 waits, too, as r7 */
    .macro EVEN_ROW_OF_3 plane, away, x:vararg
    EVEN_WORDS \plane, \away, \x
    CHI_STORE 1, \plane, 0, \away
    CHI_STORE 4, \plane, 0, \away
    CHI 7, 0, \plane, 0
    .set BETWEEN, 3
    CHI 5, 2, \plane, 0
    CHI 1, 3, \plane, 0
    .endm

    .macro STORE_3 plane, away
    STORE 7, 0, \plane, 0, \away
    STORE_2 \plane, \away
    .endm

    .macro PLANE_4 away
    EVEN_ROW_OF_3 4, \away, 0, 1, 2, 3, 4
    ROW 5, 2, 3, 6, 1, 7
    TAKE_WORDS 4, 1, \away, 1, 2, 3
    STORE_3 4, \away
    TAKE_WORDS 4, 1, \away, 0, 4
    ODD_ROW 4, \away, 1, 0, 2, 3, 4
    .endm

    .macro PLANE_3 away
    EVEN_ROW_OF_2 3, \away, 0, 1, 2, 3, 4
    ROW 2, 5, 1, 3, 6, 7
    TAKE_WORDS 3, 1, \away, 0, 3
    STORE_2 3, \away
    TAKE_WORDS 3, 1, \away, 1, 2, 4
    ODD_ROW 3, \away, 3, 0, 1, 2, 4
    .endm

    .macro PLANE_2 away
    EVEN_ROW_OF_2 2, \away, 1, 0, 2, 3, 4
    ROW 2, 5, 3, 1, 6, 7
    TAKE_WORDS 2, 1, \away, 0, 2
    STORE_2 2, \away
    TAKE_WORDS 2, 1, \away, 1, 3, 4
    ODD_ROW 2, \away, 2, 0, 1, 3, 4
    .endm

    .macro PLANE_1 away
    EVEN_ROW_OF_3 1, \away, 0, 1, 2, 3, 4
    ROW 5, 1, 2, 3, 6, 7
    TAKE_WORDS 1, 1, \away, 2, 3, 4
    STORE_3 1, \away
    TAKE_WORDS 1, 1, \away, 0, 1
    ODD_ROW 1, \away, 1, 0, 2, 3, 4
    .endm

/* chi leaves all words where the parities begin; iota is last */
    .macro PLANE_0 away
    ROW 6, 2, 7, 1, 5, 3
    TAKE_WORDS 0, 0, \away, 0, 1, 2, 3, 4
    THETA_ROW 0, 0, 0, 1, 2, 3, 4
    CHI 8, 0, 0, 0
    CHI 9, 3, 0, 0
    CHI 3, 2, 0, 0
    .set BETWEEN, 6
    CHI 5, 4, 0, 0
    CHI 2, 1, 0, 0
    ROW 4, 11, 12, 1, 6, 7
    TAKE_WORDS 0, 1, \away, 0, 1, 2, 3, 4
    STORE 2, 1, 0, 0, \away
    STORE 3, 2, 0, 0, \away
    STORE 9, 3, 0, 0, \away
    STORE 5, 4, 0, 0, \away
    THETA_ROW 0, 1, 2, 0, 1, 3, 4
    CHI 10, 0, 0, 1
    CHI 14, 4, 0, 1
    CHI 11, 1, 0, 1
    CHI 12, 2, 0, 1
    CHI 1, 3, 0, 1
    ldr r4, [sp, #CONSTANT]
    STORE 11, 1, 0, 1, \away
    STORE 12, 2, 0, 1, \away
    STORE 1, 3, 0, 1, \away
    STORE 14, 4, 0, 1, \away
    ldr r6, [r4], #4
    ldr r7, [r4], #4
    str r4, [sp, #CONSTANT]
    eor r8, r8, r6
    eor r10, r10, r7
    STORE 8, 0, 0, 0, \away
    STORE 10, 0, 0, 1, \away
    .endm

    .macro LOAD_PLANE_0 x
    PLANE_0_REGISTER TO, \x
    WORD ldr, %TO, \x, 0, 0
    PLANE_0_REGISTER TO, %(\x + 5)
    WORD ldr, %TO, \x, 1, 0
    .endm

/* a round that takes lanes in their own places or, with \away, elsewhere, and leaves them the other way; lane 0 never moves */
    .macro ROUND away
    PARITIES \away
    EFFECTS
    PLANE_4 \away
    PLANE_3 \away
    PLANE_2 \away
    PLANE_1 \away
    PLANE_0 \away
    .endm

    .section .text.isopod_keccak_permute, "ax", %progbits
    .global isopod_keccak_permute
    .type isopod_keccak_permute, %function
    .balign 4
isopod_keccak_permute:
    push {r4-r11, lr}
    sub sp, #FRAME
    adr r8, .Lround_constants
    str r8, [sp, #CONSTANT]
    .set X, 0
    .rept 5
    LOAD_PLANE_0 %X
    .set X, X + 1
    .endr
.Ltwo_rounds:
    ROUND 0
    ROUND 1
    adr r6, .Lround_constants_end
    cmp r4, r6
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
