# The development host itself, with the same interface as the boards; for tests and for x86-64 counts under callgrind.
linux.CC := gcc
linux.AR := ar
linux.CFLAGS := $(COMMON_CFLAGS)
linux.LDFLAGS := -Wl,--gc-sections
linux.LDLIBS :=
linux.SOURCES := ports/linux/semihosting.c ports/linux/stack_limit.c $(SHARED_SOURCES)
linux.RUN :=
