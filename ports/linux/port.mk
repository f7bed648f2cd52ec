# The development host itself, with the boards' interface; for tests and for x86-64 counts under callgrind.
# `BACKEND=portable` on make's command line builds it without the vector kernels.
linux.CC := gcc
linux.AR := ar
linux.CFLAGS := $(COMMON_CFLAGS)
# No lazy binding, which would resolve symbols inside a measured region and on the measured stack.
linux.LDFLAGS := -Wl,--gc-sections -Wl,-z,now
linux.LDLIBS :=
linux.SOURCES := ports/linux/semihosting.c ports/linux/stack_limit.c $(SHARED_SOURCES)

# The library is built at -O3, as crates/sys builds it.
$(BUILD)/linux/device/src/%.o: EXTRA_CFLAGS := -O3
