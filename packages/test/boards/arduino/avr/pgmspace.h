/* Program memory, which on this machine is memory. */
#pragma once
#include <string.h>

#define PROGMEM
#define memcpy_P memcpy
