/* Reset of the CV32E40P: pointers, trap vector, counters, then C. The core boots at the first of these bytes. */
    .section .vectors, "ax"
    .globl reset_handler
    .type reset_handler, @function
reset_handler:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, trap_table
    csrw mtvec, t0
    csrw mcountinhibit, zero /* mcycle and minstret are stopped at reset */
    j isopod_start
    .size reset_handler, . - reset_handler

    /* mtvec of this core has 256-byte alignment and names a table only in its low bit. */
    .balign 256
    .type trap_table, @function
trap_table:
    la sp, stack_top
    j isopod_fault
    .size trap_table, . - trap_table
