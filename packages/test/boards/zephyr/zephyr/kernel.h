/* Zephyr's console. */
#include <stdio.h>

#define ARG_UNUSED(name) (void)(name)
#define printk printf
