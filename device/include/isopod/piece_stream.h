/* Output that is computed in pieces and taken in steps of any length. */
#ifndef ISOPOD_PIECE_STREAM_H
#define ISOPOD_PIECE_STREAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Part of the contexts of encryption. Members are private. */
typedef struct {
    const uint8_t *piece; /* bytes not yet taken */
    uint32_t pending;     /* their number */
    uint8_t state;
} isopod_piece_stream;

#ifdef __cplusplus
}
#endif

#endif
