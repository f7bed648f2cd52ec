# The development host itself, with the same interface as the boards; for tests and for x86-64 counts under callgrind.
linux.BACKEND ?= portable
linux.CC := gcc
linux.AR := ar
linux.CFLAGS := $(COMMON_CFLAGS)
# Without lazy binding, which would resolve its symbols inside a measured region and on the measured stack.
linux.LDFLAGS := -Wl,--gc-sections -Wl,-z,now
linux.LDLIBS :=
linux.SOURCES := ports/linux/semihosting.c ports/linux/stack_limit.c $(SHARED_SOURCES)
