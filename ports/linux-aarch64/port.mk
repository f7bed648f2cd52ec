# AArch64 Linux as a static program, under qemu-user where the machine is another.
linux-aarch64.CC := aarch64-linux-gnu-gcc
linux-aarch64.AR := aarch64-linux-gnu-ar
linux-aarch64.CPU := -mcpu=cortex-a53
linux-aarch64.CFLAGS := $(linux-aarch64.CPU) $(COMMON_CFLAGS)
linux-aarch64.LDFLAGS := -static -Wl,--gc-sections
linux-aarch64.LDLIBS := -lm
linux-aarch64.SOURCES := ports/linux/semihosting.c ports/linux/stack_limit.c $(SHARED_SOURCES)
