/* Arduino's serial line on the standard output; starts a sketch as a process. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { HEX = 16 };

struct serial {
    void begin(long) {}
    void print(const char *text) { fputs(text, stdout); }
    void print(int value, int base) { printf(base == HEX ? "%X" : "%d", value); }
    void println(int value) { printf("%d\n", value); }
    void println() { puts(""); }
    void flush() { fflush(stdout); }
};

static serial Serial;

void setup();

int main() {
    setup();
    return 0;
}
