/* Contributions of a holder: everything is checked and the first half computed, then the
 * contribution is counted, and only then are values made and written. Constant time with respect to
 * share, noise and keys. */
#include "../base/memory.h"
#include "../base/workspace.h"
#include "../cbor/cbor.h"
#include "../random/chacha20.h"
#include "../random/root.h"
#include "../ring/packing.h"
#include "fraction.h"
#include "partial.h"
#include "sealing.h"

/* Values that are packed at once. */
#define GROUP 32u
/* Values whose noise is drawn at once: five blocks. */
#define DRAWN 16u
/* The longest head of a contribution: numbers of 9, 1, 2 and 2 bytes among strings of 17. */
#define HEAD_BYTES 128u

/* Secrets of one contribution. */
typedef struct {
    isopod_fraction fraction;
    isopod_sealing sealing;
    uint8_t noise_key[32];
    uint32_t input[4]; /* of the next block of noise */
    uint32_t words[DRAWN * ISOPOD_FLOOD_WORDS];
    uint32_t values[GROUP];
    uint64_t power; /* 2^m */
    uint32_t bits;
} contribution;

static isopod_status check_answering(const isopod_holder *holder,
                                     const isopod_answering *answering) {
    const isopod_share_head *head = isopod_share_head_of(holder);
    uint32_t last = 0, is_own = 0, valid = answering->count == head->threshold;
    for (uint32_t i = 0; valid && i < answering->count; i++) {
        uint32_t number = answering->numbers[i];
        valid = number > last && number <= head->holders;
        is_own |= number == head->number;
        last = number;
    }
    return valid && is_own ? ISOPOD_OK : ISOPOD_ERROR_ANSWERING;
}

static isopod_status check(const isopod_holder *holder, const isopod_result *result,
                           const isopod_answering *answering, const isopod_workspace *workspace) {
    uint32_t n = UINT32_C(1) << holder->params->log2_ring_degree;
    if (result->params != holder->params ||
        !isopod_equal(result->key_id, (const uint8_t *)(holder->blob + ISOPOD_KEY_WORD_KEY_ID),
                      ISOPOD_KEY_ID_BYTES)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    isopod_status status = check_answering(holder, answering);
    if (status == ISOPOD_OK && !isopod_workspace_holds(workspace, ISOPOD_HOLDER_WORKSPACE(n))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    return status;
}

/* Counts the contribution; *count is that of this holder, what was made elsewhere included. */
static isopod_status charge(const isopod_holder *holder, const isopod_holder_board *board,
                            uint64_t *count) {
    const isopod_share_head *head = isopod_share_head_of(holder);
    uint64_t used = isopod_share_number(head->used), most = isopod_share_number(head->queries);
    isopod_status status = isopod_counter_next(board->count, 1, count);
    if (status == ISOPOD_OK && (used > most || *count > most - used)) {
        status = ISOPOD_ERROR_COUNTER;
    }
    *count = status == ISOPOD_OK ? *count + used : 0;
    return status;
}

/* Nonce and key of the noise, from entropy that is hedged by the transport key and the count. */
static void derive(contribution *of, const isopod_holder *holder, const uint8_t *entropy,
                   uint64_t count, uint8_t nonce[ISOPOD_NONCE_BYTES]) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_OWNERS_BOARD;
    uint8_t bytes[8];
    isopod_keccak sponge;
    isopod_store64(bytes, count);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, label, sizeof label);
    isopod_keccak_absorb(&sponge, entropy, ISOPOD_ENTROPY_BYTES);
    isopod_keccak_absorb(&sponge, (const uint8_t *)isopod_share_head_of(holder)->transport,
                         ISOPOD_TRANSPORT_KEY_BYTES);
    isopod_keccak_absorb(&sponge, bytes, sizeof bytes);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, nonce, ISOPOD_NONCE_BYTES);
    isopod_keccak_squeeze(&sponge, of->noise_key, sizeof of->noise_key);
    isopod_wipe(&sponge, sizeof sponge);
}

/* Writes everything before the values. */
static void put_head(contribution *of, const isopod_holder *holder, const isopod_result *result,
                     const isopod_answering *answering, uint64_t count, const uint8_t *nonce) {
    const isopod_share_head *head = isopod_share_head_of(holder);
    uint32_t n = UINT32_C(1) << holder->params->log2_ring_degree;
    uint8_t out[HEAD_BYTES];
    uint8_t *at = isopod_cbor_head(out, ISOPOD_CBOR_ARRAY, ISOPOD_BOARD_CONTRIBUTION_FIELDS);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_KIND_BOARD_CONTRIBUTION);
    at = isopod_cbor_bytes(at, result->key_id, ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_bytes(at, nonce, ISOPOD_NONCE_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, head->number);
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, answering->count);
    for (uint32_t i = 0; i < answering->count; i++) {
        at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, answering->numbers[i]);
    }
    /* The nonce of the result, which stands behind the key's name. */
    at = isopod_cbor_bytes(at, result->key_id + ISOPOD_KEY_ID_BYTES + 1u, ISOPOD_NONCE_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, count);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, head->bits);
    at = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, n / 8u * head->bits);
    isopod_sealing_put(&of->sealing, out, (size_t)(at - out));
}

static void start(contribution *of, const isopod_holder *holder, const isopod_holder_board *board,
                  const uint8_t *nonce) {
    const isopod_share_head *head = isopod_share_head_of(holder);
    of->bits = head->bits;
    of->power = (uint64_t)1 << head->shift;
    isopod_wipe(of->input, sizeof of->input);
    isopod_fraction_start(&of->fraction, holder->params, of->bits);
    isopod_sealing_start(&of->sealing, board, (const uint8_t *)head->transport, nonce);
}

/* Writes the values of half of the coefficients, whose residues are at x. */
static void put_half(contribution *of, const int32_t *x, uint32_t half) {
    for (uint32_t i = 0; i < half; i++) {
        if (i % DRAWN == 0) {
            isopod_chacha20_blocks(of->words, of->noise_key, of->input, ISOPOD_FLOOD_WORDS);
            of->input[0] += ISOPOD_FLOOD_WORDS;
        }
        const int32_t residues[ISOPOD_HOLDER_PRIMES] = {x[i], x[half + i], x[2u * half + i]};
        int64_t noise = isopod_flood(of->words + i % DRAWN * ISOPOD_FLOOD_WORDS, of->power);
        of->values[i % GROUP] = isopod_fraction_of(&of->fraction, residues, noise);
        if (i % GROUP == GROUP - 1u) {
            uint32_t bytes = isopod_pack_in_place(of->values, GROUP, of->bits);
            isopod_sealing_encipher(&of->sealing, (uint8_t *)of->values, bytes);
        }
    }
}

/* The residues of the even coefficients are at x. */
static isopod_status put(const isopod_partial *partial, const isopod_result *result,
                         const isopod_holder_board *board, int32_t *x, const uint8_t *entropy) {
    contribution of;
    uint8_t nonce[ISOPOD_NONCE_BYTES];
    uint64_t count;
    uint32_t half = UINT32_C(1) << (partial->holder->params->log2_ring_degree - 1u);
    isopod_status status = charge(partial->holder, board, &count);
    if (status != ISOPOD_OK) {
        return status;
    }
    derive(&of, partial->holder, entropy, count, nonce);
    ISOPOD_DECLASSIFY(nonce);
    start(&of, partial->holder, board, nonce);
    put_head(&of, partial->holder, result, partial->answering, count, nonce);
    put_half(&of, x, half);
    (void)isopod_partial_half(x, partial, 1);
    put_half(&of, x, half);
    status = isopod_sealing_finish(&of.sealing) == 0 ? ISOPOD_OK : ISOPOD_ERROR_CAPACITY;
    isopod_wipe(&of, sizeof of);
    return status;
}

isopod_status isopod_holder_contribute(const isopod_holder *holder, const isopod_result *result,
                                       const isopod_answering *answering,
                                       const isopod_holder_board *board,
                                       const isopod_workspace *workspace) {
    const isopod_partial partial = {holder, result->c1, answering};
    uint8_t entropy[ISOPOD_ENTROPY_BYTES];
    isopod_status status = check(holder, result, answering, workspace);
    if (status != ISOPOD_OK) {
        return status;
    }
    int32_t *x = isopod_workspace_room(workspace);
    if (isopod_partial_half(x, &partial, 0) >> 31 != 0) {
        status = ISOPOD_ERROR_RESIDUE;
    }
    if (status == ISOPOD_OK) {
        status = isopod_root_take_entropy(board->entropy, entropy);
    }
    if (status == ISOPOD_OK) {
        status = put(&partial, result, board, x, entropy);
    }
    isopod_wipe(entropy, sizeof entropy);
    isopod_workspace_wipe(workspace,
                          ISOPOD_HOLDER_WORKSPACE(UINT32_C(1) << holder->params->log2_ring_degree));
    isopod_wipe_stack();
    return status;
}
