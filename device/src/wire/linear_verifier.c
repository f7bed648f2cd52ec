/* Proofs of sums by linear tags (spec/verify.md, section 6): the polynomial of the values at the
 * point of the group, and the pads of all frames that the manifest names, one range after the
 * other. */
#include "../cbor/cbor.h"
#include "../random/chacha20.h"
#include "../random/keccak.h"
#include "linear_proof.h"

#define RANGE_FIELDS 5u
#define MOST_FRAMES (UINT64_C(1) << 30) /* of one sum: more than any plaintext modulus counts */

/* Frames of one device and epoch with consecutive sequences. */
typedef struct {
    uint64_t device, first, last;
    uint32_t epoch, rows;
} range;

/* Bytes of a hash's input. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} part;

/* The first 32 bytes of SHAKE-256. */
static void derive(uint8_t out[ISOPOD_LINEAR_SECRET_BYTES], const part *parts, uint32_t count) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    for (uint32_t i = 0; i < count; i++) {
        isopod_keccak_absorb(&sponge, parts[i].bytes, parts[i].length);
    }
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, ISOPOD_LINEAR_SECRET_BYTES);
    isopod_wipe(&sponge, sizeof sponge);
}

/* From the first period to this one. */
static void advance(uint8_t secret[ISOPOD_LINEAR_SECRET_BYTES], uint32_t period) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_LINEAR_NEXT;
    const part parts[] = {{label, sizeof label}, {secret, ISOPOD_LINEAR_SECRET_BYTES}};
    for (uint32_t t = 0; t < period; t++) {
        derive(secret, parts, 2);
    }
}

/* The keys of a device. */
static void open_device(isopod_linear_key *key, const isopod_linear_verifier *verifier,
                        uint64_t device) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_LINEAR_DEVICE;
    isopod_linear_secrets secrets;
    uint8_t number[8];
    const part parts[] = {{label, sizeof label},
                          {verifier->master, sizeof verifier->master},
                          {number, sizeof number}};
    isopod_store64(number, device);
    derive(secrets.device, parts, 3);
    advance(secrets.device, verifier->period);
    isopod_copy(secrets.group, verifier->group, sizeof secrets.group);
    secrets.period = verifier->period;
    isopod_linear_derive(key, &secrets);
    isopod_wipe(&secrets, sizeof secrets);
}

/* The sum of the pads of a range, below 2^61 + 7. */
static uint64_t pads_of(const isopod_linear_key *key, const isopod_result *result,
                        const range *named) {
    const isopod_frame_name name = {.device = named->device, .epoch = named->epoch};
    const isopod_linear_frame frame = {.name = &name,
                                       .packing = result->packing,
                                       .columns = result->claim.columns,
                                       .stride = result->claim.stride};
    uint32_t words[ISOPOD_CHACHA20_WORDS];
    uint8_t pads[ISOPOD_LINEAR_SECRET_BYTES];
    uint64_t sum = 0, left = named->last - named->first + 1u, sequence = named->first;
    isopod_linear_pads(pads, key->pads.key, &frame);
    while (left > 0) {
        const uint64_t block = sequence >> ISOPOD_LINEAR_SEQUENCE_SHIFT;
        const uint32_t input[4] = {0, (uint32_t)block, (uint32_t)(block >> 32), 0};
        uint32_t at = (uint32_t)sequence % (1u << ISOPOD_LINEAR_SEQUENCE_SHIFT);
        isopod_chacha20_block(words, pads, input);
        for (; at < 1u << ISOPOD_LINEAR_SEQUENCE_SHIFT && left > 0; at++, left--, sequence++) {
            const uint64_t pad = (uint64_t)words[2u * at + 1u] << 32 | words[2u * at];
            sum = isopod_linear_folded(sum + isopod_linear_folded(pad));
        }
    }
    isopod_wipe(words, sizeof words);
    isopod_wipe(pads, sizeof pads);
    return sum;
}

/* Whether a range comes behind another one, apart from it. */
static uint32_t follows(const range *next, const range *before) {
    if (next->device != before->device) {
        return next->device > before->device;
    }
    if (next->epoch != before->epoch) {
        return next->epoch > before->epoch;
    }
    const uint64_t gap = next->first - before->last;
    return next->first > before->last && (gap > 1 || next->rows != before->rows);
}

static range read_range(isopod_cbor_reader *reader) {
    range next;
    next.device = isopod_cbor_unsigned(reader, UINT64_MAX);
    next.epoch = (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
    next.first = isopod_cbor_unsigned(reader, UINT64_MAX);
    next.last = isopod_cbor_unsigned(reader, UINT64_MAX);
    next.rows = (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
    reader->failed |= next.first > next.last || next.rows == 0;
    return next;
}

/* Adds the pads of all named frames, below 2^61 + 7; returns whether the names are those that the
 * origin stands for, in order, and as many as the result says. */
static uint32_t add_pads(uint64_t *sum, const isopod_linear_verifier *verifier,
                         const isopod_result *result) {
    const uint8_t *manifest = result->manifest;
    isopod_cbor_reader reader = {manifest, 0, result->manifest_bytes, 0};
    uint64_t elements = isopod_cbor_array(&reader), frames = result->frames;
    isopod_linear_key key;
    range before = {0}, next;
    for (uint32_t is_first = 1; elements >= RANGE_FIELDS; is_first = 0, before = next) {
        next = read_range(&reader);
        reader.failed |=
            next.last - next.first >= frames || (!is_first && !follows(&next, &before));
        if (reader.failed) {
            break;
        }
        if (is_first || next.device != before.device) {
            open_device(&key, verifier, next.device);
        }
        frames -= next.last - next.first + 1u;
        elements -= RANGE_FIELDS;
        *sum = isopod_linear_folded(*sum + pads_of(&key, result, &next));
    }
    isopod_wipe(&key, sizeof key);
    return !reader.failed && reader.at == reader.bytes && frames == 0 && elements == 0;
}

/* The polynomial of the values, below 2^61 + 8. */
static uint64_t value_of(const isopod_linear_verifier *verifier, const isopod_result *result,
                         const void *data) {
    const isopod_claim *claim = &result->claim;
    const isopod_values row = {data, claim->columns, ISOPOD_VALUES_INT32};
    isopod_linear_sum sum = {.place = 0};
    isopod_linear_key key;
    open_device(&key, verifier, 0);
    for (uint32_t r = 0; r < claim->rows; r++) {
        isopod_linear_add(&sum, &key, &row, r * claim->columns, claim->first + r * claim->stride);
    }
    const uint64_t value = isopod_linear_value(&sum, &key, 1u << result->params->log2_ring_degree);
    isopod_wipe(&key, sizeof key);
    isopod_wipe(&sum, sizeof sum);
    return value;
}

static uint32_t is_origin(const isopod_result *result) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, result->manifest, result->manifest_bytes);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    return isopod_equal(digest, result->origin, sizeof digest);
}

/* Whether there is a claim that a tag of the verifier's period proves. */
static uint32_t is_provable(const isopod_linear_verifier *verifier, const isopod_result *result,
                            const isopod_decoded *out) {
    static const uint8_t sum[3] = {'s', 'u', 'm'};
    return result->linear_tag[ISOPOD_LINEAR_TAG_BYTES - 1u] >> 5 == verifier->period % 8u &&
           result->params->plain != NULL && result->layout == ISOPOD_COEFFICIENTS_ROUNDED &&
           out->type == ISOPOD_VALUES_INT32 && result->frames <= MOST_FRAMES &&
           result->job_bytes == sizeof sum && isopod_equal(result->job, sum, sizeof sum) &&
           result->manifest_bytes > 0 && is_origin(result);
}

static isopod_status status_of(const isopod_linear_verifier *verifier, const isopod_result *result,
                               const isopod_decoded *out) {
    if (!is_provable(verifier, result, out)) {
        return ISOPOD_ERROR_NO_PROOF;
    }
    uint64_t sum = isopod_linear_folded(value_of(verifier, result, out->data));
    if (!add_pads(&sum, verifier, result)) {
        return ISOPOD_ERROR_NO_PROOF;
    }
    const uint64_t difference =
        isopod_linear_canonical(sum) ^ isopod_linear_tag_number(result->linear_tag);
    ISOPOD_DECLASSIFY(difference);
    return difference == 0 ? ISOPOD_OK : ISOPOD_ERROR_UNPROVED;
}

static isopod_status prove(const isopod_linear_verifier *verifier, const isopod_result *result,
                           const isopod_decoded *out) {
    const isopod_status status = status_of(verifier, result, out);
    isopod_wipe_stack();
    if (status != ISOPOD_OK) {
        isopod_wipe(out->data, (size_t)out->capacity * sizeof(uint32_t));
    }
    return status;
}

static const isopod_linear_proof of_sum = {prove};

isopod_status isopod_linear_verifier_open(isopod_linear_verifier *verifier, const isopod_key *key,
                                          uint32_t group, uint32_t period) {
    static const uint8_t master_label[] = ISOPOD_HASH_LABEL_LINEAR_MASTER;
    static const uint8_t group_label[] = ISOPOD_HASH_LABEL_LINEAR_GROUP;
    isopod_wipe(verifier, sizeof *verifier);
    if (key->kind != ISOPOD_KEY_SECRET_TERNARY) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    uint8_t number[4];
    isopod_store32(number, group);
    const part of_master[] = {{master_label, sizeof master_label},
                              {(const uint8_t *)key->blob + ISOPOD_KEY_HEADER_BYTES,
                               (size_t)1 << (key->params->log2_ring_degree - 2u)}};
    const part of_group[] = {{group_label, sizeof group_label},
                             {verifier->master, sizeof verifier->master},
                             {number, sizeof number}};
    derive(verifier->master, of_master, 2);
    derive(verifier->group, of_group, 3);
    advance(verifier->group, period);
    isopod_wipe_stack();
    verifier->method = &of_sum;
    verifier->period = period;
    return ISOPOD_OK;
}
