# QEMU's virt machine with one RV32IM hart and no firmware.
# Scheduling before register allocation costs spills: the kernels fill the registers as they are.
virt-rv32.CC := riscv64-unknown-elf-gcc
virt-rv32.AR := riscv64-unknown-elf-ar
# CPU and ABI may be those of 64 bits (ports/cores.py): no source here knows.
virt-rv32.CPU := -march=rv32im
virt-rv32.ABI := -mabi=ilp32
virt-rv32.CFLAGS := $(virt-rv32.CPU) $(virt-rv32.ABI) -mcmodel=medany -fno-schedule-insns $(FREESTANDING_CFLAGS)
# Reading mtvec is part of the privileged architecture; newer assemblers name it zicsr.
virt-rv32.ASFLAGS := $(virt-rv32.CPU)_zicsr
virt-rv32.LDFLAGS := $(FREESTANDING_LDFLAGS) -T ports/virt-rv32/link.ld
virt-rv32.LDLIBS := -lgcc
virt-rv32.SOURCES := ports/virt-rv32/startup.S $(FREESTANDING_SOURCES)
