/* Key pairs from seeds (spec/ckks.md, section 7): pk1 is the mask, pk0 = NTT(e) - pk1 NTT(s), one
 * chunk at a time, as a pull interface. Constant time with respect to s and e. */
#include "key_pair.h"

#include "blob.h"
#include "key_products.h"
#include "../base/memory.h"
#include "../base/workspace.h"
#include "../ring/montgomery.h"
#include "../base/parameters.h"
#include "../ring/pointwise.h"
#include "../ring/polynomial.h"
#include "../ring/twiddle.h"

enum { STATE_READY = 0x35, STATE_PAYLOAD = 0x53 };
enum { STEP_MASK = 0, STEP_BODY = 1, STEP_NEXT = 2 };

#define WORD_BYTES (ISOPOD_WORD_BITS / 8u)

#if ISOPOD_WORD_BITS == 32
#define WORD_KEY_PAIR_WORKSPACE ISOPOD_KEY_PAIR_WORKSPACE
#else
#define WORD_KEY_PAIR_WORKSPACE ISOPOD64_KEY_PAIR_WORKSPACE
#endif

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires config->params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == (1 << config->params->log2_ring_degree); */
static uint32_t ring_degree(const isopod_key_pair_config *config) {
    return UINT32_C(1) << config->params->log2_ring_degree;
}

/* The workspace, in this order. */
typedef struct {
    isopod_word *first; /* a chunk */
    isopod_word *second;
    int8_t *error;
    uint32_t *ternary;
} key_memory;

static key_memory memory_of(const isopod_key_pair *pair) {
    uint32_t n = ring_degree(pair->config), length = n / pair->config->chunks;
    key_memory parts;
    parts.first = isopod_workspace_room(pair->workspace);
    parts.second = parts.first + length;
    parts.error = (int8_t *)(parts.second + length);
    parts.ternary = (uint32_t *)(void *)(parts.error + n);
    return parts;
}

static isopod_status check(const isopod_key_pair_config *config) {
    isopod_status status = isopod_parameters_check(config->params);
    if (status == ISOPOD_OK &&
        isopod_parameters_has_primes64(config->params) != (ISOPOD_WORD_BITS == 64)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    if (!isopod_tables_fit(config->tables, config->params)) {
        return ISOPOD_ERROR_TABLES;
    }
    if (config->chunks != 1 && config->chunks != 2 && config->chunks != 4 && config->chunks != 8) {
        return ISOPOD_ERROR_CHUNKS;
    }
    return ISOPOD_OK;
}

static size_t pair_bytes(const isopod_key_pair_config *config) {
    return WORD_KEY_PAIR_WORKSPACE(ring_degree(config), config->chunks);
}

/* The mask seed is public, and no other pair has it. */
static uint32_t owns_workspace(const isopod_key_pair *pair) {
    return isopod_workspace_is_owned(pair->workspace, pair->mask_seed);
}

void isopod_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                           const isopod_workspace *workspace, const isopod_key_seeds *seeds) {
    isopod_copy(pair->mask_seed, seeds->mask_seed, sizeof pair->mask_seed);
    pair->config = config;
    pair->workspace = workspace;
    pair->state = STATE_READY;
    isopod_workspace_own(workspace, pair->mask_seed);
    key_memory parts = memory_of(pair);
    isopod_keygen_ternary(parts.ternary, config->params, seeds->secret.bytes);
    isopod_keygen_noise(parts.error, config->params, &seeds->noise);
}

ISOPOD_FRAME_APART static isopod_status draw(isopod_key_pair *pair,
                                             const isopod_key_pair_config *config,
                                             const isopod_workspace *workspace,
                                             isopod_entropy *entropy) {
    isopod_key_seeds seeds;
    isopod_status status = isopod_root_take_keys(entropy, config->params, &seeds);
    if (status == ISOPOD_OK) {
        isopod_key_pair_start(pair, config, workspace, &seeds);
    }
    isopod_wipe(&seeds, sizeof seeds);
    return status;
}

static void wipe_stack(void) {
    (ISOPOD_WORD_BITS == 64 ? isopod_wipe_deep_stack : isopod_wipe_stack)();
}

isopod_status isopod_key_pair_begin(isopod_key_pair *pair, const isopod_key_pair_config *config,
                                    const isopod_workspace *workspace, isopod_entropy *entropy) {
    isopod_wipe(pair, sizeof *pair);
    isopod_status status = check(config);
    if (status == ISOPOD_OK && !isopod_workspace_holds(workspace, pair_bytes(config))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    if (status == ISOPOD_OK) {
        status = draw(pair, config, workspace, entropy);
        wipe_stack();
    }
    if (status != ISOPOD_OK) {
        isopod_workspace_wipe(workspace, workspace->bytes);
    }
    return status;
}

isopod_status isopod_key_pair_payload(isopod_key_pair *pair, isopod_key_kind kind) {
    if (pair->state != STATE_READY && pair->state != STATE_PAYLOAD) {
        return ISOPOD_ERROR_STATE;
    }
    if (kind < ISOPOD_KEY_PUBLIC || kind > ISOPOD_KEY_SECRET_NTT) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    pair->kind = kind;
    pair->prime = pair->chunk = pair->step = 0;
    pair->refill = pair->pending = pair->offset = 0;
    pair->state = STATE_PAYLOAD;
    return ISOPOD_OK;
}

static isopod_ntt ntt_of(const isopod_key_pair *pair) {
    const isopod_key_pair_config *config = pair->config;
    isopod_ntt ntt = isopod_ntt_of(config->params, config->tables, pair->prime);
    ntt.length /= config->chunks;
    ntt.chunks = config->chunks;
    ntt.chunk = pair->chunk;
    return ntt;
}

/* Sets the next piece: `bytes` bytes at `at`, for `offset` in the payload. */
/*@ requires \valid(pair);
    assigns pair->piece, pair->pending, pair->offset;
    ensures pair->pending == bytes && pair->offset == offset; */
static void give(isopod_key_pair *pair, const void *at, uint32_t bytes, uint32_t offset) {
    pair->piece = at;
    pair->pending = bytes;
    pair->offset = offset;
}

/* Computes the chunk of factor * NTT(s), |factor| <= q/2: |x| < 2q, or in 64-bit words the
 * representatives that the backend's NTT leaves. */
ISOPOD_FRAME_APART static void transform_secret(const isopod_key_pair *pair, const isopod_ntt *ntt,
                                                isopod_word factor, isopod_word *out) {
    key_memory parts = memory_of(pair);
    isopod_polynomial secret = {isopod_load_ternary,       parts.ternary, NULL, ntt->prime,
                                ring_degree(pair->config), factor};
    isopod_polynomial_ntt(out, &secret, ntt);
}

/* Leaves pk1 in the first chunk, and -pk1*NTT(s), |x| <= q, in the second in place of -NTT(s)*R^2:
 * both in Montgomery form. */
ISOPOD_FRAME_APART static void mask_step(isopod_key_pair *pair, const isopod_ntt *ntt) {
    const isopod_key_pair_config *config = pair->config;
    key_memory parts = memory_of(pair);
    isopod_mask_position at = {ntt->prime,
                               pair->prime,
                               config->params->prime_count,
                               config->params->log2_ring_degree,
                               ntt->chunk * ntt->length,
                               pair->refill};
    isopod_mask mask;
    isopod_mask_start(&mask, &isopod_suite_chacha20, pair->mask_seed, &at);
    for (uint32_t i = 0; i < ntt->length; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(&mask, (isopod_residue *)parts.first + i);
    }
    pair->refill = mask.at.refill;
    isopod_key_products(parts.first, parts.second, ntt->length, ntt->prime);
}

/* Leaves pk0 = NTT(e) - pk1*NTT(s) in Montgomery form in the first chunk. */
ISOPOD_FRAME_APART static void body_step(isopod_key_pair *pair, const isopod_ntt *ntt) {
    key_memory parts = memory_of(pair);
    isopod_polynomial noise = {isopod_load_error,         NULL, parts.error, ntt->prime,
                               ring_degree(pair->config), 0};
    isopod_polynomial_ntt(parts.first, &noise, ntt);
    isopod_key_sums(parts.first, parts.second, ntt->length, ntt->prime);
}

/* The offset of the chunk of pk0; that of pk1 is n words behind it. */
static uint32_t body_offset(const isopod_key_pair *pair, const isopod_ntt *ntt) {
    uint32_t n = ring_degree(pair->config), at = ntt->chunk * ntt->length;
    uint32_t held = pair->kind == ISOPOD_KEY_PUBLIC ? 2u * n : n;
    return ISOPOD_MASK_SEED_BYTES + WORD_BYTES * (held * pair->prime + at);
}

ISOPOD_FRAME_APART static void public_piece(isopod_key_pair *pair, const isopod_ntt *ntt) {
    key_memory parts = memory_of(pair);
    uint32_t offset = body_offset(pair, ntt);
    if (pair->step == STEP_MASK) {
        isopod_word square = (isopod_word)ntt->prime->montgomery_square;
        transform_secret(pair, ntt, -isopod_centred(square, ntt->prime), parts.second);
        mask_step(pair, ntt);
        pair->step = STEP_BODY;
        if (pair->kind == ISOPOD_KEY_PUBLIC) {
            give(pair, parts.first, WORD_BYTES * ntt->length,
                 offset + WORD_BYTES * ring_degree(pair->config));
            return;
        }
    }
    body_step(pair, ntt);
    pair->step = STEP_NEXT;
    give(pair, parts.first, WORD_BYTES * ntt->length, offset);
}

ISOPOD_FRAME_APART static void secret_piece(isopod_key_pair *pair, const isopod_ntt *ntt) {
    key_memory parts = memory_of(pair);
    uint32_t n = ring_degree(pair->config);
    transform_secret(pair, ntt, -isopod_montgomery_one(ntt->prime), parts.first);
    isopod_canonical_all(parts.first, ntt->length, ntt->prime);
    pair->step = STEP_NEXT;
    give(pair, parts.first, WORD_BYTES * ntt->length,
         WORD_BYTES * (n * pair->prime + ntt->chunk * ntt->length));
}

/* Gives the piece before the first chunk: the seed, or a whole ternary key, which completes the
 * payload. */
static uint32_t give_start(isopod_key_pair *pair) {
    if (pair->offset != 0 || pair->prime != 0 || pair->chunk != 0 || pair->step != 0) {
        return 0;
    }
    if (pair->kind == ISOPOD_KEY_SECRET_TERNARY) {
        pair->prime = pair->config->params->prime_count;
        give(pair, memory_of(pair).ternary, ring_degree(pair->config) / 4u, 0);
        return 1;
    }
    if (pair->kind != ISOPOD_KEY_SECRET_NTT) {
        give(pair, pair->mask_seed, ISOPOD_MASK_SEED_BYTES, 0);
        return 1;
    }
    return 0;
}

static void advance(isopod_key_pair *pair) {
    if (pair->step == STEP_NEXT) {
        pair->step = STEP_MASK;
        pair->chunk++;
    }
    if (pair->chunk == pair->config->chunks) {
        pair->chunk = 0;
        pair->prime++;
    }
}

ISOPOD_FRAME_APART static void compute_piece(isopod_key_pair *pair) {
    isopod_ntt ntt = ntt_of(pair);
    if (pair->kind == ISOPOD_KEY_SECRET_NTT) {
        secret_piece(pair, &ntt);
    } else {
        public_piece(pair, &ntt);
    }
}

/* Computes the next piece; zero after the last one. */
static uint32_t next_piece(isopod_key_pair *pair) {
    if (give_start(pair)) {
        return 1;
    }
    advance(pair);
    if (pair->prime >= pair->config->params->prime_count) {
        return 0;
    }
    compute_piece(pair);
    wipe_stack();
    return 1;
}

isopod_status isopod_key_pair_next(isopod_key_pair *pair, uint8_t *out, size_t capacity,
                                   isopod_key_piece *piece) {
    piece->offset = piece->length = 0;
    if (pair->state != STATE_PAYLOAD) {
        return ISOPOD_ERROR_STATE;
    }
    if (!owns_workspace(pair)) {
        isopod_key_pair_close(pair);
        return ISOPOD_ERROR_STATE;
    }
    if (capacity == 0) {
        return ISOPOD_ERROR_CAPACITY;
    }
    if (pair->pending == 0 && !next_piece(pair)) {
        pair->state = STATE_READY;
        return ISOPOD_DONE;
    }
    piece->length = pair->pending < capacity ? pair->pending : (uint32_t)capacity;
    piece->offset = pair->offset;
    isopod_copy(out, pair->piece, piece->length);
    pair->piece += piece->length;
    pair->offset += piece->length;
    pair->pending -= piece->length;
    return ISOPOD_OK;
}

void isopod_key_pair_close(isopod_key_pair *pair) {
    if (pair->config != NULL && owns_workspace(pair)) {
        isopod_workspace_wipe(pair->workspace, pair_bytes(pair->config));
    }
    isopod_wipe(pair, sizeof *pair);
}
