/* A holder of a key of several owners, on a board (spec/owners.md). `isopod owner move` writes the
 * holder's share for the board's flash, and from then on the board alone has it. It answers sealed
 * results with contributions for its owner's folder, which passes them on; all values of a result
 * open when as many holders as the threshold answered.
 *
 * A board shows its owner job, frames and devices of a result that isopod_holder_read took, and
 * contributes only on the owner's consent. Each contribution is counted in flash before its first
 * byte is written, and the folder counts it once more.
 *
 * Constant time with respect to share, noise and keys, on cores that multiply in constant time.
 * Each thread needs a workspace of its own; a holder is only read. Stack: 2 KB on a Cortex-M4. */
#ifndef ISOPOD_HOLDER_H
#define ISOPOD_HOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/counter.h"
#include "isopod/entropy.h"
#include "isopod/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace bytes, compile-time, for ring degree n: half of the coefficients modulo three primes.
 */
#define ISOPOD_HOLDER_WORKSPACE(n) (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n)*6u)

/* Most holders of a key. */
#define ISOPOD_HOLDERS 10u

/* A holder's share, opened. Members are private. Secret. */
typedef struct {
    const isopod_params *params;
    const isopod_tables *tables;
    const uint32_t *blob;
} isopod_holder;

/* The numbers of the holders who answer, ascending, as many as the threshold says, this holder's
 * among them. */
typedef struct {
    const uint8_t *numbers;
    uint8_t count;
} isopod_answering;

/* Services of the board for a contribution. */
typedef struct {
    isopod_entropy *entropy;
    const isopod_flash *count; /* two pages for this share alone, erased when it was written */
    /* Takes the next bytes of the contribution; 0 on success. */
    int (*write)(void *state, const uint8_t *bytes, size_t length);
    void *state;
} isopod_holder_board;

/* Opens a share where it lies, in flash, 4-byte aligned, and checks all of it. The set is one of
 * BFV with three 32-bit primes. On error *holder is zeroed. Errors: ISOPOD_ERROR_PARAMETERS;
 * _TABLES; _KEY_FORMAT; _KEY_SET; _KEY_KIND. */
ISOPOD_MUST_CHECK isopod_status isopod_holder_open(isopod_holder *holder,
                                                   const isopod_params *params,
                                                   const isopod_tables *tables,
                                                   const uint32_t *blob, size_t bytes);

/* Authenticates a result, and checks that the invitation allows it. On error *result is zeroed.
 * Errors: those of isopod_result_open; ISOPOD_ERROR_KEY_SET for a result of another key; _LEVEL;
 * _LAYOUT; _CIRCUIT. */
ISOPOD_MUST_CHECK isopod_status isopod_holder_read(isopod_result *result,
                                                   const isopod_holder *holder, const uint8_t *item,
                                                   size_t bytes);

/* Contributes to a result that isopod_holder_read took, and that is still in place. The workspace
 * is wiped at the end. On error, what was written opens nothing. Errors: ISOPOD_ERROR_KEY_SET;
 * _ANSWERING; _WORKSPACE; _RESIDUE; _ENTROPY; _FLASH; _COUNTER if no contribution is left;
 * _CAPACITY if the board took no more bytes. */
ISOPOD_MUST_CHECK isopod_status isopod_holder_contribute(const isopod_holder *holder,
                                                         const isopod_result *result,
                                                         const isopod_answering *answering,
                                                         const isopod_holder_board *board,
                                                         const isopod_workspace *workspace);

#ifdef __cplusplus
}
#endif

#endif
