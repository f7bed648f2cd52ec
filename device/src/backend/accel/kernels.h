/* The kernels whose place the accelerator takes. */
#ifndef ISOPOD_ACCEL_KERNELS_H
#define ISOPOD_ACCEL_KERNELS_H

#define ISOPOD_REPLACES_ENGINE 1
#define ISOPOD_REPLACES_KECCAK 1

#endif
