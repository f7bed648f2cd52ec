# The instruction counter, a plugin of the host's QEMU.
COUNTER := $(BUILD)/counter/libcounter.so

$(COUNTER): $(wildcard bench/counter/*.c) $(wildcard bench/counter/*.h)
	@mkdir -p $(@D)
	gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden $(filter %.c,$^) -o $@
