#include "histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FUNCTIONS = 2048, MAX_NAME = 96 };

typedef struct {
    char name[MAX_NAME];
    uint64_t executed;
    uint64_t at_begin;
} function_count;

static function_count functions[MAX_FUNCTIONS];
static size_t function_total;
static FILE *out;

bool histogram_open(const char *path) {
    out = fopen(path, "w");
    return out != NULL;
}

bool histogram_is_open(void) {
    return out != NULL;
}

uint64_t *histogram_counter(const char *symbol) {
    const char *name = symbol != NULL ? symbol : "?";
    for (size_t i = 0; i < function_total; i++) {
        if (strncmp(functions[i].name, name, MAX_NAME - 1) == 0) {
            return &functions[i].executed;
        }
    }
    if (function_total == MAX_FUNCTIONS) {
        return &functions[MAX_FUNCTIONS - 1].executed;
    }
    function_count *added = &functions[function_total++];
    snprintf(added->name, sizeof added->name, "%s", name);
    return &added->executed;
}

void histogram_begin(void) {
    for (size_t i = 0; i < function_total; i++) {
        functions[i].at_begin = functions[i].executed;
    }
}

void histogram_end(size_t region) {
    for (size_t i = 0; i < function_total; i++) {
        const uint64_t inside = functions[i].executed - functions[i].at_begin;
        if (inside != 0) {
            fprintf(out, "%zu %" PRIu64 " %s\n", region, inside, functions[i].name);
        }
        functions[i].at_begin = functions[i].executed;
    }
}

void histogram_close(void) {
    fclose(out);
}
