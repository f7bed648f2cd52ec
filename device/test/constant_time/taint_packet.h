/* The packets of taint.c. */
#ifndef ISOPOD_TAINT_PACKET_H
#define ISOPOD_TAINT_PACKET_H

#include <stdint.h>

/* Opens contexts and encrypts packets in every way, with all secrets undefined; the number of
 * packets. */
uint32_t taint_packet(void);

#endif
