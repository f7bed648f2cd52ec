/* The choices of Kconfig for an isopod_encryption_config, and the workspace that they need. Where a
 * project has no Kconfig, they are the defaults. */
#ifndef ISOPOD_KCONFIG_H
#define ISOPOD_KCONFIG_H

#include <stddef.h>

#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "isopod/suite.h"

/* Suite. */
#if defined(CONFIG_ISOPOD_SUITE_SHAKE256)
#define ISOPOD_KCONFIG_SUITE (&isopod_suite_shake256)
#elif defined(CONFIG_ISOPOD_SUITE_SEAL_SHAKE256)
#define ISOPOD_KCONFIG_SUITE (&isopod_suite_seal_shake256)
#else
#define ISOPOD_KCONFIG_SUITE (&isopod_suite_chacha20)
#endif

/* Chunks; 0 in rounded coefficients. */
#ifdef CONFIG_ISOPOD_CHUNKS
#define ISOPOD_KCONFIG_CHUNKS CONFIG_ISOPOD_CHUNKS
#else
#define ISOPOD_KCONFIG_CHUNKS 0
#endif

/* Fault check, and whether there is one. */
#ifdef CONFIG_ISOPOD_FAULT_CHECK
#define ISOPOD_KCONFIG_HAS_FAULT_CHECK 1
#define ISOPOD_KCONFIG_FAULT_CHECK (&isopod_compute_twice)
#else
#define ISOPOD_KCONFIG_HAS_FAULT_CHECK 0
#define ISOPOD_KCONFIG_FAULT_CHECK NULL
#endif

/* Stack of the thread that encrypts. */
#ifdef CONFIG_ISOPOD_STACK_BYTES
#define ISOPOD_KCONFIG_STACK_BYTES CONFIG_ISOPOD_STACK_BYTES
#else
#define ISOPOD_KCONFIG_STACK_BYTES 4096
#endif

/* Workspace bytes of an encryption into slots by public key: n ring degree, message64 as in ckks.h,
 * t the plaintext modulus of the set (isopod/params.h). */
#define ISOPOD_KCONFIG_CKKS_WORKSPACE(n, message64)                                                \
    ISOPOD_CKKS_PUBLIC_WORKSPACE(n, ISOPOD_KCONFIG_CHUNKS, message64)
#define ISOPOD_KCONFIG_BFV_WORKSPACE(n, t)                                                         \
    ISOPOD_PUBLIC_WORKSPACE(                                                                       \
        n, ISOPOD_KCONFIG_CHUNKS,                                                                  \
        ISOPOD_BFV_MESSAGE_BYTES(                                                                  \
            n, ISOPOD_BFV_APART(t, ISOPOD_KCONFIG_CHUNKS, ISOPOD_KCONFIG_HAS_FAULT_CHECK)))

#endif
