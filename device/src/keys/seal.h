/* The check of a sealed key (spec/wire.md, section 5) of any kind. */
#ifndef ISOPOD_SEAL_H
#define ISOPOD_SEAL_H

#include "isopod/sealed_key.h"

/* ISOPOD_OK, or ISOPOD_ERROR_PARAMETERS, _KEY_FORMAT, _KEY_SET, _KEY_SEAL. */
isopod_status isopod_sealed_key_check(const isopod_params *params, const uint32_t *sealed,
                                      size_t bytes);

#endif
