/* Proofs of sums by linear tags: results with any manifest, numbers and digests, for any device
 * and period up to the third. The shapes of the values are three, since Eva knows no product of
 * rows and columns. */
// sources: wire/linear_verifier.c cbor tag/linear_tag.c base/parameter_sets.c
// sources: random/suite_chacha20.c
// stubs: primitives.c
// options: -eva-slevel 80 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "set.h"
#include "wire/linear_proof.h"

#define MANIFEST 4096u
#define VALUES 24u

static uint8_t manifest[MANIFEST], packing[ISOPOD_PACKING_BYTES], origin[ISOPOD_DIGEST_BYTES],
    linear_tag[ISOPOD_LINEAR_TAG_BYTES], job[3];
static int32_t values[VALUES];

static void any_result(isopod_result *result) {
    ARBITRARY(manifest);
    ARBITRARY(packing);
    ARBITRARY(origin);
    ARBITRARY(linear_tag);
    ARBITRARY(job);
    ARBITRARY(values);
    ARBITRARY(*result);
    result->params = MAYBE ? &BFV : &CKKS;
    result->manifest = manifest;
    result->manifest_bytes = BETWEEN(0, MANIFEST);
    result->packing = EITHER(const uint8_t *, packing, NULL);
    result->origin = origin;
    result->linear_tag = linear_tag;
    result->job = job;
    result->job_bytes = (uint8_t)BETWEEN(0, 3);
}

static void shape(isopod_claim *claim, uint32_t rows, uint32_t columns) {
    claim->rows = rows;
    claim->columns = columns;
    claim->stride = BETWEEN(columns, N);
    claim->first = BETWEEN(0, N - 1u);
}

int main(void) {
    isopod_linear_verifier verifier;
    isopod_result result;
    isopod_decoded out = {values, VALUES, ISOPOD_VALUES_INT32};
    ARBITRARY(ternary_blob);
    key.params = &BFV;
    key.blob = ternary_blob;
    key.kind = ISOPOD_KEY_SECRET_TERNARY;
    any_result(&result);
    shape(&result.claim, VALUES, 1);
    if (MAYBE) {
        shape(&result.claim, VALUES / 2u, 2);
    } else if (MAYBE) {
        shape(&result.claim, 1, VALUES);
    }
    if (MAYBE) {
        out.type = ISOPOD_VALUES_FLOAT64;
        out.capacity = VALUES / 2u;
    }
    if (isopod_linear_verifier_open(&verifier, &key, ANY32, BETWEEN(0, 3)) == ISOPOD_OK) {
        (void)verifier.method->prove(&verifier, &result, &out);
    }
    return 0;
}
