/* Encrypts with one kind of secret marked as undefined memory, so that memcheck reports every
 * branch and every index that depends on it; what is public is declassified by the library itself
 * (ISOPOD_DECLASSIFY). The last line of the output begins with "complete".
 *
 * Usage, under valgrind only: taint key|noise|message|device|owner|tfhe|packet */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#include "../harness/check.h"
#include "../harness/fixture.h"
#include "isopod/receipt.h"
#include "taint_owner.h"
#include "taint_packet.h"
#include "taint_tfhe.h"

#define WIRE_BYTES 131072u
#define PIECE_BYTES 1000u

typedef enum { KEY, NOISE, MESSAGE, DEVICE, OWNER, TFHE, PACKET, SECRETS } secret;

static const char *const secret_names[SECRETS] = {"key",   "noise", "message", "device",
                                                  "owner", "tfhe",  "packet"};

/* At log2_bound 6 the larger set encodes 64-bit messages, at 3 those of 32 bits. */
typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    const isopod_suite *suite;
    uint8_t chunks;
    int8_t log2_bound;
    isopod_value_type type;
    isopod_layout layout;
    uint8_t level;        /* 0: all primes */
    uint8_t has_products; /* of the values, computed on the way */
} plan;

#define SMALL &isopod_ckks_1024x1_sum
#define LARGE &isopod_ckks_4096x2_linear
#define INTEGERS &isopod_bfv_1024x1_count
#define REALS64 &isopod_ckks_8192x3w_sum
#define INTEGERS64 &isopod_bfv_4096x2w_seal_default
#define CHACHA20 &isopod_suite_chacha20
#define SHAKE256 &isopod_suite_shake256
#define SEAL &isopod_suite_seal_shake256
#define ROUNDED ISOPOD_COEFFICIENTS_ROUNDED

static const plan plans[] = {
    {SMALL, ISOPOD_KEY_PUBLIC, CHACHA20, 1, 0, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {SMALL, ISOPOD_KEY_PUBLIC, SHAKE256, 4, -1, ISOPOD_VALUES_FLOAT64, 0, 0, 0},
    {SMALL, ISOPOD_KEY_PUBLIC_SEEDED, CHACHA20, 4, 0, ISOPOD_VALUES_INT32, 0, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_TERNARY, CHACHA20, 1, 0, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_TERNARY, SHAKE256, 4, -1, ISOPOD_VALUES_FLOAT64, 0, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, CHACHA20, 4, 0, ISOPOD_VALUES_INT32, 0, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, SHAKE256, 1, 0, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, SEAL, 2, 0, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {LARGE, ISOPOD_KEY_PUBLIC, CHACHA20, 4, 6, ISOPOD_VALUES_FLOAT64, 0, 0, 0},
    {LARGE, ISOPOD_KEY_PUBLIC_SEEDED, SHAKE256, 1, 6, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_TERNARY, CHACHA20, 4, 6, ISOPOD_VALUES_INT32, 0, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_NTT, SHAKE256, 1, 6, ISOPOD_VALUES_FLOAT64, 0, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_NTT, CHACHA20, 8, 3, ISOPOD_VALUES_FLOAT32, 0, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 6, ISOPOD_VALUES_FLOAT64, ISOPOD_COMPLEX, 0, 0},
    {SMALL, ISOPOD_KEY_PUBLIC, CHACHA20, 4, 0, ISOPOD_VALUES_FLOAT32, ISOPOD_COMPLEX, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_TERNARY, CHACHA20, 2, 6, ISOPOD_VALUES_FLOAT32, ISOPOD_COEFFICIENTS,
     0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_FLOAT64, ISOPOD_COEFFICIENTS, 0,
     0},
    {INTEGERS, ISOPOD_KEY_PUBLIC, CHACHA20, 1, 0, ISOPOD_VALUES_UINT32, 0, 0, 0},
    {INTEGERS, ISOPOD_KEY_PUBLIC_SEEDED, SHAKE256, 4, 0, ISOPOD_VALUES_INT32, ISOPOD_COEFFICIENTS,
     0, 0},
    {INTEGERS, ISOPOD_KEY_SECRET_TERNARY, CHACHA20, 8, 0, ISOPOD_VALUES_INT32, 0, 0, 0},
    {INTEGERS, ISOPOD_KEY_SECRET_NTT, SEAL, 2, 0, ISOPOD_VALUES_UINT32, ISOPOD_COEFFICIENTS, 0, 0},
    {INTEGERS, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_UINT32, ISOPOD_SLOTS_REPEATED,
     0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_INT16, ROUNDED, 0, 0},
    {SMALL, ISOPOD_KEY_PUBLIC_SEEDED, SHAKE256, 1, 0, ISOPOD_VALUES_FLOAT32, ROUNDED, 0, 0},
    {LARGE, ISOPOD_KEY_SECRET_TERNARY, SEAL, 1, 6, ISOPOD_VALUES_FLOAT64, ROUNDED, 0, 0},
    {LARGE, ISOPOD_KEY_PUBLIC, CHACHA20, 2, 0, ISOPOD_VALUES_INT32, ROUNDED, 0, 0},
    {INTEGERS, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_INT32, ROUNDED, 0, 0},
    {INTEGERS, ISOPOD_KEY_PUBLIC, CHACHA20, 2, 0, ISOPOD_VALUES_UINT32, ROUNDED, 0, 0},
    {SMALL, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_FLOAT32, ROUNDED, 0, 1},
    {LARGE, ISOPOD_KEY_PUBLIC, CHACHA20, 2, 0, ISOPOD_VALUES_INT16, ROUNDED, 0, 1},
    {INTEGERS, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 0, ISOPOD_VALUES_INT32, ROUNDED, 0, 1},
    {REALS64, ISOPOD_KEY_SECRET_NTT, CHACHA20, 1, 3, ISOPOD_VALUES_FLOAT64, 0, 1, 0},
    {REALS64, ISOPOD_KEY_PUBLIC, CHACHA20, 8, 3, ISOPOD_VALUES_FLOAT32, ISOPOD_COMPLEX, 1, 0},
    {INTEGERS64, ISOPOD_KEY_SECRET_TERNARY, SHAKE256, 4, 0, ISOPOD_VALUES_INT32, 0, 0, 0},
    {INTEGERS64, ISOPOD_KEY_PUBLIC_SEEDED, CHACHA20, 1, 0, ISOPOD_VALUES_UINT32, 0, 1, 0},
    {INTEGERS64, ISOPOD_KEY_SECRET_NTT, SEAL, 1, 0, ISOPOD_VALUES_INT32, ISOPOD_COEFFICIENTS, 1, 0},
};

static uint8_t wire[WIRE_BYTES];
static uint8_t undefined[WIRE_BYTES];

static _Noreturn void give_up(const char *why) {
    printf("failed: %s\n", why);
    exit(1);
}

static int secret_fill(void *state, uint8_t *out, size_t length) {
    int status = fixture_fill(state, out, length);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(out, length);
    return status;
}

/* Opens the key again, so that the checks of the blob run on the secret, too. */
static void hide_key(fixture *set) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(payload, set->blob_bytes - ISOPOD_KEY_HEADER_BYTES);
    if (fixture_key_open(set, 0) != ISOPOD_OK) {
        give_up("the library refuses the key");
    }
}

static void hide_noise(fixture *set) {
    set->entropy.fill = secret_fill;
}

/* Integers of BFV, and those in rounded coefficients, get both linear tags. */
static void set_linear_key(fixture *set, isopod_value_type type, int is_secret) {
    static isopod_linear_key key;
    isopod_linear_secrets secrets = {.group = "of a group", .device = "of a device"};
    const int are_integers = type != ISOPOD_VALUES_FLOAT32 && type != ISOPOD_VALUES_FLOAT64;
    if (are_integers && (set->config.layout == ROUNDED || set->params->plain != NULL)) {
        if (is_secret) {
            (void)VALGRIND_MAKE_MEM_UNDEFINED(secrets.group, sizeof secrets.group);
            (void)VALGRIND_MAKE_MEM_UNDEFINED(secrets.device, sizeof secrets.device);
        }
        isopod_linear_key_open_columns(&key, &secrets);
        set->config.linear_key = &key;
    }
}

static isopod_values values_of(const fixture *set, const plan *plan) {
    int is_complex = plan->layout == ISOPOD_COMPLEX;
    uint32_t count = is_complex                              ? set->n - 10
                     : plan->layout == ISOPOD_SLOTS_REPEATED ? 256
                                                             : set->n / 2 - 5;
    const float *floats = fixture_values(count, plan->log2_bound, 1);
    double *data = check_memory(count * sizeof(double));
    isopod_values values = {data, count, plan->type};
    for (uint32_t i = 0; i < count; i++) {
        switch (plan->type) {
        case ISOPOD_VALUES_FLOAT32:
            ((float *)data)[i] = floats[i];
            break;
        case ISOPOD_VALUES_FLOAT64:
            data[i] = floats[i];
            break;
        case ISOPOD_VALUES_UINT32:
            ((uint32_t *)data)[i] = 12u * i;
            break;
        case ISOPOD_VALUES_INT16:
            ((int16_t *)data)[i] = (int16_t)floats[i];
            break;
        default:
            ((int32_t *)data)[i] = (int32_t)floats[i];
            break;
        }
    }
    values.count = is_complex ? count / 2 : count;
    return values;
}

static void prepare(fixture *set, const plan *plan) {
    check_memory_reset();
    fixture_open(set, plan->params, plan->kind);
    fixture_configure(set, plan->suite, plan->chunks);
    set->config.log2_bound = plan->log2_bound;
    fixture_layout(set, plan->layout);
    set->config.level = plan->level;
    set->config.fault_check = plan->chunks == 4 ? &isopod_compute_twice : NULL;
    if (plan->layout == ROUNDED) {
        rounded_configure(set);
    } else {
        fixture_workspace(set);
    }
    if (plan->has_products) {
        rounded_configure_products(set);
    }
}

static isopod_status begin_rounded(const fixture *set, isopod_frame *frame,
                                   const isopod_values *values) {
    static isopod_rounded context;
    const isopod_value_source ready = {.values = *values};
    const isopod_value_source source =
        set->config.rounding->columns != 0 ? rounded_products(set, values) : ready;
    isopod_status status = rounded_begin(set, &context, &source);
    return status == ISOPOD_OK ? isopod_rounded_frame_begin(frame, &context) : status;
}

static isopod_status begin(const fixture *set, isopod_frame *frame, const isopod_values *values) {
    static isopod_encryption context;
    if (set->config.layout == ROUNDED) {
        return begin_rounded(set, frame, values);
    }
    isopod_status status = fixture_begin(set, &context, values);
    return status == ISOPOD_OK ? isopod_frame_begin(frame, &context) : status;
}

static size_t encrypt(const fixture *set, const isopod_values *values) {
    isopod_frame frame;
    isopod_piece piece = {0, 0, 0};
    size_t total = 0;
    isopod_status status = begin(set, &frame, values);
    while (status == ISOPOD_OK && total + PIECE_BYTES <= WIRE_BYTES) {
        status = isopod_frame_next(&frame, wire + total, PIECE_BYTES, &piece);
        total += piece.length;
    }
    if (status != ISOPOD_DONE) {
        give_up("the encryption did not end");
    }
    return total;
}

static size_t undefined_bytes(size_t length) {
    size_t count = 0;
    if (VALGRIND_GET_VBITS(wire, undefined, length) != 1) {
        give_up("this program runs under valgrind only");
    }
    for (size_t i = 0; i < length; i++) {
        count += undefined[i] != 0;
    }
    return count;
}

/* Fails unless the secret reached the output; otherwise memcheck's silence shows nothing. */
static void check_output(size_t length) {
    if (undefined_bytes(length) < length / 4) {
        give_up("the secret did not reach the output");
    }
    if (undefined[0] != 0) {
        give_up("the header depends on the secret");
    }
}

static void run_plan(const plan *plan, secret secret) {
    fixture set;
    uint8_t device_key[32] = {9};
    prepare(&set, plan);
    set.sender.key = device_key;
    isopod_values values = values_of(&set, plan);
    set_linear_key(&set, plan->type, secret == DEVICE);
    if (secret == KEY) {
        hide_key(&set);
    } else if (secret == NOISE) {
        hide_noise(&set);
    } else if (secret == MESSAGE) {
        (void)VALGRIND_MAKE_MEM_UNDEFINED(
            values.data, values.count * sizeof(double) * (plan->layout == ISOPOD_COMPLEX ? 2 : 1));
    } else {
        (void)VALGRIND_MAKE_MEM_UNDEFINED(device_key, sizeof device_key);
    }
    check_output(encrypt(&set, &values));
}

/* A receipt under a device key that is undefined; that its tag is wrong is all that comes out. */
static void refuse_receipt(void) {
    uint8_t device_key[32] = {9}, item[ISOPOD_RECEIPT_BYTES] = {0};
    const isopod_sender sender = {.device = 7, .key = device_key};
    isopod_receipt receipt;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(device_key, sizeof device_key);
    if (isopod_receipt_open(&receipt, &sender, item) != ISOPOD_ERROR_AUTHENTICATION) {
        give_up("a receipt with a wrong tag was taken");
    }
}

static int applies(const plan *plan, secret secret) {
    return secret != KEY || plan->kind >= ISOPOD_KEY_SECRET_TERNARY;
}

static secret secret_of(const char *name) {
    for (uint32_t s = 0; s < SECRETS; s++) {
        if (fixture_is_text(name, secret_names[s])) {
            return (secret)s;
        }
    }
    give_up("the argument is none of key, noise, message, device, owner, tfhe, packet");
}

/* The number of runs with this secret. */
static uint32_t run_secret(secret secret) {
    uint32_t runs = 0;
    if (secret == OWNER) {
        return taint_owner();
    }
    if (secret == TFHE) {
        return taint_tfhe();
    }
    if (secret == PACKET) {
        return taint_packet();
    }
    if (secret == DEVICE) {
        refuse_receipt();
        runs++;
    }
    for (uint32_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        if (applies(&plans[i], secret)) {
            run_plan(&plans[i], secret);
            runs++;
        }
    }
    return runs;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        check_memory_reset();
        printf("complete %u\n", run_secret(secret_of(argv[i])));
    }
    return check_summary() == 0 ? 0 : 1;
}
