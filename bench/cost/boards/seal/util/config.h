/* Configuration of Microsoft SEAL 4.0.0 for boards.mk, which compiles it for Arm without CMake: no
 * intrinsics of x86, and 128-bit integers where the machine has 64-bit words. */
#pragma once
#define SEAL_VERSION "4.0.0"
#define SEAL_VERSION_MAJOR 4
#define SEAL_VERSION_MINOR 0
#define SEAL_VERSION_PATCH 0
#define SEAL_USE_STD_BYTE
#define SEAL_USE_ALIGNED_ALLOC
#define SEAL_USE_SHARED_MUTEX
#define SEAL_USE_IF_CONSTEXPR
#define SEAL_USE_MAYBE_UNUSED
#define SEAL_USE_NODISCARD
#define SEAL_USE_STD_FOR_EACH_N
#define SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT
#define SEAL_DEFAULT_PRNG Blake2xb
#if defined(__aarch64__)
#define SEAL_USE_INTRIN
#define SEAL_USE___BUILTIN_CLZLL
#define SEAL_USE___INT128
#endif
#define SEAL_USE_EXPLICIT_BZERO
