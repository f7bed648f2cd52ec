/* The only configuration header. Give options on the compiler's command line, or replace the whole
 * file with -DISOPOD_CONFIG_FILE='"my_config.h"'. No other file needs changes: parameter sets,
 * suites, keys and memory plans are arguments, and functions that are not called are not linked. */
#ifndef ISOPOD_CONFIG_H
#define ISOPOD_CONFIG_H

#ifdef ISOPOD_CONFIG_FILE
#include ISOPOD_CONFIG_FILE
#endif

/* Declares encryption under a secret key that lives on the device (key.h, split_key.h, tfhe_key.h),
 * packets, and the keys with which a device reads results. Frames take half the bytes and half the
 * time. But whoever opens the device can read everything that its key ever encrypted, so each
 * device needs a key of its own. Default: off. Price: no RAM, about 1 KB of flash when used. */
#ifndef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 0
#endif

#endif
