# Builds the device library and an application for a port, out of tree:
#   make -f ports/ports.mk port-app PORT=mps2-an386 APP=hello APP_SOURCES=path/hello.c [APP_FLAGS=-D...] [APP_TABLES=x.c]
# writes $(BUILD)/<port>/<app>.elf and .map. APP_TABLES are sources that do not depend on APP_FLAGS, compiled once per port.
# <port>.LINKER links where another compiler than CC does.
# BACKEND chooses kernels other than the machine's (device/src/backend/backend.h).
# make -f ports/ports.mk test-ports runs the tests of this folder.

BUILD ?= build
# One name of a file in every call: the lists of headers beside objects have it, too.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
PORTS := mps2-an386 virt-rv32 mps3-an547 linux linux-aarch64 linux-armv7a cv32e40p-sim

device_sources := $(sort $(shell find device/src -name '*.[cS]'))
OPTIMISE ?= -O2

# DWARF 4: the RISC-V objdump, by which device/test/constant_time reads these objects, confuses files in DWARF 5.
COMMON_CFLAGS := -std=c11 $(OPTIMISE) -gdwarf-4 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -falign-functions=64 \
	-Idevice/include -Iports -DISOPOD_ALLOW_DEVICE_SECRET_KEY
FREESTANDING_CFLAGS := $(COMMON_CFLAGS) -ffreestanding
FREESTANDING_LDFLAGS := -nostdlib -Wl,--gc-sections -Wl,--fatal-warnings -Lports/freestanding
SHARED_SOURCES := ports/semihosting/text.c ports/semihosting/entropy.c ports/stack/stack.c
FREESTANDING_SOURCES := $(SHARED_SOURCES) ports/semihosting/semihosting.c ports/semihosting/trap.S \
	ports/freestanding/memory.c ports/freestanding/start.c ports/freestanding/stack_limit.c

include $(PORTS:%=ports/%/port.mk)
include bench/counter/counter.mk

# No loop of memcpy may become a call of it.
MEMORY_CFLAGS ?= -fno-tree-loop-distribute-patterns -fno-lto
$(BUILD)/%/ports/freestanding/memory.o: EXTRA_CFLAGS := $(MEMORY_CFLAGS)

# One set of rules per port: the library once, the board's objects once, then each application.
define PORT_RULES
$(1).CHOICE := $$(BACKEND:%=-DISOPOD_BACKEND=%)
$(1).LIBRARY := $$(BUILD)/$(1)/libisopod.a
$(1).BOARD := $$(patsubst %,$$(BUILD)/$(1)/%.o,$$(basename $$($(1).SOURCES)))

$(1).DEVICE := $$(patsubst %,$$(BUILD)/$(1)/%.o,$$(basename $$(device_sources)))

$$($(1).LIBRARY): $$($(1).DEVICE)
	@rm -f $$@
	$$($(1).AR) rcs $$@ $$^

$$(BUILD)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$($(1).CC) $$($(1).CFLAGS) $$($(1).CHOICE) $$(EXTRA_CFLAGS) -MMD -MP -c $$< -o $$@

$$(BUILD)/$(1)/%.o: %.S
	@mkdir -p $$(@D)
	$$($(1).CC) $$($(1).CFLAGS) $$($(1).CHOICE) $$($(1).ASFLAGS) -MMD -MP -c $$< -o $$@

.PHONY: port-$(1)
port-$(1): $$($(1).LIBRARY) $$($(1).BOARD)

-include $$(patsubst %.o,%.d,$$($(1).BOARD)) $$($(1).DEVICE:.o=.d)
endef
$(foreach port,$(PORTS),$(eval $(call PORT_RULES,$(port))))

ifdef APP
APP_ELF := $(BUILD)/$(PORT)/$(APP).elf
APP_STAMP := $(BUILD)/$(PORT)/$(APP).flags

# The stamp changes only with the flags, so that new flags rebuild the application.
.PHONY: port-app always
port-app: $(APP_ELF)
always:
$(APP_STAMP): always
	@mkdir -p $(@D)
	@echo '$(APP_FLAGS)' | cmp -s - $@ || echo '$(APP_FLAGS)' > $@

# Each source of the application is compiled with its own flags; those in one folder need different names.
APP_OBJECTS := $(foreach source,$(APP_SOURCES),$(APP_ELF:.elf=.objects)/$(basename $(notdir $(source))).o)
APP_LINKED := $(APP_OBJECTS) $(APP_TABLES:%.c=$(BUILD)/$(PORT)/%.o) $($(PORT).BOARD) $($(PORT).LIBRARY)

define APP_OBJECT_RULE
$(APP_ELF:.elf=.objects)/$(basename $(notdir $(1))).o: $(1) $(APP_STAMP)
	@mkdir -p $$(@D)
	$($(PORT).CC) $($(PORT).CFLAGS) $(APP_FLAGS) -MMD -MP -c $$< -o $$@
endef
$(foreach source,$(APP_SOURCES),$(eval $(call APP_OBJECT_RULE,$(source))))

$(APP_ELF): $(APP_LINKED) $(wildcard ports/*/*.ld)
	$(or $($(PORT).LINKER),$($(PORT).CC)) $($(PORT).CFLAGS) $($(PORT).LDFLAGS) $(APP_LDFLAGS) \
		-Wl,-Map=$(APP_ELF:.elf=.map) $(APP_LINKED) $($(PORT).LDLIBS) -o $@

-include $(APP_OBJECTS:.o=.d)
endif

.PHONY: test-ports
test-ports:
	BUILD=$(BUILD) python3 -m unittest ports.test.test_board ports.test.test_avr ports.test.test_counter \
		bench.counter.test.test_cycles bench.device.test.test_driver bench.device.test.test_memory bench.device.test.test_plain_cmake
