/* Known answers of BFV messages and frames for every set, key, suite, level and layout; nothing
 * stays in memory. */
#include "../../src/base/workspace.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static size_t nonzero_bytes(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] != 0;
    }
    return count;
}

static void configure(fixture *set, uint32_t level, uint32_t layout) {
    set->config.level = (uint8_t)level;
    fixture_layout(set, layout);
}

/* After begin the message is first in the workspace, with eight chunks apart from the noise. A
 * level without room for the noise is refused. */
static void check_message(fixture *set, const struct isopod_vector_bfv_messages *vector) {
    isopod_values values =
        vector_integers(vector->numbers, vector->count, set->params->plain->modulus);
    isopod_encryption context;
    vector_configure(set, 1, 8);
    configure(set, vector->level, vector->layout);
    isopod_status status = isopod_bfv_begin(&context, &set->config, &set->encryptor, &values);
    if (status == ISOPOD_ERROR_LEVEL) {
        CHECK(vector->level == 1 && set->params->prime_count > 1);
        return;
    }
    CHECK(status == ISOPOD_OK);
    CHECK(fixture_has_digest(isopod_workspace_room(&set->encryptor.workspace), (size_t)4 * set->n,
                             vector->sha3));
    isopod_bfv_abort(&context);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero_bytes(&context, sizeof context) == 0);
}

static void check_messages(fixture *set) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_bfv_messages); r++) {
        if (fixture_is_text(isopod_vectors_bfv_messages[r].set, set->params->name)) {
            size_t mark = check_memory_mark();
            check_case("message", r);
            check_message(set, &isopod_vectors_bfv_messages[r]);
            check_memory_release(mark);
        }
    }
}

static void check_frame(fixture *set, const struct isopod_vector_bfv_frames *vector, uint32_t row) {
    isopod_values values =
        vector_integers(vector->numbers, vector->count, set->params->plain->modulus);
    uint32_t chunks = vector->kind == 3 ? vector->interleave : 1u << row % 4;
    vector_configure(set, vector->suite, (uint8_t)chunks);
    configure(set, vector->level, vector->layout);
    vector_check_frame(set, &values, vector->bytes, vector->sha3);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
}

static void check_frames(fixture *set) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_bfv_frames); r++) {
        const struct isopod_vector_bfv_frames *vector = &isopod_vectors_bfv_frames[r];
        if (vector_kind(set) == vector->kind && fixture_is_text(vector->set, set->params->name)) {
            size_t mark = check_memory_mark();
            check_case(vector->set, r);
            check_frame(set, vector, r);
            check_memory_release(mark);
        }
    }
}

void test_integers(void) {
    for (uint32_t s = 0; s < ISOPOD_BFV_SET_COUNT; s++) {
        for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
            fixture set;
            check_memory_reset();
            fixture_open(&set, isopod_bfv_sets[s], (isopod_key_kind)kind);
            check_messages(&set);
            check_frames(&set);
        }
    }
}
