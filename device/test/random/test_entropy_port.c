/* The Linux source gives all bytes, fresh ones, despite signals and short reads. Hosts only. */
#include "../../port/entropy/entropy.h"

#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

/* A kernel that interrupts, and then gives at most seven bytes at a time; after `left` bytes it
 * fails. */
static uint32_t turn, left;

static ssize_t stingy_kernel(void *out, size_t length, unsigned flags) {
    CHECK(flags == 0);
    if (turn++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    size_t give = length < 7 ? length : 7;
    give = give < left ? give : left;
    fixture_bytes(out, (uint8_t)(0x80 - left), give);
    left -= (uint32_t)give;
    errno = ENOSYS;
    return give > 0 ? (ssize_t)give : -1;
}

#undef ISOPOD_PORT_ENTROPY_LINUX_H
#define isopod_entropy_linux entropy_of_stingy_kernel
#define getrandom stingy_kernel
#include "../../port/entropy/linux.h"
#undef getrandom
#undef isopod_entropy_linux

static int is_constant(const uint8_t *bytes, size_t length) {
    uint32_t difference = 0;
    for (size_t i = 1; i < length; i++) {
        difference |= (uint32_t)(bytes[i] ^ bytes[0]);
    }
    return difference == 0;
}

static void check_kernel(void) {
    uint8_t bytes[1000] = {0}, again[32];
    check_case("kernel", 0);
    CHECK(isopod_entropy_fill(NULL, bytes, 992) == 0);
    for (uint32_t i = 0; i < 992; i += 31) {
        CHECK(!is_constant(bytes + i, 31));
    }
    CHECK(bytes[992] == 0 && is_constant(bytes + 992, 8));
    CHECK(isopod_entropy_fill(NULL, again, sizeof again) == 0);
    uint32_t difference = 0;
    for (uint32_t i = 0; i < sizeof again; i++) {
        difference |= (uint32_t)(bytes[i] ^ again[i]);
    }
    CHECK(difference != 0);
}

static void check_stingy(void) {
    uint8_t bytes[33] = {0};
    check_case("stingy kernel", 0);
    left = 32;
    CHECK(entropy_of_stingy_kernel(NULL, bytes, 32) == 0);
    for (uint32_t i = 0; i < 32; i++) {
        CHECK(bytes[i] == 0x60 + i);
    }
    CHECK(bytes[32] == 0);
    left = 20;
    CHECK(entropy_of_stingy_kernel(NULL, bytes, 32) != 0);
}

static void check_encryption(void) {
    fixture set;
    isopod_ckks context;
    isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
    check_case("encryption", 0);
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    set.entropy.fill = isopod_entropy_fill;
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(isopod_ckks_begin(&context, &set.config, &set.encryptor, &values) == ISOPOD_OK);
        isopod_ckks_abort(&context);
    }
}

void test_entropy_port(void) {
    check_kernel();
    check_stingy();
    check_encryption();
}
