/* Text for the console and from the command line, the same on every port. */
#include "semihosting.h"

void semihosting_print_decimal(uint64_t number) {
    char digits[21];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    semihosting_print(first);
}

/* Ends the words before it; the next word, or the end of the line. */
static char *skip_spaces(char *line) {
    while (*line == ' ') {
        *line++ = '\0';
    }
    return line;
}

int semihosting_split(char *line, char **words, int limit) {
    int count = 0;
    line = skip_spaces(line);
    while (*line != '\0' && count < limit) {
        words[count++] = line;
        while (*line != ' ' && *line != '\0') {
            line++;
        }
        line = skip_spaces(line);
    }
    return *line == '\0' ? count : -1;
}
