/* Digest of a region's execution: addresses of its instructions and of the data it accessed. */
#ifndef ISOPOD_COUNTER_TRACE_H
#define ISOPOD_COUNTER_TRACE_H

#include <stdbool.h>

#include "plugin_api.h"

/* Sets the file of the digests; without it nothing is traced. */
bool trace_open(const char *path);
bool trace_is_open(void);
void trace_instruction(struct qemu_plugin_insn *instruction);

/* A region at a depth of nesting, without the regions nested in it. */
void trace_begin(size_t depth);
void trace_end(size_t depth, size_t region);
void trace_close(void);

#endif
