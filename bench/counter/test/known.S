/* Code with known instruction counts between the markers, on boards and under qemu-user.
 *   exact_loop(n)      3n instructions, the loop crossing a page border in its middle
 *   exact_border_<k>   4 instructions, the region starting k steps of an instruction after 16 bytes before a page border
 * Every border function is entered eight instructions before its begin marker and has a second entry at the marker. */
#if defined(__aarch64__)
    .set step, 4
    .macro nops count
        .rept \count
        nop
        .endr
    .endm
    .macro pad bytes
        .fill (\bytes) / 4, 4, 0xd503201f
    .endm
    .macro begin
        mov x10, x10
    .endm
    .macro end
        mov x11, x11
    .endm
    .macro wide
        add x0, x0, xzr
    .endm
    .macro return
        ret
    .endm
    .macro decrement
        subs w0, w0, #1
    .endm
    .macro repeat label
        b.ne \label
    .endm
    .macro function name
        .globl \name
        .type \name, %function
        \name:
    .endm
#elif defined(__arm__) && !defined(__thumb__)
    .syntax unified
    .arm
    .set step, 4
    .macro nops count
        .rept \count
        nop
        .endr
    .endm
    .macro pad bytes
        .fill (\bytes) / 4, 4, 0xe320f000
    .endm
    .macro begin
        mov r10, r10
    .endm
    .macro end
        mov r11, r11
    .endm
    .macro wide
        add r0, r0, #0
    .endm
    .macro return
        bx lr
    .endm
    .macro decrement
        subs r0, r0, #1
    .endm
    .macro repeat label
        bne \label
    .endm
    .macro function name
        .globl \name
        .type \name, %function
        \name:
    .endm
#elif defined(__arm__)
    .syntax unified
    .thumb
    .set step, 2
    .macro nops count
        .rept \count
        nop
        .endr
    .endm
    .macro pad bytes
        .fill (\bytes) / 2, 2, 0xbf00
    .endm
    .macro begin
        mov r10, r10
    .endm
    .macro end
        mov r11, r11
    .endm
    .macro wide
        add.w r0, r0, #0
    .endm
    .macro return
        bx lr
    .endm
    .macro decrement
        subs r0, r0, #1
    .endm
    .macro repeat label
        bne \label
    .endm
    .macro function name
        .globl \name
        .type \name, %function
        .thumb_func
        \name:
    .endm
#else
    .option norvc
    .option norelax
    .set step, 4
    .macro nops count
        .rept \count
        nop
        .endr
    .endm
    .macro pad bytes
        .fill (\bytes) / 4, 4, 0x00000013
    .endm
    .macro begin
        addi x0, x0, 1
    .endm
    .macro end
        addi x0, x0, 2
    .endm
    .macro wide
        add a0, a0, x0
    .endm
    .macro return
        ret
    .endm
    .macro decrement
        addi a0, a0, -1
    .endm
    .macro repeat label
        bnez a0, \label
    .endm
    .macro function name
        .globl \name
        .type \name, @function
        \name:
    .endm
#endif

    .section .text.exact, "ax"
    .macro border number
        .balign 4096
        pad (4096 - 16 + \number * step - 8 * step)
        function exact_border_\number
        nops 8
        function exact_border_at_\number
        begin
        wide
        nops 3
        end
        return
    .endm
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
        border \number
    .endr

    .balign 4096
    pad (4096 - 3 * step)
    function exact_loop
    begin
1:  nop
    decrement
    repeat 1b
    end
    return

#if defined(__linux__)
    .section .note.GNU-stack, "", %progbits
#endif
