/* Shares and results for the tests of a holder. */
#include "holder_input.h"

#include "../../src/base/memory.h"
#include "../../src/holder/share.h"
#include "../harness/check.h"

/* Residues of every second number of the recurrence, for each prime in order. */
static void residues_of(uint32_t *out, const fixture *set, uint32_t which) {
    for (uint32_t j = 0; j < ISOPOD_HOLDER_PRIMES; j++) {
        uint32_t state = VECTOR_FIRST;
        for (uint32_t i = 0; i < 2 * set->n; i++) {
            uint32_t number = vector_next(&state);
            if (i % 2u == which) {
                *out++ = number % set->params->primes[j].modulus;
            }
        }
    }
}

static void make_head(uint32_t *blob, size_t bytes, const fixture *set, const holder_numbers *row) {
    isopod_share_head *head = (void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4u);
    const isopod_share_head made = {.number = row->holder,
                                    .threshold = row->threshold,
                                    .holders = row->holders,
                                    .frames = 1000,
                                    .bits = row->bits,
                                    .shift = row->shift,
                                    .used = {(uint32_t)row->used, (uint32_t)(row->used >> 32)},
                                    .queries = {0, 256}};
    *head = made;
    isopod_copy((uint8_t *)blob, (const uint8_t *)"ISOPODK2", 8);
    blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_KEY_HOLDER_SHARE;
    blob[ISOPOD_KEY_WORD_RING_DEGREE] = set->n;
    isopod_copy((uint8_t *)(blob + ISOPOD_KEY_WORD_SET_ID), set->params->set_id,
                ISOPOD_SET_ID_BYTES);
    fixture_bytes((uint8_t *)(blob + ISOPOD_KEY_WORD_KEY_ID), 0x11, ISOPOD_KEY_ID_BYTES);
    blob[ISOPOD_KEY_WORD_PRIMES] = ISOPOD_HOLDER_PRIMES;
    blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] = (uint32_t)bytes - ISOPOD_KEY_HEADER_BYTES;
    fixture_bytes((uint8_t *)head->link, 0xd0, sizeof head->link);
    fixture_bytes((uint8_t *)head->transport, 0x90, sizeof head->transport);
}

uint32_t *holder_share(const fixture *set, const holder_numbers *numbers, size_t *bytes) {
    const uint32_t count = ISOPOD_HOLDER_PRIMES * set->n;
    *bytes = ISOPOD_KEY_HEADER_BYTES + sizeof(isopod_share_head) + (size_t)4 * count;
    uint32_t *blob = check_memory(*bytes);
    make_head(blob, *bytes, set, numbers);
    uint32_t *residues = blob + (ISOPOD_KEY_HEADER_BYTES + sizeof(isopod_share_head)) / 4u;
    residues_of(residues, set, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t modulus = set->params->primes[i / set->n].modulus;
        residues[i] = (uint32_t)(((uint64_t)residues[i] << 32) % modulus);
    }
    fixture_seal_blob(blob);
    return blob;
}

void holder_result(isopod_result *result, const fixture *set) {
    const uint32_t n = set->n, count = ISOPOD_HOLDER_PRIMES * n;
    size_t bytes = 0;
    for (uint32_t j = 0; j < ISOPOD_HOLDER_PRIMES; j++) {
        bytes += (size_t)set->params->primes[j].bits * n / 8u;
    }
    uint8_t *c1 = check_memory(bytes);
    /* Laid out like an item: the key's name, a head of CBOR, the nonce. */
    uint8_t *names = check_memory(ISOPOD_KEY_ID_BYTES + 1u + ISOPOD_NONCE_BYTES);
    const size_t mark = check_memory_mark();
    uint32_t *residues = check_memory((size_t)4 * count);
    residues_of(residues, set, 1);
    for (size_t i = 0, at = 0; i < count; i++) {
        for (uint32_t bit = 0; bit < set->params->primes[i / n].bits; bit++, at++) {
            c1[at / 8u] |= (uint8_t)((residues[i] >> bit & 1u) << at % 8u);
        }
    }
    check_memory_release(mark);
    fixture_bytes(names, 0x11, ISOPOD_KEY_ID_BYTES);
    fixture_bytes(names + ISOPOD_KEY_ID_BYTES + 1, 0x50, ISOPOD_NONCE_BYTES);
    isopod_wipe(result, sizeof *result);
    result->params = set->params;
    result->key_id = names;
    result->c1 = c1;
    result->c1_bytes = (uint32_t)bytes;
    result->claim.primes = ISOPOD_HOLDER_PRIMES;
}
