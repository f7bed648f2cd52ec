#include "check.h"
#include "tests.h"

int main(void) {
    test_vectors();
    test_ciphertext_vectors();
    test_encryption();
    return check_summary() == 0 ? 0 : 1;
}
