#include "result_input.h"

#include "../../src/cbor/cbor.h"
#include "../../src/random/chacha20.h"
#include "../../src/random/keccak.h"
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../../src/ring/inverse_ntt.h"
#include "../../src/ring/power.h"
#include "../../src/tag/poly1305.h"
#include "../../src/base/workspace.h"
#include "check.h"
#include "result_residues.h"

#define TAG_ITEM 17u

const uint8_t *result_link_key(void) {
    static uint8_t key[32];
    fixture_bytes(key, 0xd0, sizeof key);
    return key;
}

isopod_values result_values(const fixture *set, const result_input *input) {
    const isopod_prime *plain = set->params->plain;
    return plain != NULL ? vector_integers(input->pattern, set->n, plain->modulus)
                         : vector_values("f32", input->pattern, set->n, input->log2_bound);
}

static uint32_t is_rounded(const result_input *input) {
    return input->layout == ISOPOD_COEFFICIENTS_ROUNDED;
}

/* v of spec/bfv.md as begin leaves it at the beginning of the workspace, apart from the noise. */
static void integer_words(const fixture *set, const result_input *input, int64_t *out) {
    fixture encoder = *set;
    isopod_values values = result_values(set, input);
    isopod_encryption context;
    encoder.config.level = input->claim.primes;
    fixture_layout(&encoder, is_rounded(input) ? ISOPOD_COEFFICIENTS : input->layout);
    encoder.config.chunks = 8;
    fixture_workspace(&encoder);
    CHECK(isopod_bfv_begin(&context, &encoder.config, &encoder.encryptor, &values) == ISOPOD_OK);
    for (uint32_t i = 0; i < set->n; i++) {
        out[i] = ((const int32_t *)isopod_workspace_room(&encoder.encryptor.workspace))[i];
    }
    isopod_bfv_abort(&context);
}

/* To the nearest integer, ties to even, for |value| < 2^62. */
static int64_t nearest(double value) {
    int64_t whole = (int64_t)value;
    double rest = value - (double)whole;
    int64_t away = value < 0 ? -1 : 1;
    double size = rest < 0 ? -rest : rest;
    return size > 0.5 || (size == 0.5 && (whole & 1) != 0) ? whole + away : whole;
}

/* The message of CKKS in layout 5: n numbers of the rule f32 times the claim's scale. */
static void rounded_words(const fixture *set, const result_input *input, int64_t *words) {
    const isopod_values values = vector_numbers("f32", set->n, input->log2_bound);
    union {
        uint64_t bits;
        double value;
    } scale = {input->claim.scale};
    for (uint32_t i = 0; i < set->n; i++) {
        words[i] = nearest((double)((const float *)values.data)[i] * scale.value);
    }
}

static const int64_t *words_of(const fixture *set, const result_input *input) {
    int64_t *words = check_memory((size_t)8 * set->n);
    size_t mark = check_memory_mark();
    if (set->params->plain != NULL) {
        integer_words(set, input, words);
    } else if (is_rounded(input)) {
        rounded_words(set, input, words);
    } else {
        fixture encoder = *set;
        isopod_values values = result_values(set, input);
        encoder.config.log2_scale = (uint8_t)input->log2_scale;
        encoder.config.log2_bound = (int8_t)input->log2_bound;
        fixture_words(&encoder, &values, words);
    }
    check_memory_release(mark);
    return words;
}

static result_proof proof = {"mean of readings", result_ranges, NULL};

const uint32_t result_ranges[15] = {1001, 3, 42, 44, 4, 1001, 3, 47, 47, 4, 1002, 1, 0, 0, 5};

void result_prove(const result_proof *given) {
    static const result_proof usual = {"mean of readings", result_ranges, NULL};
    proof = given != NULL ? *given : usual;
}

static uint8_t *write_numbers(uint8_t *at, const uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, numbers[i]);
    }
    return at;
}

static uint8_t *write_counting(uint8_t *at, uint8_t first) {
    uint8_t bytes[16];
    fixture_bytes(bytes, first, sizeof bytes);
    return isopod_cbor_bytes(at, bytes, sizeof bytes);
}

static uint8_t *write_job(uint8_t *at) {
    const char *job = proof.job;
    uint32_t length = 0;
    while (job[length] != 0) {
        length++;
    }
    at = isopod_cbor_head(at, ISOPOD_CBOR_TEXT, length);
    isopod_copy(at, (const uint8_t *)job, length);
    return at + length;
}

static uint8_t *write_float(uint8_t *at, uint64_t bits) {
    *at++ = 0xfb;
    for (uint32_t i = 0; i < 8; i++) {
        *at++ = (uint8_t)(bits >> (56 - 8 * i));
    }
    return at;
}

static uint8_t *write_digest(uint8_t *at, const uint8_t *text, size_t length) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, text, length);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    return isopod_cbor_bytes(at, digest, sizeof digest);
}

/* The digest of the label and [set_id, job, 2, 0.5]. */
static uint8_t *write_request(const fixture *set, uint8_t *at) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_REQUEST;
    uint8_t text[80], *end = text + sizeof label;
    isopod_copy(text, label, sizeof label);
    end = isopod_cbor_head(end, ISOPOD_CBOR_ARRAY, 4);
    end = isopod_cbor_bytes(end, set->params->set_id, ISOPOD_SET_ID_BYTES);
    end = isopod_cbor_head(write_job(end), ISOPOD_CBOR_UNSIGNED, 2);
    end = write_float(end, 0x3fe0000000000000u);
    return write_digest(at, text, (size_t)(end - text));
}

/* Frames, origin and manifest. */
static uint8_t *write_origin(uint8_t *at) {
    uint8_t text[80], *end = isopod_cbor_head(text, ISOPOD_CBOR_ARRAY, 15);
    end = write_numbers(end, proof.ranges, 15);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, 5);
    at = write_digest(at, text, (size_t)(end - text));
    return isopod_cbor_bytes(at, text, (uint32_t)(end - text));
}

static uint64_t float_bits(double value) {
    union {
        double value;
        uint64_t bits;
    } number = {value};
    return number.bits;
}

static uint8_t *write_provenance(const fixture *set, const result_input *input, uint8_t *at) {
    static const uint32_t numbers[3] = {9, 1, 3};
    const isopod_prime *plain = set->params->plain;
    double bound = plain != NULL ? (double)(plain->modulus / 2u) : 1.0;
    for (uint32_t i = 0; i < input->log2_bound; i++) {
        bound *= 2.0;
    }
    at = write_numbers(write_counting(at, 0x11), numbers, 3);
    at = write_request(set, write_counting(at, 0x22));
    at = write_counting(write_origin(write_job(at)), 0x70);
    at = write_float(at, float_bits(bound));
    return write_float(at, float_bits(plain != NULL ? 0.0 : 1.0 / 1024));
}

static uint8_t *write_head(const fixture *set, const result_input *input, uint8_t *at) {
    const isopod_claim *claim = &input->claim;
    const uint32_t grid[7] = {is_rounded(input) ? ISOPOD_COEFFICIENTS_ROUNDED : ISOPOD_SLOTS,
                              claim->first,
                              claim->rows,
                              claim->columns,
                              claim->stride,
                              input->dropped[0],
                              input->dropped[1]};
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_RESULT_FIELDS);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_KIND_RESULT);
    at = isopod_cbor_bytes(at, set->params->set_id, ISOPOD_SET_ID_BYTES);
    at = isopod_cbor_bytes(at, (const uint8_t *)set->blob + ISOPOD_KEY_OFFSET_KEY_ID,
                           ISOPOD_KEY_ID_BYTES);
    at = write_provenance(set, input, write_counting(at, 0x50));
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, claim->primes);
    return write_numbers(write_float(at, claim->scale), grid, 7);
}

static uint32_t residue_bytes(const fixture *set, const result_input *input) {
    return set->n / 8 * isopod_parameters_data_bits(set->params, input->claim.primes);
}

/* The packed residues of c0 and of c1, each behind its head. */
static uint8_t *write_residues(const fixture *set, const result_input *input, uint8_t *at) {
    uint32_t total = residue_bytes(set, input), refill = 0;
    uint8_t *c0 = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, total);
    uint8_t *c1 = isopod_cbor_head(c0 + total, ISOPOD_CBOR_BYTES, total);
    size_t mark = check_memory_mark();
    result_message message = {words_of(set, input), input->raised};
    for (uint8_t j = 0; j < input->claim.primes; j++) {
        uint8_t *const out[2] = {c0, c1};
        uint32_t bytes = (isopod_parameters_has_primes64(set->params)
                              ? result_residues64
                              : result_residues)(set, &message, j, &refill, out);
        c0 += bytes;
        c1 += bytes;
    }
    check_memory_release(mark);
    return c1;
}

/* Canonical coefficients of residues in NTT order. */
static void transform_back(uint32_t *x, const isopod_ntt *ntt) {
    isopod_inverse_ntt((isopod_word *)x, ntt, isopod_inverse_ntt_factor(ntt));
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = isopod_canonical((isopod_word)x[i], ntt->prime);
    }
}

/* The number below the product of both primes. */
static uint64_t combined(uint32_t x, uint32_t y, const isopod_prime *primes) {
    const isopod_prime *second = &primes[1];
    isopod_word inverse = isopod_montgomery_power(isopod_to_montgomery(primes[0].modulus, second),
                                                  second->modulus - 2u, second);
    isopod_word digit = isopod_montgomery((isopod_word)y - (isopod_word)x, inverse, second);
    return (uint64_t)isopod_canonical(digit, second) * primes[0].modulus + x;
}

typedef struct {
    uint8_t *out;
    uint64_t modulus;
    uint32_t dropped, kept, at; /* bits written */
} rounded_packer;

static void pack_rounded(rounded_packer *to, uint64_t coefficient) {
    uint64_t value = (coefficient + ((uint64_t)1 << to->dropped >> 1)) >> to->dropped;
    value = value << to->dropped >= to->modulus ? 0 : value;
    for (uint32_t b = 0; b < to->kept; b++, to->at++) {
        to->out[to->at / 8] = (uint8_t)((to->at % 8 == 0 ? 0 : to->out[to->at / 8]) |
                                        (value >> b & 1u) << to->at % 8);
    }
}

/* Coefficients of c0 or c1, one array for each prime. */
static uint64_t coefficient(const fixture *set, uint32_t *const x[2], uint32_t primes, uint32_t i) {
    return primes == 1 ? x[0][i] : combined(x[0][i], x[1][i], set->params->primes);
}

static rounded_packer rounded_packer_of(const fixture *set, const result_input *input,
                                        uint32_t component, uint8_t *out) {
    uint32_t primes = input->claim.primes, dropped = input->dropped[component];
    rounded_packer to = {out, isopod_parameters_product(set->params, primes), dropped,
                         isopod_parameters_product_bits(set->params, primes) - dropped, 0};
    return to;
}

/* Rounded and packed c0, at the places of the claim, and c1. */
static uint8_t *rounded_answers(const fixture *set, const result_input *input, const int64_t *words,
                                uint8_t *at) {
    const isopod_claim *claim = &input->claim;
    const result_message message = {words, 0};
    uint32_t *x[2][2], refill = 0, count = claim->rows * claim->columns;
    for (uint8_t j = 0; j < claim->primes; j++) {
        const isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, j);
        x[0][j] = check_memory((size_t)4 * set->n);
        x[1][j] = check_memory((size_t)4 * set->n);
        result_polynomials(set, &message, j, &refill, x[0][j], x[1][j]);
        transform_back(x[0][j], &ntt);
        transform_back(x[1][j], &ntt);
    }
    for (uint32_t c = 0; c < 2; c++) {
        rounded_packer to = rounded_packer_of(set, input, c, at);
        uint32_t length = c == 0 ? count : set->n;
        uint32_t linear = c == 1 && proof.linear_tag != NULL ? ISOPOD_LINEAR_TAG_BYTES : 0;
        to.out = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, (length * to.kept + 7) / 8 + linear);
        for (uint32_t i = 0; i < length; i++) {
            uint32_t row = i / claim->columns * claim->stride + claim->first;
            uint32_t place = c == 0 ? row + i % claim->columns : i;
            pack_rounded(&to, coefficient(set, x[c], claim->primes, place));
        }
        at = to.out + (length * to.kept + 7) / 8;
        for (uint32_t i = 0; i < linear; i++) {
            *at++ = proof.linear_tag[i];
        }
    }
    return at;
}

size_t result_residues_offset(const fixture *set, const result_input *input, size_t bytes) {
    uint8_t head[9];
    uint32_t total = residue_bytes(set, input);
    size_t head_bytes = (size_t)(isopod_cbor_head(head, ISOPOD_CBOR_BYTES, total) - head);
    return bytes - TAG_ITEM - 2 * (size_t)total - head_bytes;
}

/* Tag of spec/wire.md, section 2, on the primitives, as in spec/model/authentication.py. */
void result_seal(uint8_t *item, size_t bytes) {
    size_t length = bytes - TAG_ITEM, padded = (length + 15) / 16 * 16;
    size_t mark = check_memory_mark();
    uint8_t *text = check_memory(padded + 16), subkey[32], tag[16];
    uint32_t key[16], accumulator[5], multiplier[4];
    const uint32_t input[4] = {0, 0, 0, 1};
    isopod_copy(text, item, length);
    isopod_store64(text + padded, length);
    isopod_hchacha20(subkey, result_link_key(), item + ISOPOD_RESULT_NONCE_OFFSET);
    isopod_chacha20_block(key, subkey, input);
    isopod_poly1305_start(accumulator, multiplier, key);
    isopod_poly1305_blocks(accumulator, multiplier, text, padded / 16 + 1);
    isopod_poly1305_finish(tag, accumulator, key + 4);
    (void)isopod_cbor_bytes(item + length, tag, sizeof tag);
    check_memory_release(mark);
}

uint8_t *result_item(const fixture *set, const result_input *input, size_t *bytes) {
    uint8_t *item = check_memory(512 + 2 * (size_t)residue_bytes(set, input));
    uint8_t *head = write_head(set, input, item);
    uint8_t *end = is_rounded(input) ? rounded_answers(set, input, words_of(set, input), head)
                                     : write_residues(set, input, head);
    *bytes = (size_t)(end - item) + TAG_ITEM;
    result_seal(item, *bytes);
    return item;
}

const isopod_decoder *result_decoder(const isopod_params *params) {
    if (isopod_parameters_has_primes64(params)) {
        return params->plain != NULL ? &isopod64_bfv_decode : &isopod64_ckks_decode;
    }
    return params->plain != NULL ? &isopod_bfv_decode : &isopod_ckks_decode;
}

static const isopod_decoder *decoder_of(const fixture *set, const result_input *input) {
    return is_rounded(input) && set->params->plain == NULL ? &isopod_ckks_decode_coefficients
                                                           : result_decoder(set->params);
}

static isopod_workspace latest;

isopod_decrypt_config result_config(const fixture *set, const result_input *input) {
    uint32_t ternary = set->key.kind == ISOPOD_KEY_SECRET_TERNARY;
    size_t bytes = isopod_parameters_has_primes64(set->params)
                       ? ISOPOD64_DECRYPT_WORKSPACE(set->n, input->claim.primes, ternary)
                       : ISOPOD_DECRYPT_WORKSPACE(set->n, input->claim.primes, ternary);
    latest = (isopod_workspace){check_memory(bytes), bytes};
    isopod_decrypt_config config = {.params = set->params,
                                    .tables = &set->tables,
                                    .key = &set->key,
                                    .decoder = decoder_of(set, input),
                                    .log2_bound = (int8_t)input->log2_bound,
                                    .layout = input->layout};
    return config;
}

isopod_workspace *result_workspace(void) {
    return &latest;
}
