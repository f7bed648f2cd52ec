# Microsoft SEAL and operations.cpp for Arm: make -f bench/cost/boards/boards.mk SEAL=.../SEAL BUILD=build aarch64|armv7a
# SEAL's own sources, from the registry's crate that isopod-seal builds from, unchanged.
BUILD ?= build
HERE := bench/cost/boards
SOURCES := $(wildcard $(SEAL)/native/src/seal/*.cpp $(SEAL)/native/src/seal/util/*.cpp $(SEAL)/native/src/seal/util/*.c)
OUT := $(BUILD)/cost

# A Raspberry Pi 4: a Cortex-A72, as a 64-bit machine and as the 32-bit one of the report.
aarch64.PREFIX := aarch64-linux-gnu-
aarch64.FLAGS := -mcpu=cortex-a72
armv7a.PREFIX := arm-linux-gnueabihf-
armv7a.FLAGS := -marm -march=armv7-a -mtune=cortex-a72 -mfpu=neon-vfpv4 -mfloat-abi=hard

.PHONY: aarch64 armv7a
aarch64 armv7a: %: $(OUT)/%/operations

define machine
$(1).OBJECTS := $(patsubst $(SEAL)/native/src/seal/%,$(OUT)/$(1)/%.o,$(SOURCES))

$(OUT)/$(1)/%.cpp.o: $(SEAL)/native/src/seal/%.cpp
	@mkdir -p $$(@D)
	$($(1).PREFIX)g++ -std=c++17 -O3 -w $($(1).FLAGS) -I$(HERE) -I$(SEAL)/native/src -c $$< -o $$@

$(OUT)/$(1)/%.c.o: $(SEAL)/native/src/seal/%.c
	@mkdir -p $$(@D)
	$($(1).PREFIX)gcc -O3 -w $($(1).FLAGS) -I$(HERE) -I$(SEAL)/native/src -c $$< -o $$@

$(OUT)/$(1)/operations: $(HERE)/operations.cpp $$($(1).OBJECTS)
	$($(1).PREFIX)g++ -std=c++17 -O3 -static -w $($(1).FLAGS) -I$(HERE) -Ibench -I$(SEAL)/native/src $$^ -o $$@ -lpthread
endef

$(foreach one,aarch64 armv7a,$(eval $(call machine,$(one))))
