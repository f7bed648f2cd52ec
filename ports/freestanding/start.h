/* The part of a reset handler after the stack pointer is set: memory, arguments, main, exit. */
#ifndef ISOPOD_FREESTANDING_START_H
#define ISOPOD_FREESTANDING_START_H

/* Copies .data from flash, clears .bss, calls main with the words of the host's command line, exits
 * with its result. */
_Noreturn void isopod_start(void);

/* Handles any unexpected exception: prints it and exits with status 125. */
_Noreturn void isopod_fault(void);

#endif
