/* The parts of a packet's encryption (spec/packet.md): its memory, and the steps that fill it. */
#ifndef ISOPOD_SRC_PACKET_PACKET_H
#define ISOPOD_SRC_PACKET_PACKET_H

#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/packet.h"

#include "../backend/backend.h"
#include "../base/program_memory.h"
#include "../random/root.h"
#include "../ring/montgomery.h"
#include "../tag/siphash.h"

#ifndef ISOPOD_PACKET_GROUP
#define ISOPOD_PACKET_GROUP 32u /* elements of the mask that are multiplied at once */
#endif
#define ISOPOD_PACKET_ERRORS 32u /* errors that are sampled at once */
#define ISOPOD_PACKET_BLOCK_WORDS 16u
#define ISOPOD_PACKET_TAG_KEY 32u /* first byte of the tag key in block 0 of a name */

/* The beginning of the workspace. Sums of the stream, or polynomials, follow. */
typedef struct {
    uint64_t sequence; /* of the packet */
    uint32_t epoch;
    uint32_t refill; /* the next word of the refill stream */
    uint16_t used;   /* bytes of the block */
    uint16_t next;   /* block of the mask */
    _Alignas(4) uint8_t mask_seed[ISOPOD_MASK_SEED_BYTES];
    uint8_t tag_key[ISOPOD_PACKET_KEY_BYTES];
    union {
        isopod_noise_key noise; /* the entropy, until the noise key replaces it */
        uint32_t group[ISOPOD_PACKET_GROUP];
    };
    union {
        uint32_t block[ISOPOD_PACKET_BLOCK_WORDS];
        isopod_siphash hash;
        int8_t error[ISOPOD_PACKET_ERRORS];
    };
} isopod_packet_state;

/* The form of a packet, in every scheme. */
typedef struct {
    uint8_t number;
    uint8_t naming;
    uint8_t device_bytes;
    uint8_t tag_bytes;
} isopod_packet_form;

/* The values that the hedge of a packet covers. */
typedef struct {
    const void *bytes;
    size_t length;
    uint8_t type;
    uint8_t unit;
} isopod_packet_input;

/* A sum of the stream, |sum| < 2^46. */
#if ISOPOD_BACKEND_IS(avr)
typedef struct {
    uint32_t low;
    int16_t high;
} isopod_packet_sum;
#else
typedef int64_t isopod_packet_sum;
#endif

/* One packet in progress. */
typedef struct {
    const isopod_packet_config *config;
    const isopod_prime *prime;
    isopod_packet_state *state;
    const isopod_values *values;
} isopod_packet;

/* Both kinds of tables lie in program memory: ISOPOD_PROGRAM_READ reads them. */
struct isopod_packet_scheme {
    uint8_t kind; /* of the packets as frames */
    isopod_status (*check)(const isopod_packet_config *config);
    /* The bound that the context says. */
    int32_t (*bound)(const isopod_packet_config *config);
    isopod_status (*check_values)(const isopod_packet_config *config, const isopod_values *values);
    /* The message of a value, |m| <= q/2. */
    int32_t (*message)(const isopod_packet *packet, int32_t value);
};

struct isopod_packet_method {
    /* Whether the tables belong to the set; NULL where there is no need of any. */
    uint32_t (*has_tables)(const isopod_packet_config *config);
    size_t (*workspace_bytes)(const isopod_packet_config *config);
    /* Computes a*s - e - m at the places that are sent. */
    void (*multiply)(const isopod_packet *packet);
    /* Takes a message with its error, |addend| < 2^30, off the place number `index` of those that
     * are sent. */
    void (*subtract)(const isopod_packet *packet, uint32_t index, int32_t addend);
    /* The sum at place number `index` afterwards: congruent modulo q, |result| < 2^45. */
    int64_t (*product)(const isopod_packet *packet, uint32_t index);
};

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result >= 1 && (config->rows != 0 ==> \result == config->rows); */
static inline uint32_t isopod_packet_rows(const isopod_packet_config *config) {
    return config->rows != 0 ? config->rows : 1u;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == (config->stride != 0 ? config->stride : config->columns); */
static inline uint32_t isopod_packet_stride(const isopod_packet_config *config) {
    return config->stride != 0 ? config->stride : config->columns;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == (config->run != 0 ? config->run : config->columns); */
static inline uint32_t isopod_packet_run(const isopod_packet_config *config) {
    return config->run != 0 ? config->run : config->columns;
}

/* Coefficients that are sent. */
static inline uint32_t isopod_packet_coefficients(const isopod_packet_config *config) {
    return isopod_packet_rows(config) * isopod_packet_run(config);
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result.number == config->number && \result.naming == config->naming;
    ensures \result.tag_bytes == (config->tag_bytes != 0 ? config->tag_bytes : 8); */
static inline isopod_packet_form isopod_packet_form_of(const isopod_packet_config *config) {
    const isopod_packet_form form = {config->number, config->naming, config->device_bytes,
                                     config->tag_bytes != 0 ? config->tag_bytes : 8u};
    return form;
}

/*@ requires \valid_read(form);
    assigns \nothing;
    ensures \result == (form->naming == ISOPOD_NAMED_BY_RANDOM ? 4 : 2); */
static inline uint32_t isopod_packet_counter_bytes(const isopod_packet_form *form) {
    return form->naming == ISOPOD_NAMED_BY_RANDOM ? 4u : 2u;
}

/* Bytes around the body. */
static inline uint32_t isopod_packet_frame_bytes(const isopod_packet_form *form) {
    return 1u + form->device_bytes + isopod_packet_counter_bytes(form) + form->tag_bytes;
}

static inline uint32_t isopod_packet_body_bytes(const isopod_packet_config *config) {
    return (isopod_packet_coefficients(config) * (config->params->primes->bits - config->dropped) +
            7u) /
           8u;
}

/* Checks everything that does not change from packet to packet. */
isopod_status isopod_packet_check(const isopod_packet_config *config, const isopod_sender *sender);

/* Checks number, naming, lengths, and whether the device's number fits. */
isopod_status isopod_packet_check_form(const isopod_packet_form *form, uint64_t device);

/* Takes the next sequence, of flash if there is a counter. The errors of a counter, and
 * ISOPOD_ERROR_SENDER if none is left. */
isopod_status isopod_packet_take_name(isopod_sender *sender, isopod_packet_counter *counter,
                                      isopod_frame_name *name);

/* Derives block `last` of a name from the key of a context. */
void isopod_packet_block(uint32_t block[ISOPOD_CHACHA20_WORDS],
                         const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES], uint32_t epoch,
                         uint64_t sequence, uint32_t last);

/* Takes entropy, name and keys of a packet. ISOPOD_ERROR_ENTROPY, _SENDER, and the errors of a
 * counter. */
isopod_status isopod_packet_take(isopod_packet_state *state, const isopod_packet_form *form,
                                 const isopod_packet_input *input,
                                 const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES],
                                 const isopod_packet_encryptor *encryptor);

/* Writes context, device and counter; returns their end. */
uint8_t *isopod_packet_put_header(uint8_t *at, const isopod_packet_form *form, uint64_t device,
                                  uint64_t sequence);
/* Writes the tag of the bytes from `out` on behind their end. The hash holds secrets, and may lie
 * in front of the key. */
void isopod_packet_put_tag(isopod_siphash *hash, const uint8_t key[ISOPOD_PACKET_KEY_BYTES],
                           const isopod_packet_form *form, const uint8_t *out, uint8_t *end);

/* Derives the key of a context from its description. */
void isopod_packet_derive(uint8_t key[ISOPOD_CONTEXT_KEY_BYTES], const uint8_t *description,
                          size_t length, const uint8_t *device_key);
/* Derives the root of a context's pads in the same way. */
void isopod_packet_derive_root(uint8_t root[ISOPOD_PAD_KEY_BYTES], const uint8_t *description,
                               size_t length, const uint8_t *pad_key);
/* Adds announcement and tag to a description in `item`; returns the end. */
uint8_t *isopod_packet_seal(uint8_t *item, uint8_t *end, const isopod_sender *sender);
/* Copies an item to the caller. ISOPOD_ERROR_CAPACITY. */
isopod_status isopod_packet_give(const uint8_t *item, const uint8_t *end, uint8_t *out,
                                 size_t capacity, size_t *length);

/* Starts the mask, and gives its next elements in `group`. Public. */
void isopod_packet_mask_start(isopod_packet_state *state);
void isopod_packet_mask_group(isopod_packet_state *state, const isopod_prime *prime);

/* Unpacks a group from its bytes, aligned, at the end of `group`. Not zero if any field is not
 * below the modulus. */
uint32_t isopod_packet_fields(uint32_t group[ISOPOD_PACKET_GROUP], const uint8_t *bytes,
                              const isopod_prime *prime);

/* Samples errors 32 * group .. 32 * group + 31. */
void isopod_packet_sample(isopod_packet_state *state, uint32_t group);

/* sums[j] += the product of the group with the key at place first + j, j < count. The key has 2
 * bits a coefficient, value + 1. */
typedef struct {
    const uint32_t *key;
    uint32_t n;
    uint32_t at; /* number of the group's first element */
    uint32_t first, count;
} isopod_packet_place;

void isopod_packet_accumulate(isopod_packet_sum *sums, const uint32_t group[ISOPOD_PACKET_GROUP],
                              const isopod_packet_place *place);

/* Takes messages and errors off all places that are sent. Replaces the block. */
void isopod_packet_subtract_messages(const isopod_packet *packet);

static inline int32_t isopod_packet_value_at(const isopod_values *values, uint32_t index) {
    return values->type == ISOPOD_VALUES_INT16 ? ((const int16_t *)values->data)[index]
                                               : ((const int32_t *)values->data)[index];
}

/* Writes the body. */
void isopod_packet_put_body(const isopod_packet *packet, uint8_t *out);

/* Overwrites the stack below the caller, to the depth of a packet's calls. */
void isopod_packet_wipe_stack(void);

#endif
