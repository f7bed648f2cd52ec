/* The kernels that the engine's backend replaces; backend.h explains the names. */
#ifndef ISOPOD_ACCEL_KERNELS_H
#define ISOPOD_ACCEL_KERNELS_H

#define ISOPOD_REPLACES_ENGINE 1
#define ISOPOD_REPLACES_KECCAK 1

#endif
