/* No copy of a packet's pads and keys stays on the stack, inside of sixteen sequences and where a
 * packet crosses to the next ones. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/trace_search.h"
#include "pad_input.h"

#include "../../src/pad/pad.h"

typedef struct {
    pad_fixture fixture;
    uint8_t root[ISOPOD_PAD_KEY_BYTES];
    uint8_t out[64];
    isopod_status status;
} encryption;

static void encrypt(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_pad_encrypt(&run->fixture.context, &run->fixture.encryptor,
                                     &run->fixture.values, run->out, sizeof run->out, &length);
}

static void open(void *with) {
    encryption *run = with;
    pad_fixture *fixture = &run->fixture;
    run->status =
        isopod_pad_derive(&fixture->keys, &fixture->config, &fixture->sender, fixture->pad_key);
    CHECK(isopod_pad_open(&fixture->context, &fixture->config, &fixture->sender, &fixture->keys) ==
          ISOPOD_OK);
}

static void step(void *with) {
    isopod_pad_ratchet(((encryption *)with)->root);
}

/* The secrets of a sequence, in memory of their own. */
static void expect(pad_fixture *fixture, uint32_t sequence, secret_list *secrets) {
    uint32_t *stream = check_memory(64), *block = check_memory(64);
    isopod_pad_context *context = check_memory(sizeof *context);
    uint8_t *body = check_memory(2 * PAD_COLUMNS);
    *context = fixture->context;
    context->sequence = sequence;
    isopod_pad_add(context, body, 0, stream);
    isopod_packet_block(block, fixture->keys.key, fixture->sender.epoch, sequence, 0);
    add_secret(secrets, "node", context->node, sizeof context->node);
    add_secret(secrets, "pad", (uint8_t *)stream, 64);
    add_secret(secrets, "tag key, and what follows", (uint8_t *)block + ISOPOD_PACKET_TAG_KEY, 32);
}

static void check_sequence(encryption *run, uint32_t sequence) {
    pad_fixture *fixture = &run->fixture;
    secret_list secrets = {.count = 0};
    run_and_search(open, run, &secrets, 0);
    expect(fixture, sequence, &secrets);
    expect(fixture, sequence + 1u, &secrets);
    add_secret(&secrets, "root", fixture->keys.root, 32);
    add_secret(&secrets, "context key", fixture->keys.key, 32);
    add_secret(&secrets, "pad key", fixture->pad_key, 32);
    add_secret(&secrets, "device key", fixture->sender.key, 32);
    check_search(&secrets.items[0]);
    run_and_search(open, run, &secrets, 1);
    for (uint32_t turn = 0; turn < 2; turn++) {
        fixture->sender.sequence = sequence;
        run_and_search(encrypt, run, &secrets, 2 + turn);
        CHECK(run->status == ISOPOD_OK);
    }
    search_memory(run->out, sizeof run->out, &secrets, secrets.count);
}

void test_pad_traces(void) {
    check_memory_reset();
    encryption *run = check_memory(sizeof *run);
    secret_list secrets = {.count = 0};
    pad_fixture_open(&run->fixture);
    check_sequence(run, 5);
    check_sequence(run, 4095);
    uint8_t *root = check_memory(32), *next = check_memory(32);
    for (uint32_t i = 0; i < 32; i++) {
        root[i] = next[i] = run->root[i] = (uint8_t)(i * 7u + 1u);
    }
    isopod_pad_ratchet(next);
    add_secret(&secrets, "root of this epoch", root, 32);
    add_secret(&secrets, "root of the next epoch", next, 32);
    run_and_search(step, run, &secrets, 4);
    search_memory(run->root, sizeof run->root, &secrets, 1);
}
