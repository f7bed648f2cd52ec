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

int semihosting_split(char *line, char **words, int limit) {
    int count = 0;
    while (count < limit) {
        while (*line == ' ') {
            *line++ = '\0';
        }
        if (*line == '\0') {
            break;
        }
        words[count++] = line;
        while (*line != ' ' && *line != '\0') {
            line++;
        }
    }
    *line = '\0';
    return count;
}
