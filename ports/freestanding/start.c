#include "start.h"

#include "../semihosting/semihosting.h"

enum { COMMAND_LINE_BYTES = 1024, COMMAND_LINE_WORDS = 96, FAULT_STATUS = 125 };

/* From the linker script of the port; word aligned. */
extern const uint32_t data_load_start[];
extern uint32_t data_start[], data_end[], bss_start[], bss_end[];

int main(int argc, char **argv);

static void initialise_memory(void) {
    const uint32_t *from = data_load_start;
    for (uint32_t *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
}

_Noreturn void isopod_start(void) {
    static char line[COMMAND_LINE_BYTES];
    static char *words[COMMAND_LINE_WORDS + 1];
    initialise_memory();
    int count = -1;
    if (semihosting_command_line(line, sizeof line) == 0) {
        count = semihosting_split(line, words, COMMAND_LINE_WORDS);
    }
    if (count < 0) {
        semihosting_print("the command line is too long\n");
        semihosting_exit(FAULT_STATUS);
    }
    semihosting_exit(main(count, words));
}

_Noreturn void isopod_fault(void) {
    semihosting_print("unexpected exception\n");
    semihosting_exit(FAULT_STATUS);
}
