# QEMU's MPS2 board with an AN386 image: Cortex-M4 with single precision floating point.
mps2-an386.CC := arm-none-eabi-gcc
mps2-an386.AR := arm-none-eabi-ar
mps2-an386.CFLAGS := -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard $(FREESTANDING_CFLAGS) -fno-schedule-insns
mps2-an386.LDFLAGS := $(FREESTANDING_LDFLAGS) -T ports/mps2-an386/link.ld
mps2-an386.LDLIBS := -lgcc
mps2-an386.SOURCES := ports/mps2-an386/startup.c $(FREESTANDING_SOURCES)
