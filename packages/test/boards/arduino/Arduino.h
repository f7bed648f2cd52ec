/* Arduino's serial line on the standard output; starts a sketch as a process, whose loop runs as
 * often as LOOPS says, and whose converter gives READING. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <avr/pgmspace.h>

enum { HEX = 16, A0 = 14 };

struct serial {
    void begin(long) {}
    void print(const char *text) { fputs(text, stdout); }
    void print(int value, int base) { printf(base == HEX ? "%X" : "%d", value); }
    void println(int value) { printf("%d\n", value); }
    void println() { puts(""); }
    void flush() { fflush(stdout); }
};

static serial Serial;

static inline long number_of(const char *name) {
    const char *text = getenv(name);
    return text != nullptr ? atol(text) : 0;
}

static inline int analogRead(int) {
    return (int)number_of("READING");
}

static inline void delay(unsigned long) {}

void setup();
void loop();

int main() {
    setup();
    for (long i = number_of("LOOPS"); i > 0; i--) {
        loop();
    }
    return 0;
}
