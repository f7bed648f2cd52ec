/* The TFHE part of taint.c. */
#ifndef ISOPOD_TAINT_TFHE_H
#define ISOPOD_TAINT_TFHE_H

#include <stdint.h>

/* Encrypts in every way under every set, with all secrets undefined; the number of encryptions. */
uint32_t taint_tfhe(void);

#endif
