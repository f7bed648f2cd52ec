/* Program memory with addresses of its own, as an 8-bit AVR has it. The library keeps there what
 * programs do not read, and takes keys of packets and pads from there. -DISOPOD_BACKEND=portable
 * keeps everything in RAM. */
#ifndef ISOPOD_PROGRAM_MEMORY_H
#define ISOPOD_PROGRAM_MEMORY_H

#if defined(__AVR__) && defined(__GNUC__) &&                                                       \
    (!defined(ISOPOD_BACKEND) || defined(ISOPOD_BACKEND_IS_CHOSEN))
#define ISOPOD_HAS_PROGRAM_MEMORY 1
#define ISOPOD_PROGRAM_MEMORY __attribute__((__progmem__))
#else
#define ISOPOD_HAS_PROGRAM_MEMORY 0
#define ISOPOD_PROGRAM_MEMORY
#endif

#endif
