/* isopod_entropy_fill: the `fill` of isopod_entropy for the platform that the compiler targets.
 * There is no weak default: firmware fills the callback from its own hardware generator and does
 * not include this file. */
#ifndef ISOPOD_PORT_ENTROPY_H
#define ISOPOD_PORT_ENTROPY_H

#if defined(__linux__)
#include "linux.h"
#define isopod_entropy_fill isopod_entropy_linux
#else
#error "No entropy source for this platform: give isopod_entropy.fill your hardware's generator"
#endif

#endif
