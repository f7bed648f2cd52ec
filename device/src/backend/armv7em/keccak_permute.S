/* void isopod_keccak_permute(uint32_t lanes[50]): Keccak-f[1600] (FIPS 202, section 3.3) on
 * bit-interleaved lanes, a word of the even bits and a word of the odd bits each.
 *
 * A round reads one state and writes another; lane (x, y) lies at word pair x + 5y. No rotation
 * costs an instruction: every stored word has one pending, fixed by its place, which the next round
 * absorbs in the shifted operand of its first use. A rotation of the lane by r is one of its words
 * by r/2, or, if r is odd, an exchange of the words and rotations by (r+1)/2 and (r-1)/2. */
    .syntax unified
    .thumb
    .altmacro

    .equ D, 0 /* theta's effects */
    .equ CONSTANT, 40 /* the next round constant */
    .equ OTHER, 48 /* the other state */
    .equ FRAME, 248

from .req r12
to .req r14

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

/* the lane that pi moves to lane \to */
    .macro SOURCE result, to
    .set \result, (\to % 5 + 3 * (\to / 5)) % 5 + 5 * (\to % 5)
    .endm

    .macro OFFSET result, lane
    .set \result, RHO_\lane
    .endm

/* how far word \half of lane \to was turned left on its way; pending in what is stored there */
    .macro PENDING result, to, half
    SOURCE LANE, \to
    OFFSET TURN, %LANE
    .set \result, (TURN + TURN % 2 * (1 - 2 * \half)) / 2
    .endm

/* a = b op c, c turned right by an amount mod 32 */
    .macro WITH op, a, b, c, right
    .if (\right) & 31
    \op \a, \b, \c, ror #(\right) & 31
    .else
    \op \a, \b, \c
    .endif
    .endm

    .macro LOAD even, odd, lane
    ldrd r\even, r\odd, [from, #8 * \lane]
    .endm

/* column parities to r0..r9, with the rotation of the lanes of y = 0 pending */
    .macro PARITY_OF x, even, odd
    LOAD \even, \odd, \x
    PENDING EVEN, \x, 0
    PENDING ODD, \x, 1
    .set Y, 5
    .rept 4
    LOAD 10, 11, %(\x + Y)
    PENDING P, %(\x + Y), 0
    WITH eor, r\even, r\even, r10, EVEN - P
    PENDING P, %(\x + Y), 1
    WITH eor, r\odd, r\odd, r11, ODD - P
    .set Y, Y + 5
    .endr
    .endm

/* D[x] = C[x-1] ^ (C[x+1] turned by one), nothing pending */
    .macro EFFECT_OF x, left_even, left_odd, right_even, right_odd
    PENDING P, %((\x + 4) % 5), 0
    PENDING Q, %((\x + 1) % 5), 1
    WITH eor, r10, r\left_even, r\right_odd, P - Q - 1
    .if P
    ror r10, r10, #32 - P
    .endif
    PENDING P, %((\x + 4) % 5), 1
    PENDING Q, %((\x + 1) % 5), 0
    WITH eor, r11, r\left_odd, r\right_even, P - Q
    .if P
    ror r11, r11, #32 - P
    .endif
    strd r10, r11, [sp, #D + 8 * \x]
    .endm

/* r\even, r\odd = words of the lane that goes to \to, after theta, before rho; exchanged if rho
 * does */
    .macro TAKE even, odd, lane
    LOAD \even, \odd, \lane
    ldrd r10, r11, [sp, #D + 8 * (\lane % 5)]
    PENDING P, \lane, 0
    WITH eor, r\even, r10, r\even, -P
    PENDING P, \lane, 1
    WITH eor, r\odd, r11, r\odd, -P
    .endm

    .macro MOVED even, odd, to
    SOURCE FROM, \to
    OFFSET RHO, %FROM
    .if RHO % 2
    TAKE \odd, \even, %FROM
    .else
    TAKE \even, \odd, %FROM
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
    .macro CHI_LANE x, y, a, b, c
    CHI 10, %(2 * \a), %(2 * \b), %(2 * \c), %(\a + 5 * \y), %(\b + 5 * \y), %(\c + 5 * \y), 0
    CHI 11, %(2 * \a + 1), %(2 * \b + 1), %(2 * \c + 1), %(\a + 5 * \y), %(\b + 5 * \y), %(\c + 5 * \y), 1
    strd r10, r11, [to, #8 * (\x + 5 * \y)]
    .endm

    .macro PLANE y
    MOVED 0, 1, %(5 * \y)
    MOVED 2, 3, %(5 * \y + 1)
    MOVED 4, 5, %(5 * \y + 2)
    MOVED 6, 7, %(5 * \y + 3)
    MOVED 8, 9, %(5 * \y + 4)
    CHI_LANE 0, \y, 0, 1, 2
    CHI_LANE 1, \y, 1, 2, 3
    CHI_LANE 2, \y, 2, 3, 4
    CHI_LANE 3, \y, 3, 4, 0
    CHI_LANE 4, \y, 4, 0, 1
    .endm

/* turns all words of `from` right by what is to be pending, or left again */
    .macro TURN_ALL sign
    .set I, 0
    .rept 25
    TURN_LANE %I, \sign
    .set I, I + 1
    .endr
    .endm

    .macro TURN_WORD register, amount
    .if (\amount) & 31
    ror \register, \register, #(\amount) & 31
    .endif
    .endm

    .macro TURN_LANE lane, sign
    LOAD 0, 1, \lane
    PENDING P, \lane, 0
    TURN_WORD r0, \sign * P
    PENDING P, \lane, 1
    TURN_WORD r1, \sign * P
    strd r0, r1, [from, #8 * \lane]
    .endm

    .section .text.isopod_keccak_permute, "ax", %progbits
    .global isopod_keccak_permute
    .type isopod_keccak_permute, %function
    .balign 4
isopod_keccak_permute:
    push {r4-r11, lr}
    sub sp, #FRAME + 4
    mov from, r0
    add to, sp, #OTHER
    TURN_ALL 1
    adr r0, .Lround_constants
    str r0, [sp, #CONSTANT]
.Lround:
    PARITY_OF 0, 0, 1
    PARITY_OF 1, 2, 3
    PARITY_OF 2, 4, 5
    PARITY_OF 3, 6, 7
    PARITY_OF 4, 8, 9
    EFFECT_OF 0, 8, 9, 2, 3
    EFFECT_OF 1, 0, 1, 4, 5
    EFFECT_OF 2, 2, 3, 6, 7
    EFFECT_OF 3, 4, 5, 8, 9
    EFFECT_OF 4, 6, 7, 0, 1
    PLANE 4
    PLANE 3
    PLANE 2
    PLANE 1
    PLANE 0
    ldr r8, [sp, #CONSTANT]
    ldrd r0, r1, [to]
    ldrd r2, r3, [r8], #8
    str r8, [sp, #CONSTANT]
    eors r0, r2
    eors r1, r3
    strd r0, r1, [to]
    mov r4, from
    mov from, to
    mov to, r4
    adr r0, .Lround_constants_end
    cmp r8, r0
    bne .Lround
    TURN_ALL -1
    add sp, #FRAME + 4
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
