/* The controller, for its programs: its serial line, its clock, and the depth of its
 * stack. On a host, the line is the standard output, and there are no measurements. */
#ifndef ISOPOD_ATMEGA328P_BOARD_H
#define ISOPOD_ATMEGA328P_BOARD_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>

static void put(char character) {
    UCSR0B = 1 << TXEN0;
    while ((UCSR0A & 1 << UDRE0) == 0) {
    }
    UDR0 = (uint8_t)character;
}

static void end(void) {
    cli();
    sleep_enable();
    sleep_cpu();
}

/* Timer 1 counts cycles; its overflows cost 0.1 % of them. */
static volatile uint16_t overflows;

ISR(TIMER1_OVF_vect) {
    overflows++;
}

static uint32_t now(void) {
    cli();
    uint16_t low = TCNT1;
    uint32_t high = overflows;
    if ((TIFR1 & 1 << TOV1) != 0) {
        low = TCNT1;
        high++;
    }
    sei();
    return high << 16 | low;
}

static void start_clock(void) {
    TCCR1B = 1 << CS10;
    TIMSK1 = 1 << TOIE1;
    sei();
}

/* Between the objects and the stack. */
extern uint8_t __heap_start[], __data_start[];
enum { PAINT = 0xA5, PAINT_MARGIN = 32 };

static void paint_stack(void) {
    for (uint8_t *at = __heap_start; at < (uint8_t *)SP - PAINT_MARGIN; at++) {
        *at = PAINT;
    }
}

static uint32_t stack_used(void) {
    const uint8_t *at = __heap_start;
    while (*at == PAINT) {
        at++;
    }
    return (uint32_t)((const uint8_t *)RAMEND - at + 1);
}

static uint32_t objects_bytes(void) {
    return (uint32_t)(__heap_start - __data_start);
}
#else
#include <stdio.h>
#define PROGMEM
#define PSTR(text) text
#define pgm_read_byte(at) (*(at))

static void put(char character) {
    putchar(character);
}

static void end(void) {}
static void start_clock(void) {}
static void paint_stack(void) {}
static uint32_t now(void) {
    return 0;
}
static uint32_t stack_used(void) {
    return 0;
}
static uint32_t objects_bytes(void) {
    return 0;
}
#endif

/* A text in program memory. */
static void print(const char *text) {
    char character;
    while ((character = (char)pgm_read_byte(text++)) != 0) {
        put(character);
    }
}

static void print_number(const char *name, uint32_t value) {
    print(name);
    for (uint8_t i = 0; i < 8; i++, value <<= 4) {
        uint8_t digit = (uint8_t)(value >> 28);
        put((char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
    print(PSTR("\n"));
}

/* FNV-1a */
static uint32_t digest(uint32_t hash, const uint8_t *bytes, uint8_t count) {
    for (uint8_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 16777619U;
    }
    return hash;
}

/* Prints what both programs measure. */
static void report(uint32_t hash, int status, uint32_t cycles, uint32_t stack) {
    print_number(PSTR("digest "), hash);
    print_number(PSTR("status "), (uint32_t)-status);
    print_number(PSTR("cycles "), cycles);
    print_number(PSTR("stack_bytes "), stack);
    print_number(PSTR("objects_bytes "), objects_bytes());
    end();
}

#endif
