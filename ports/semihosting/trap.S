/* intptr_t semihosting_trap(uintptr_t operation, const void *argument)
 * Both calling conventions already place the two arguments and the return value where the host expects them. */
    .text
    .globl semihosting_trap
    .type semihosting_trap, %function

#if defined(__arm__)
    .syntax unified
    .thumb
    .balign 4
    .thumb_func
semihosting_trap:
    bkpt 0xab
    bx lr
#elif defined(__riscv)
/* The host recognises ebreak only between these two shifts: uncompressed, in one page. */
    .balign 16
    .option push
    .option norvc
semihosting_trap:
    slli x0, x0, 0x1f
    ebreak
    srai x0, x0, 7
    ret
    .option pop
#else
#error "no semihosting trap for this architecture"
#endif
    .size semihosting_trap, . - semihosting_trap
