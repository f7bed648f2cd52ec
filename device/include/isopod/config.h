/* The one configuration header. Every option below may be given on the compiler's command line
 * instead, or the whole file replaced with -DISOPOD_CONFIG_FILE='"my_config.h"'. Nothing else is
 * ever edited: parameter sets, suites, keys and memory plans are arguments, and what is not called
 * is not linked. */
#ifndef ISOPOD_CONFIG_H
#define ISOPOD_CONFIG_H

#ifdef ISOPOD_CONFIG_FILE
#include ISOPOD_CONFIG_FILE
#endif

/* Declares encryption under a secret key that lives on the device (secret_key.h). Half the bytes on
 * the air and half the time, but whoever opens the device can read all that its key ever encrypted;
 * give each device a key of its own. Off by default. Price: none in RAM, about 1 KB of flash when
 * used. */
#ifndef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 0
#endif

#endif
