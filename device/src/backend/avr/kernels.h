/* The kernels that this backend replaces; backend.h explains the names. */
#ifndef ISOPOD_AVR_KERNELS_H
#define ISOPOD_AVR_KERNELS_H

#define ISOPOD_REPLACES_CHACHA20 1
#define ISOPOD_REPLACES_PACKET_ACCUMULATE 1
#define ISOPOD_REPLACES_PACKET_FIELDS 1

/* Eight elements of the mask fill whole bytes, and little memory. */
#define ISOPOD_PACKET_GROUP 8u

#endif
