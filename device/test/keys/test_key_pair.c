/* Key pairs in pieces: the model's blobs of the same entropy, for every kind, number of chunks and
 * size of piece; every error; nothing left in memory. */
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/key_calls.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

typedef struct {
    const key_calls *calls;
    isopod_key_pair_config config;
    isopod_workspace workspace;
    isopod_entropy entropy;
    uint8_t first;
} generator;

/* Prepares the entropy of the known answers. */
static void prepare(generator *with, const fixture *set, uint8_t chunks) {
    const key_calls *calls = key_calls_of(set->params);
    size_t bytes = calls->workspace_bytes(set->n, chunks);
    isopod_entropy entropy = {fixture_fill, &with->first, {0}, 0};
    isopod_key_pair_config config = {set->params, &set->tables, chunks};
    with->workspace = (isopod_workspace){check_memory(bytes), bytes};
    with->calls = calls;
    with->first = 0;
    with->entropy = entropy;
    with->config = config;
}

static int is_known(const struct isopod_vector_generated_blobs *vector, const fixture *set,
                    isopod_key_kind kind) {
    return vector->blob_kind == kind && fixture_is_text(vector->set, set->params->name);
}

/* Rows of sets of 64-bit primes are of the same shape. */
static const struct isopod_vector_generated_blobs *known_blob(const fixture *set,
                                                              isopod_key_kind kind) {
    static struct isopod_vector_generated_blobs found;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_generated_blobs); r++) {
        if (is_known(&isopod_vectors_generated_blobs[r], set, kind)) {
            return &isopod_vectors_generated_blobs[r];
        }
    }
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_generated_blobs64); r++) {
        const struct isopod_vector_generated_blobs64 *row = &isopod_vectors_generated_blobs64[r];
        found =
            (struct isopod_vector_generated_blobs){row->set, row->blob_kind, row->bytes, row->sha3};
        if (is_known(&found, set, kind)) {
            return &found;
        }
    }
    CHECK(0);
    return &found;
}

static void check_blob(const fixture *set, const uint32_t *blob, isopod_key_kind kind) {
    const struct isopod_vector_generated_blobs *vector = known_blob(set, kind);
    fixture opened = *set;
    opened.blob = (uint32_t *)blob;
    opened.blob_bytes = ISOPOD_KEY_HEADER_BYTES + (size_t)key_payload_bytes(set->params, kind);
    CHECK(opened.blob_bytes == vector->bytes);
    CHECK(fixture_has_digest(blob, vector->bytes, vector->sha3));
    CHECK(fixture_key_open(&opened, kind <= ISOPOD_KEY_PUBLIC_SEEDED) == ISOPOD_OK);
}

/* Both public payloads give the same key_id. */
static void check_pair(const fixture *set, uint8_t chunks) {
    static const uint16_t capacities[4] = {16384, 1000, 4096, 77};
    uint8_t key_ids[2][ISOPOD_KEY_ID_BYTES];
    isopod_key_pair pair;
    generator with;
    prepare(&with, set, chunks);
    uint32_t *blob = check_memory(ISOPOD_KEY_HEADER_BYTES +
                                  (size_t)key_payload_bytes(set->params, ISOPOD_KEY_PUBLIC));
    CHECK(with.calls->begin(&pair, &with.config, &with.workspace, &with.entropy) == ISOPOD_OK);
    key_payload(&pair, ISOPOD_KEY_PUBLIC_SEEDED, blob, capacities[1]);
    CHECK(with.calls->identify(key_ids[1], &pair, blob) == ISOPOD_OK);
    for (uint32_t k = 4; k-- > 0;) {
        key_payload(&pair, (isopod_key_kind)(k + 1), blob, capacities[k]);
        CHECK(with.calls->head(blob, &pair, key_ids[1]) == ISOPOD_OK);
        check_blob(set, blob, (isopod_key_kind)(k + 1));
    }
    CHECK(with.calls->identify(key_ids[0], &pair, blob) == ISOPOD_OK);
    CHECK(isopod_equal(key_ids[0], key_ids[1], ISOPOD_KEY_ID_BYTES));
    with.calls->close(&pair);
    uint32_t left = 0;
    for (size_t i = 0; i < with.workspace.bytes; i++) {
        left |= ((const uint8_t *)with.workspace.memory)[i];
    }
    CHECK(left == 0);
}

static int failing(void *state, uint8_t *out, size_t length) {
    (void)state, (void)out, (void)length;
    return 1;
}

/* Refuses a set of the other word size, and its tables. */
static void check_other_kind(const fixture *set) {
    isopod_key_pair pair;
    generator with;
    prepare(&with, set, 8);
    uint32_t has_primes64 = isopod_parameters_has_primes64(set->params);
    const key_calls *others = has_primes64 ? &key_calls32 : &key_calls64;
    CHECK(others->begin(&pair, &with.config, &with.workspace, &with.entropy) ==
          ISOPOD_ERROR_PARAMETERS);
    isopod_tables none = set->tables;
    none.twiddles64 = NULL;
    with.config.tables = &none;
    if (has_primes64) {
        CHECK(with.calls->begin(&pair, &with.config, &with.workspace, &with.entropy) ==
              ISOPOD_ERROR_TABLES);
    }
}

static void check_errors(const fixture *set) {
    isopod_key_pair pair;
    isopod_key_piece piece;
    generator with;
    uint8_t out[8], key_id[16];
    prepare(&with, set, 4);
    const key_calls *calls = with.calls;
    with.config.chunks = 3;
    CHECK(calls->begin(&pair, &with.config, &with.workspace, &with.entropy) == ISOPOD_ERROR_CHUNKS);
    with.config.chunks = 4;
    with.workspace.bytes--;
    CHECK(calls->begin(&pair, &with.config, &with.workspace, &with.entropy) ==
          ISOPOD_ERROR_WORKSPACE);
    with.workspace.bytes++;
    with.entropy.fill = failing;
    CHECK(calls->begin(&pair, &with.config, &with.workspace, &with.entropy) ==
          ISOPOD_ERROR_ENTROPY);
    with.entropy.fill = fixture_fill;
    CHECK(calls->begin(&pair, &with.config, &with.workspace, &with.entropy) ==
          ISOPOD_ERROR_ENTROPY); /* poisoned */
    CHECK(calls->payload(&pair, ISOPOD_KEY_PUBLIC) == ISOPOD_ERROR_STATE);
    CHECK(calls->next(&pair, out, sizeof out, &piece) == ISOPOD_ERROR_STATE);
    with.entropy.poisoned = 0;
    CHECK(calls->begin(&pair, &with.config, &with.workspace, &with.entropy) == ISOPOD_OK);
    CHECK(calls->next(&pair, out, sizeof out, &piece) == ISOPOD_ERROR_STATE);
    CHECK(calls->payload(&pair, (isopod_key_kind)5) == ISOPOD_ERROR_KEY_KIND);
    CHECK(calls->payload(&pair, ISOPOD_KEY_SECRET_NTT) == ISOPOD_OK);
    CHECK(calls->next(&pair, out, 0, &piece) == ISOPOD_ERROR_CAPACITY);
    CHECK(calls->identify(key_id, &pair, with.workspace.memory) == ISOPOD_ERROR_KEY_KIND);
    calls->close(&pair);
    calls->close(&pair);
}

void test_key_pair(void) {
    const isopod_params *sets[] = {&isopod_ckks_1024x1_sum,          &isopod_ckks_4096x3_multiply,
                                   &isopod_ckks_4096x2_linear,       &isopod_bfv_1024x1_count,
                                   &isopod_bfv_4096x2w_seal_default, &isopod_ckks_8192x3w_sum};
    for (uint32_t s = 0; s < LENGTH(sets); s++) {
        fixture set;
        check_memory_reset();
        fixture_tables(&set, sets[s]);
        size_t mark = check_memory_mark();
        for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
            check_case(sets[s]->name, chunks);
            check_pair(&set, chunks);
            check_memory_release(mark);
        }
        check_errors(&set);
        check_other_kind(&set);
    }
}
