/* Reset of one RV32IM hart in machine mode: global and stack pointer, trap vector, then C. */
    .section .vectors, "ax"
    .globl reset_handler
    .type reset_handler, @function
reset_handler:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, trap_entry
    csrw mtvec, t0
    j isopod_start
    .size reset_handler, . - reset_handler

    /* mtvec needs four-byte alignment; its low bits select direct mode. */
    .balign 4
    .type trap_entry, @function
trap_entry:
    la sp, stack_top
    j isopod_fault
    .size trap_entry, . - trap_entry
