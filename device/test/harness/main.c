/* Runs every group of tests, or those whose names are arguments. */
#include "check.h"
#include "fixture.h"
#include "tests.h"

typedef struct {
    const char *name;
    void (*run)(void);
} group;

#define GROUP(name) {#name, test_##name},
#ifdef __wasm__
#define STACK_GROUP(name)
#else
#define STACK_GROUP GROUP
#endif
#ifdef ISOPOD_TEST_BOARD
#define BOARD_GROUP GROUP
#else
#define BOARD_GROUP(name)
#endif
#ifdef ISOPOD_TEST_HOST
#define HOST_GROUP GROUP
#else
#define HOST_GROUP(name)
#endif

static const group groups[] = {
#include "../groups.def"
};

static int is_chosen(const char *name, int argc, char **argv) {
    int chosen = argc <= 1;
    for (int i = 1; i < argc; i++) {
        chosen |= fixture_is_text(argv[i], name);
    }
    return chosen;
}

int main(int argc, char **argv) {
    uint32_t run = 0;
    for (uint32_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        if (is_chosen(groups[g].name, argc, argv)) {
            check_group(groups[g].name);
            check_memory_reset();
            groups[g].run();
            run++;
        }
    }
    check_group("all");
    CHECK(run == (uint32_t)(argc > 1 ? argc - 1 : (int)(sizeof groups / sizeof groups[0])));
    return check_summary() == 0 ? 0 : 1;
}
