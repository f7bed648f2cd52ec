# QEMU's MPS3 board with an AN547 image: Cortex-M55 with Helium, the vector extension of profile M.
mps3-an547.CC := arm-none-eabi-gcc
mps3-an547.AR := arm-none-eabi-ar
mps3-an547.CPU := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
mps3-an547.CFLAGS := $(mps3-an547.CPU) $(FREESTANDING_CFLAGS) -fno-schedule-insns
mps3-an547.LDFLAGS := $(FREESTANDING_LDFLAGS) -T ports/mps3-an547/link.ld
mps3-an547.LDLIBS := -lgcc
mps3-an547.SOURCES := ports/mps3-an547/startup.c $(FREESTANDING_SOURCES)
