/* Sealed results by the rules of spec/vectors/decoding.json. */
#ifndef ISOPOD_TEST_RESULT_INPUT_H
#define ISOPOD_TEST_RESULT_INPUT_H

#include "isopod/result.h"
#include "vector_input.h"

/* Contents of a result. The message is the pattern (number rule f32; under BFV the number rule of n
 * values) encoded at log2_scale and log2_bound, or in the layout, plus noise; in layout 5 numbers
 * times the claim's scale (spec/vectors/rounded.json). */
typedef struct {
    const char *pattern;
    uint32_t log2_scale;
    uint32_t log2_bound;
    isopod_claim claim;
    uint32_t raised;
    uint8_t layout;
    uint8_t dropped[2]; /* layout 5 */
} result_input;

/* Job, names and linear tag of a result. */
typedef struct {
    const char *job;
    const uint32_t *ranges;    /* three of the manifest, five numbers each */
    const uint8_t *linear_tag; /* NULL: none */
} result_proof;

/* Sequences 42 to 44 and 47 of one device, 0 of another. */
extern const uint32_t result_ranges[15];

/* Items from now on have these; NULL: "mean of readings", result_ranges and no tag. */
void result_prove(const result_proof *proof);

/* The link key, 32 bytes from 0xd0. */
const uint8_t *result_link_key(void);

/* The item of a set whose secret key in NTT form is open; *bytes is its length. Memory from
 * check_memory. */
uint8_t *result_item(const fixture *set, const result_input *input, size_t *bytes);

/* Writes the tag of an item that is complete but for it. */
void result_seal(uint8_t *item, size_t bytes);

/* Offset of the residues of c0 in an item of these inputs. */
size_t result_residues_offset(const fixture *set, const result_input *input, size_t bytes);

/* The values that go into the message. */
isopod_values result_values(const fixture *set, const result_input *input);

/* The decoder of all results of the set. */
const isopod_decoder *result_decoder(const isopod_params *params);

/* A configuration for the fixture's key. */
isopod_decrypt_config result_config(const fixture *set, const result_input *input);

/* A workspace of exactly the bytes that the macro promises for the last configuration. */
isopod_workspace *result_workspace(void);

#endif
