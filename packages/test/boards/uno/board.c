/* An Arduino Uno under simavr, until its serial line has said LINES lines:
 *
 *     board PROGRAM EEPROM MILLIVOLTS LINES CUT JITTER
 *
 * The file EEPROM holds the memory before and after. MILLIVOLTS are at pin A0. Power fails amid the
 * write of the number CUT, from 0, which leaves the byte erased; -1: it does not. The watchdog
 * comes at a multiple of 256 cycles and a random number below JITTER. Prints the serial line, and
 * on the standard error the writes, the deepest stack and the cycles. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { EEPROM_BYTES = 1024, HERTZ = 16000000, SPL = 0x5d, SPH = 0x5e, WATCHDOG_VECTOR = 4 * 6 };
#define MOST_CYCLES (UINT64_C(120) * HERTZ)

typedef struct {
    avr_t *avr;
    uint8_t *eeprom;
    uint8_t before[EEPROM_BYTES];
    long lines, writes, cut, jitter;
    uint16_t lowest;
} board;

static void said(struct avr_irq_t *irq, uint32_t value, void *state) {
    board *uno = state;
    (void)irq;
    putchar((int)value);
    uno->lines -= value == '\n';
}

static uint8_t *eeprom_of(avr_t *avr, const char *path) {
    uint8_t bytes[EEPROM_BYTES];
    avr_eeprom_desc_t all = {.ee = bytes, .size = EEPROM_BYTES};
    memset(bytes, 0xff, sizeof bytes);
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        (void)!fread(bytes, 1, sizeof bytes, file);
        fclose(file);
    }
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &all);
    all.ee = NULL;
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &all);
    return all.ee;
}

static void start(board *uno, char **words) {
    elf_firmware_t program = {0};
    uint32_t quiet = 0;
    if (elf_read_firmware(words[1], &program) != 0) {
        exit(2);
    }
    uno->avr = avr_make_mcu_by_name("atmega328p");
    avr_init(uno->avr);
    avr_load_firmware(uno->avr, &program);
    uno->avr->frequency = HERTZ;
    uno->avr->vcc = uno->avr->avcc = uno->avr->aref = 5000;
    uno->avr->log = LOG_ERROR;
    uno->eeprom = eeprom_of(uno->avr, words[2]);
    memcpy(uno->before, uno->eeprom, sizeof uno->before);
    avr_ioctl(uno->avr, AVR_IOCTL_UART_SET_FLAGS('0'), &quiet);
    avr_irq_register_notify(avr_io_getirq(uno->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            said, uno);
    avr_raise_irq(avr_io_getirq(uno->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0),
                  (uint32_t)atol(words[3]));
}

/* Whether power holds after this instruction. */
static int has_power(board *uno) {
    const uint16_t stack = (uint16_t)(uno->avr->data[SPH] << 8 | uno->avr->data[SPL]);
    uno->lowest = stack != 0 && stack < uno->lowest ? stack : uno->lowest;
    if (memcmp(uno->before, uno->eeprom, EEPROM_BYTES) == 0) {
        return 1;
    }
    const int is_cut = uno->writes++ == uno->cut;
    for (int at = 0; at < EEPROM_BYTES; at++) {
        if (is_cut && uno->eeprom[at] != uno->before[at]) {
            uno->eeprom[at] = 0xff;
        }
        uno->before[at] = uno->eeprom[at];
    }
    return !is_cut;
}

static void keep(const board *uno, const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(uno->eeprom, 1, EEPROM_BYTES, file) != EEPROM_BYTES ||
        fclose(file) != 0) {
        exit(2);
    }
}

int main(int count, char **words) {
    static board uno = {.lowest = UINT16_MAX};
    if (count != 7) {
        return 2;
    }
    uno.lines = atol(words[4]);
    uno.cut = atol(words[5]);
    uno.jitter = atol(words[6]);
    start(&uno, words);
    int state = cpu_Running;
    while (uno.lines > 0 && uno.avr->cycle < MOST_CYCLES && state != cpu_Crashed &&
           state != cpu_Done) {
        if (uno.avr->pc == WATCHDOG_VECTOR) {
            uno.avr->cycle += 256 - uno.avr->cycle % 256 + (uint64_t)(random() % uno.jitter);
        }
        state = avr_run(uno.avr);
        if (!has_power(&uno)) {
            break;
        }
    }
    keep(&uno, words[2]);
    fprintf(stderr, "writes %ld\nstack_bytes %d\ncycles %llu\n", uno.writes,
            uno.avr->ramend - uno.lowest, (unsigned long long)uno.avr->cycle);
    return 0;
}
