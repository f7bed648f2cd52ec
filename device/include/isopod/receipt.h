/* Receipts of a server (spec/wire.md, section 11): a device keeps a frame until it has one of it.
 * Neither broker nor proxy nor another device can make one. Constant time with respect to the
 * device key; about 500 bytes of stack, no other memory. */
#ifndef ISOPOD_RECEIPT_H
#define ISOPOD_RECEIPT_H

#include "isopod/sender.h"
#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The server's word on one frame of this device. */
typedef struct {
    uint64_t sequence;
    uint32_t epoch;
    uint8_t outcome; /* ISOPOD_OUTCOME_STORED, _KNOWN or _STALE: in each case the frame may go;
                        _ANNOUNCED: the server has the context that announced this name */
} isopod_receipt;

/* Reads one receipt; several lie one behind the other. On error *receipt is zeroed, and the device
 * goes on as if nothing had come: it keeps its frame and sends it again after a while. Errors:
 * ISOPOD_ERROR_AUTHENTICATION for bytes that are no receipt for this sender. */
ISOPOD_MUST_CHECK isopod_status isopod_receipt_open(isopod_receipt *receipt,
                                                    const isopod_sender *sender,
                                                    const uint8_t item[ISOPOD_RECEIPT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
