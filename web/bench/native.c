/* `native BLOB LINK ITEM SET ROUNDS COUNT`: the module's calls that open a result, by the same
 * compiler for this machine, portable C alone. Prints the nanoseconds of processor time of one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../module/memory.h"
#include "../module/results.h"

static uint8_t memory[1u << 24] __attribute__((aligned(16)));
static size_t taken;

void *memory_take(size_t bytes) {
    void *const start = memory + taken;
    taken += (bytes + 15u) & ~(size_t)15u;
    return taken <= sizeof memory ? start : NULL;
}

static uint8_t *read_file(const char *path, size_t *bytes) {
    FILE *const file = fopen(path, "rb");
    uint8_t *const out = memory + taken;
    if (file == NULL) {
        exit(2);
    }
    *bytes = fread(out, 1, sizeof memory - taken, file);
    (void)fclose(file);
    return memory_take(*bytes);
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count_of_words, char **words) {
    size_t blob_bytes, link_bytes, item_bytes;
    if (count_of_words != 7) {
        return 2;
    }
    const uint8_t *const blob = read_file(words[1], &blob_bytes);
    const uint8_t *const link = read_file(words[2], &link_bytes);
    const uint8_t *const item = read_file(words[3], &item_bytes);
    const uint32_t rounds = (uint32_t)atoi(words[5]), count = (uint32_t)atoi(words[6]);
    int32_t status;
    owner *const opened = owner_open((uint32_t)atoi(words[4]), blob, blob_bytes, &status);
    double *const values = memory_take(count * sizeof *values);
    const double start = now();
    for (uint32_t i = 0; opened != NULL && i < rounds; i++) {
        if (owner_result(opened, link, item, item_bytes) != ISOPOD_OK ||
            owner_values(opened, WIDEST_BOUND, values, count) != ISOPOD_OK) {
            return 1;
        }
    }
    printf("%.0f\n", (now() - start) / rounds);
    return opened == NULL;
}
