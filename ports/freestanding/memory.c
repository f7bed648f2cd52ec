/* The four functions that a compiler may call in freestanding code (GCC manual, "Standards").
 * The flag -fno-tree-loop-distribute-patterns keeps compilers from turning a loop here into a call
 * of its own function. */
#include <stddef.h>
#include <stdint.h>

/* Words that may alias any object, like bytes. */
typedef uint32_t __attribute__((may_alias)) word;

void *memcpy(void *restrict out, const void *restrict in, size_t length);
void *memmove(void *out, const void *in, size_t length);
void *memset(void *out, int value, size_t length);
int memcmp(const void *left, const void *right, size_t length);

static int word_aligned(uintptr_t address) {
    return (address & (sizeof(word) - 1)) == 0;
}

static void copy_forward(uint8_t *out, const uint8_t *in, size_t length) {
    if (word_aligned((uintptr_t)out | (uintptr_t)in)) {
        for (; length >= sizeof(word); length -= sizeof(word)) {
            *(word *)out = *(const word *)in;
            out += sizeof(word);
            in += sizeof(word);
        }
    }
    while (length-- > 0) {
        *out++ = *in++;
    }
}

void *memcpy(void *restrict out, const void *restrict in, size_t length) {
    copy_forward(out, in, length);
    return out;
}

void *memmove(void *out, const void *in, size_t length) {
    uint8_t *to = out;
    const uint8_t *from = in;
    if ((uintptr_t)to - (uintptr_t)from >= length) {
        copy_forward(to, from, length);
        return out;
    }
    while (length-- > 0) {
        to[length] = from[length];
    }
    return out;
}

void *memset(void *out, int value, size_t length) {
    uint8_t *to = out;
    const word pattern = 0x01010101U * (uint8_t)value;
    if (word_aligned((uintptr_t)to)) {
        for (; length >= sizeof(word); length -= sizeof(word)) {
            *(word *)to = pattern;
            to += sizeof(word);
        }
    }
    while (length-- > 0) {
        *to++ = (uint8_t)value;
    }
    return out;
}

int memcmp(const void *left, const void *right, size_t length) {
    const uint8_t *a = left;
    const uint8_t *b = right;
    for (size_t i = 0; i < length; i++) {
        if (a[i] != b[i]) {
            return a[i] - b[i];
        }
    }
    return 0;
}

#if defined(__clang__) && defined(__arm__)
/* Clang's names of these functions (Arm, "Run-time ABI for the Arm Architecture", 5.3.4). */
void __aeabi_memcpy(void *out, const void *in, size_t length);
void __aeabi_memcpy4(void *out, const void *in, size_t length);
void __aeabi_memcpy8(void *out, const void *in, size_t length);
void __aeabi_memmove(void *out, const void *in, size_t length);
void __aeabi_memmove4(void *out, const void *in, size_t length);
void __aeabi_memset(void *out, size_t length, int value);
void __aeabi_memclr(void *out, size_t length);
void __aeabi_memclr4(void *out, size_t length);
void __aeabi_memclr8(void *out, size_t length);

void __aeabi_memcpy(void *out, const void *in, size_t length) {
    copy_forward(out, in, length);
}

void __aeabi_memcpy4(void *out, const void *in, size_t length) {
    copy_forward(out, in, length);
}

void __aeabi_memcpy8(void *out, const void *in, size_t length) {
    copy_forward(out, in, length);
}

void __aeabi_memmove(void *out, const void *in, size_t length) {
    (void)memmove(out, in, length);
}

void __aeabi_memmove4(void *out, const void *in, size_t length) {
    (void)memmove(out, in, length);
}

void __aeabi_memset(void *out, size_t length, int value) {
    (void)memset(out, value, length);
}

void __aeabi_memclr(void *out, size_t length) {
    (void)memset(out, 0, length);
}

void __aeabi_memclr4(void *out, size_t length) {
    (void)memset(out, 0, length);
}

void __aeabi_memclr8(void *out, size_t length) {
    (void)memset(out, 0, length);
}
#endif
