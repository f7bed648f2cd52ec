/* Helium (MVE) is an addition to armv7em, whose other kernels stay: a kernel of armv7em that these
 * files replace asks there for !ISOPOD_HAS(HELIUM). */
#ifndef ISOPOD_HELIUM_KERNELS_H
#define ISOPOD_HELIUM_KERNELS_H

#define ISOPOD_HAS_HELIUM 1
#define ISOPOD_REPLACES_INTEGERS 1
#define ISOPOD_REPLACES_INTEGER_RANGE 1
#define ISOPOD_REPLACES_ROUNDED_MASK 1
#define ISOPOD_REPLACES_TERNARY 1
#define ISOPOD_TAKES_VALUES 1

#endif
