/* Memory of the module: taken in one direction, given back to a mark, wiped when it is given back.
 */
#ifndef ISOPOD_WEB_MEMORY_H
#define ISOPOD_WEB_MEMORY_H

#include <stddef.h>

/* 16-byte aligned, zeroed; NULL where the machine gives no more. */
void *memory_take(size_t bytes);

/* The present end of what is taken. */
size_t memory_mark(void);

/* Gives back all that was taken since the mark. */
void memory_release(size_t mark);

#endif
