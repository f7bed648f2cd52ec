# The system simulation of rtl/soc: a CV32E40P with the encryption engine. BACKEND=rv32im is the same program without the engine.
# The core's compressed instructions are unused, as on virt-rv32: both ports run the same code.
cv32e40p-sim.CC := riscv64-unknown-elf-gcc
cv32e40p-sim.AR := riscv64-unknown-elf-ar
cv32e40p-sim.CFLAGS := -march=rv32im -mabi=ilp32 -mcmodel=medany -fno-schedule-insns \
	$(if $(BACKEND),,-DISOPOD_ACCEL_BASE=0x20000000u) \
	$(FREESTANDING_CFLAGS)
cv32e40p-sim.ASFLAGS := -march=rv32im_zicsr
cv32e40p-sim.LDFLAGS := $(FREESTANDING_LDFLAGS) -T ports/cv32e40p-sim/link.ld
cv32e40p-sim.LDLIBS := -lgcc
cv32e40p-sim.SOURCES := ports/cv32e40p-sim/startup.S ports/cv32e40p-sim/host.c $(filter-out %/trap.S,$(FREESTANDING_SOURCES))
