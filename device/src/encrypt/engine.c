/* The portable functions of the engine take no encryption; backend/accel replaces them. */
#include "engine.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(ENGINE)
/*@ assigns \nothing;
    ensures \result == 0; */
uint8_t isopod_engine_takes(const isopod_encryption *context, const isopod_values *values) {
    (void)context;
    (void)values;
    return 0;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_ERROR_FAULT; */
isopod_status isopod_engine_begin(isopod_encryption *context, const isopod_values *values) {
    (void)context;
    (void)values;
    return ISOPOD_ERROR_FAULT;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_ERROR_FAULT; */
isopod_status isopod_engine_next(isopod_encryption *context, uint8_t *out, size_t capacity,
                                 size_t *length) {
    (void)context;
    (void)out;
    (void)capacity;
    (void)length;
    return ISOPOD_ERROR_FAULT;
}

/*@ assigns \nothing; */
void isopod_engine_abort(isopod_encryption *context) {
    (void)context;
}
#endif
