/* The choice of kernels, for C and assembly alike: which machine's kernels replace portable ones.
 * All files of src/ are compiled for every target: a kernel of a machine stands between #if
 * ISOPOD_BACKEND_IS(<machine>) and #endif, a portable kernel that a machine may replace between #if
 * ISOPOD_PORTABLE(<KERNEL>) and #endif. All give the same bytes: spec/ckks.md leaves a choice only
 * of the representatives of residues; the headers state their bounds.
 *
 * The architecture chooses; -DISOPOD_BACKEND=<machine> overrides:
 *   portable  C alone
 *   armv7em   Arm cores of profile M with the DSP extension: Cortex-M4, M7, M33, M55
 *   rv32im    RISC-V of 32 bits with multiplication
 *   neon      AArch64, and Armv7-A with NEON
 *   avr       8-bit AVR by GNU C: what packets need; by itself only
 *   x86       x86-64 by GNU C; kernels look at the processor at run time
 * -DISOPOD_ACCEL_BASE=<address> adds the encryption engine whose registers lie there.
 *
 * <machine>/kernels.h lists the kernels of the machine, by ISOPOD_REPLACES_<KERNEL> (in 64-bit
 * words ISOPOD_REPLACES_<KERNEL>64) or, if it decides at run time, ISOPOD_TAKES_<KERNEL>. Then the
 * portable function first calls isopod_native_<function>, which returns whether it took the call.
 * Kernels are named after the portable files, whose headers document them. */
#ifndef ISOPOD_BACKEND_H
#define ISOPOD_BACKEND_H

#define ISOPOD_BACKEND_portable 1
#define ISOPOD_BACKEND_armv7em 2
#define ISOPOD_BACKEND_rv32im 3
#define ISOPOD_BACKEND_neon 4
#define ISOPOD_BACKEND_x86 5
#define ISOPOD_BACKEND_avr 6

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_DSP)
#define ISOPOD_MACHINE armv7em
#elif defined(__riscv_mul) && __riscv_xlen == 32
#define ISOPOD_MACHINE rv32im
#elif defined(__ARM_NEON)
#define ISOPOD_MACHINE neon
#elif defined(__x86_64__) && defined(__GNUC__)
#define ISOPOD_MACHINE x86
#elif defined(__AVR__) && defined(__GNUC__)
#define ISOPOD_MACHINE avr
#endif
#endif
#ifndef ISOPOD_MACHINE
#define ISOPOD_MACHINE portable
#endif

#ifndef ISOPOD_BACKEND
#define ISOPOD_BACKEND ISOPOD_MACHINE
#define ISOPOD_BACKEND_IS_CHOSEN 1 /* by the architecture */
#endif

#define ISOPOD_NUMBER_OF(machine) ISOPOD_NUMBER_OF_(machine)
#define ISOPOD_NUMBER_OF_(machine) ISOPOD_BACKEND_##machine
#define ISOPOD_BACKEND_IS(machine) (ISOPOD_NUMBER_OF(ISOPOD_BACKEND) == ISOPOD_BACKEND_##machine)

#if ISOPOD_BACKEND_IS(armv7em)
#include "armv7em/kernels.h"
#ifdef __ARM_FEATURE_MVE
#include "helium/kernels.h"
#endif
#elif ISOPOD_BACKEND_IS(rv32im)
#include "rv32im/kernels.h"
#elif ISOPOD_BACKEND_IS(neon)
#include "neon/kernels.h"
#elif ISOPOD_BACKEND_IS(x86)
#include "x86/kernels.h"
#elif ISOPOD_BACKEND_IS(avr)
#include "avr/kernels.h"
#elif !ISOPOD_BACKEND_IS(portable)
#error "ISOPOD_BACKEND is portable, armv7em, rv32im, neon, x86 or avr"
#endif
#if ISOPOD_BACKEND_IS(avr) && !defined(ISOPOD_BACKEND_IS_CHOSEN)
#error "ISOPOD_BACKEND: avr is what an 8-bit AVR takes by itself; portable is allowed"
#endif
#if ISOPOD_NUMBER_OF(ISOPOD_BACKEND) != ISOPOD_NUMBER_OF(ISOPOD_MACHINE) &&                        \
    !ISOPOD_BACKEND_IS(portable) && !ISOPOD_BACKEND_IS(rv32im) /* these are C */
#error "ISOPOD_BACKEND is not a machine that the compiler compiles for"
#endif

#ifdef ISOPOD_ACCEL_BASE
#include "accel/kernels.h"
#endif

/* 1 where a macro is defined as 1, and 0 where it is not defined. */
#define ISOPOD_IS_ONE(macro) ISOPOD_IS_ONE_(macro)
#define ISOPOD_IS_ONE_(value) ISOPOD_IS_ONE_OF(ISOPOD_COMMA_##value)
#define ISOPOD_IS_ONE_OF(comma) ISOPOD_SECOND(comma 1, 0, 0)
#define ISOPOD_SECOND(first, second, ...) second
#define ISOPOD_COMMA_1 0,

#define ISOPOD_HAS(kernel) ISOPOD_IS_ONE(ISOPOD_HAS_##kernel)
#if defined(ISOPOD_WORD_BITS) && ISOPOD_WORD_BITS == 64
#define ISOPOD_PORTABLE(kernel) (!ISOPOD_IS_ONE(ISOPOD_REPLACES_##kernel##64))
#define ISOPOD_TAKES(kernel) ISOPOD_IS_ONE(ISOPOD_TAKES_##kernel##64)
#else
#define ISOPOD_PORTABLE(kernel) (!ISOPOD_IS_ONE(ISOPOD_REPLACES_##kernel))
#define ISOPOD_TAKES(kernel) ISOPOD_IS_ONE(ISOPOD_TAKES_##kernel)
#endif

/* Marks every object, also one without a kernel, as not needing an executable stack. */
#if defined(__ASSEMBLER__) && defined(__linux__)
/* clang-format off */
.pushsection .note.GNU-stack, "", %progbits
.popsection
/* clang-format on */
#endif

#endif
