# Armv7-A Linux (Cortex-A7 with NEON, A32 instructions) as a static program, under qemu-user where the machine is another.
linux-armv7a.CC := arm-linux-gnueabihf-gcc
linux-armv7a.AR := arm-linux-gnueabihf-ar
linux-armv7a.CPU := -mcpu=cortex-a7 -mfpu=neon-vfpv4 -mfloat-abi=hard -marm
linux-armv7a.CFLAGS := $(linux-armv7a.CPU) $(COMMON_CFLAGS)
linux-armv7a.LDFLAGS := -static -Wl,--gc-sections
linux-armv7a.LDLIBS := -lm
linux-armv7a.SOURCES := ports/linux/semihosting.c ports/linux/stack_limit.c $(SHARED_SOURCES)
