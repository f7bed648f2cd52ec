# The instruction counter, a plugin of the host's QEMU.
COUNTER := $(BUILD)/counter/libcounter.so

$(COUNTER): bench/counter/counter.c bench/counter/plugin_api.h
	@mkdir -p $(@D)
	gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden $< -o $@
