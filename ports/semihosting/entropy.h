/* Entropy from the development host, for emulated boards only: a product takes its own hardware's
 * generator. */
#ifndef ISOPOD_ENTROPY_SEMIHOSTING_H
#define ISOPOD_ENTROPY_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills out from the host file whose zero-terminated path is state; state NULL means /dev/urandom.
 * Returns 0, or -1 on any failure; then out is all zero. */
int isopod_entropy_semihosting(void *state, uint8_t *out, size_t length);

#ifdef __cplusplus
}
#endif

#endif
