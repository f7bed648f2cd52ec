/* No copy of the secrets of a packet of TFHE stays on the stack or in its workspace, after a packet
 * and after a refusal of its entropy. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/tfhe_packet.h"

#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../harness/trace_search.h"

#include "../../src/packet/tfhe_packet.h"
#include "../../src/random/chacha20.h"
#include "../../src/tfhe/tfhe_message.h"

#define WORKSPACE 2048u
#define SEQUENCE 42u

typedef struct {
    tfhe_fixture set;
    isopod_tfhe_values values;
    isopod_tfhe_packet_config config;
    isopod_tfhe_packet_context context;
    isopod_packet_encryptor encryptor;
    uint8_t out[512];
    isopod_status status;
} encryption;

static void open(void *with) {
    encryption *run = with;
    run->status = isopod_tfhe_packet_open(&run->context, &run->config, &run->set.sender);
}

static void encrypt(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_tfhe_packet_encrypt(&run->context, &run->encryptor, &run->values, run->out,
                                             sizeof run->out, &length);
}

/* The entropy of the first packet comes again. */
static void repeat(encryption *run) {
    const isopod_entropy again = {run->set.entropy.fill, run->set.entropy.state, {0}, 0};
    *(uint8_t *)run->set.entropy.state = 0;
    run->set.entropy = again;
    run->set.sender.sequence = SEQUENCE;
}

/* The secrets of the next packet, in memory of their own. */
static void expect(encryption *run, secret_list *secrets) {
    isopod_packet_state *state = check_memory(sizeof *state);
    uint32_t *blocks = check_memory(WORKSPACE), *names = check_memory(64);
    uint8_t *entropy = check_memory(ISOPOD_ENTROPY_BYTES);
    const isopod_packet_form form = isopod_tfhe_packet_form_of(&run->config);
    const isopod_packet_input input = {blocks, (run->context.coefficients + 3u) / 4u, 0, 0};
    isopod_tfhe_message_pack(blocks, run->config.params, &run->values);
    CHECK(isopod_packet_take(state, &form, &input, run->context.key, &run->encryptor) == ISOPOD_OK);
    fixture_bytes(entropy, 0, ISOPOD_ENTROPY_BYTES);
    isopod_packet_block(names, run->context.key, state->epoch, state->sequence, 0);
    secrets->count = 0;
    add_secret(secrets, "entropy", entropy, ISOPOD_ENTROPY_BYTES);
    add_secret(secrets, "noise key", state->noise.bytes, 32);
    add_secret(secrets, "tag key", state->tag_key, 16);
    add_secret(secrets, "hedge key", (const uint8_t *)(names + 12), 16);
    add_secret(secrets, "key", run->set.blob + ISOPOD_KEY_HEADER_BYTES / 4, 256);
    add_secret(secrets, "context key", run->context.key, 32);
    add_secret(secrets, "device key", run->set.sender.key, 32);
    repeat(run);
}

static void prepare(encryption *run, const isopod_tfhe_params *params) {
    uint8_t *device_key = check_memory(32);
    fixture_bytes(device_key, 0x41, 32);
    tfhe_fixture_open(&run->set, params, TFHE_STREAM);
    run->set.sender.key = device_key;
    run->values = tfhe_fixture_values("2*16");
    const isopod_tfhe_packet_config config = {.params = params,
                                              .key = &run->set.key,
                                              .schema = &run->values,
                                              .accept_label = params->label,
                                              .device_bytes = 4};
    const isopod_packet_encryptor encryptor = {.workspace = {check_memory(WORKSPACE), WORKSPACE},
                                               .entropy = &run->set.entropy,
                                               .sender = &run->set.sender};
    run->config = config;
    run->encryptor = encryptor;
    repeat(run);
}

static void check_set(const isopod_tfhe_params *params) {
    secret_list secrets;
    check_memory_reset();
    encryption *run = check_memory(sizeof *run);
    prepare(run, params);
    open(run);
    CHECK(run->status == ISOPOD_OK);
    expect(run, &secrets);
    check_search(&secrets.items[1]);
    run_and_search(open, run, &secrets, 0);
    run_and_search(encrypt, run, &secrets, 1);
    CHECK(run->status == ISOPOD_OK);
    search_memory(run->encryptor.workspace.memory, WORKSPACE, &secrets, secrets.count);
    search_memory(run->out, sizeof run->out, &secrets, secrets.count);
    *(uint8_t *)run->set.entropy.state = 0;
    run_and_search(encrypt, run, &secrets, 2);
    CHECK(run->status == ISOPOD_ERROR_ENTROPY);
    search_memory(run->encryptor.workspace.memory, WORKSPACE, &secrets, secrets.count);
}

void test_tfhe_packet_traces(void) {
    check_set(&isopod_tfhe_1024_tuniform);
    check_set(&isopod_tfhe_2048_tfhe_rs);
}
