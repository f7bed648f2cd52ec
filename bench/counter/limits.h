/* Capacities of the counter. */
#ifndef ISOPOD_COUNTER_LIMITS_H
#define ISOPOD_COUNTER_LIMITS_H

enum { MAX_REGIONS = 4096, MAX_DEPTH = 64 };

#endif
