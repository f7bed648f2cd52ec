/* The groups of tests (groups.def); main.c runs them, all or those named. */
#ifndef ISOPOD_TESTS_H
#define ISOPOD_TESTS_H

#define GROUP(name) void test_##name(void);
#define STACK_GROUP GROUP
#define BOARD_GROUP GROUP
#define HOST_GROUP GROUP
#include "../groups.def"
#undef GROUP
#undef STACK_GROUP
#undef BOARD_GROUP
#undef HOST_GROUP

#endif
