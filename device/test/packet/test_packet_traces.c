/* No copy of a packet's secrets stays on the stack or in its workspace, after a packet and after a
 * refusal of its entropy. */
#include "../harness/check.h"
#include "packet_input.h"
#include "../harness/tests.h"
#include "../harness/trace_search.h"

#include "../../src/packet/packet.h"
#include "../../src/random/chacha20.h"
#include "../../src/random/noise.h"

typedef struct {
    packet_fixture *fixture;
    uint8_t out[64];
    isopod_status status;
} encryption;

static void encrypt(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_packet_encrypt(&run->fixture->context, &run->fixture->encryptor,
                                        &run->fixture->values, run->out, sizeof run->out, &length);
}

static void open(void *with) {
    packet_fixture *fixture = ((encryption *)with)->fixture;
    ((encryption *)with)->status =
        isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender);
}

/* The secrets of the next packet, in memory of their own. */
static void expect(packet_fixture *fixture, secret_list *secrets) {
    isopod_packet_state *state = check_memory(sizeof *state);
    uint8_t *entropy = check_memory(ISOPOD_ENTROPY_BYTES);
    uint32_t *names = check_memory(sizeof(uint32_t) * ISOPOD_CHACHA20_WORDS); /* block P */
    const isopod_packet_form form = isopod_packet_form_of(&fixture->config);
    const isopod_packet_input input = {
        fixture->values.data, fixture->values.count * sizeof(int16_t),
        (uint8_t)fixture->values.type, (uint8_t)fixture->config.log2_unit};
    fixture_bytes(entropy, 0, ISOPOD_ENTROPY_BYTES);
    CHECK(isopod_packet_take(state, &form, &input, fixture->context.key, &fixture->encryptor) ==
          ISOPOD_OK);
    const uint32_t name[4] = {state->epoch, (uint32_t)state->sequence,
                              (uint32_t)(state->sequence >> 32), 0};
    isopod_chacha20_block(names, fixture->context.key, name);
    isopod_packet_sample(state, 0);
    secrets->count = 0;
    add_secret(secrets, "entropy", entropy, ISOPOD_ENTROPY_BYTES);
    add_secret(secrets, "noise key", state->noise.bytes, 32);
    add_secret(secrets, "tag key", state->tag_key, 16);
    add_secret(secrets, "hedge key", (const uint8_t *)(names + 12), 16);
    add_secret(secrets, "errors", state->error, 32);
    add_secret(secrets, "key", fixture->set.blob + ISOPOD_KEY_HEADER_BYTES / 4, 256);
    add_secret(secrets, "context key", fixture->context.key, 32);
    add_secret(secrets, "device key", fixture->set.sender.key, 32);
    packet_repeat(fixture);
}

static void check_run(encryption *run, const isopod_packet_method *method) {
    packet_fixture *fixture = run->fixture;
    secret_list secrets;
    const isopod_workspace *workspace = &fixture->encryptor.workspace;
    fixture->config.method = method;
    packet_workspace(fixture);
    packet_repeat(fixture);
    open(run);
    CHECK(run->status == ISOPOD_OK);
    expect(fixture, &secrets);
    check_search(&secrets.items[1]);
    run_and_search(open, run, &secrets, 0);
    run_and_search(encrypt, run, &secrets, 1);
    CHECK(run->status == ISOPOD_OK);
    search_memory(workspace->memory, workspace->bytes, &secrets, secrets.count);
    search_memory(run->out, sizeof run->out, &secrets, secrets.count);
    *(uint8_t *)fixture->set.entropy.state = 0;
    run_and_search(encrypt, run, &secrets, 2);
    CHECK(run->status == ISOPOD_ERROR_ENTROPY);
    search_memory(workspace->memory, workspace->bytes, &secrets, secrets.count);
}

void test_packet_traces(void) {
    static const isopod_params *const sets[2] = {&isopod_ckks_1024x1_sum, &isopod_bfv_1024x1_count};
    for (uint32_t s = 0; s < 2; s++) {
        packet_fixture fixture;
        check_memory_reset();
        packet_fixture_open(&fixture, sets[s]);
        encryption *run = check_memory(sizeof *run);
        run->fixture = &fixture;
        check_run(run, &isopod_packet_stream);
        check_run(run, &isopod_packet_transform);
    }
}
