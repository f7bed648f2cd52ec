# QEMU's MPS2 board with an AN386 image: Cortex-M4 with single precision floating point.
# CPU and MEMORY may be those of another core of profile M (device/test/matrix.py).
mps2-an386.CC := arm-none-eabi-gcc
mps2-an386.AR := arm-none-eabi-ar
mps2-an386.CPU := -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
mps2-an386.MEMORY := ports/mps2-an386/link.ld
mps2-an386.CFLAGS := $(mps2-an386.CPU) $(FREESTANDING_CFLAGS) -fno-schedule-insns
mps2-an386.LDFLAGS := $(FREESTANDING_LDFLAGS) -T $(mps2-an386.MEMORY)
mps2-an386.LDLIBS := -lgcc
mps2-an386.SOURCES := ports/mps2-an386/startup.c $(FREESTANDING_SOURCES)
