// The generators of the comparison: the system's, a read per word, as the paper's baseline has it;
// and a fast one in user space: AES-128 in counter mode with the instructions of x86-64, 4 KiB at a
// time, elsewhere BLAKE2b.
#ifndef GENERATORS_HPP
#define GENERATORS_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

#include "blake2.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

class SystemGenerator {
  public:
    using result_type = std::uint32_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    SystemGenerator() : file(open("/dev/urandom", O_RDONLY | O_CLOEXEC)) {
        if (file < 0) {
            std::abort();
        }
    }
    ~SystemGenerator() { close(file); }
    SystemGenerator(const SystemGenerator &) = delete;
    SystemGenerator &operator=(const SystemGenerator &) = delete;

    result_type operator()() {
        result_type word = 0;
        if (read(file, &word, sizeof word) != sizeof word) {
            std::abort();
        }
        return word;
    }

  private:
    int file;
};

#ifdef __x86_64__
class FastGenerator {
  public:
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    FastGenerator() {
        alignas(16) std::array<std::uint8_t, 16> key;
        std::FILE *file = std::fopen("/dev/urandom", "rb");
        if (file == nullptr || std::fread(key.data(), key.size(), 1, file) != 1) {
            std::abort();
        }
        std::fclose(file);
        expand(_mm_load_si128(reinterpret_cast<const __m128i *>(key.data())));
    }

    result_type operator()() {
        if (position == words.size()) {
            refill();
        }
        return words[position++];
    }

  private:
    template <int constant> static __m128i next(__m128i key) {
        __m128i assist = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, constant), 0xff);
        for (int i = 0; i < 3; ++i) {
            key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
        }
        return _mm_xor_si128(key, assist);
    }

    void expand(__m128i key) {
        keys[0] = key;
        keys[1] = next<0x01>(keys[0]), keys[2] = next<0x02>(keys[1]), keys[3] = next<0x04>(keys[2]);
        keys[4] = next<0x08>(keys[3]), keys[5] = next<0x10>(keys[4]), keys[6] = next<0x20>(keys[5]);
        keys[7] = next<0x40>(keys[6]), keys[8] = next<0x80>(keys[7]), keys[9] = next<0x1b>(keys[8]);
        keys[10] = next<0x36>(keys[9]);
    }

    void refill() {
        for (std::size_t i = 0; i < words.size(); i += 16) {
            __m128i block[8];
            for (int j = 0; j < 8; ++j) {
                block[j] =
                    _mm_xor_si128(_mm_set_epi64x(0, static_cast<long long>(counter++)), keys[0]);
            }
            for (int round = 1; round < 10; ++round) {
                for (int j = 0; j < 8; ++j) {
                    block[j] = _mm_aesenc_si128(block[j], keys[round]);
                }
            }
            for (int j = 0; j < 8; ++j) {
                _mm_store_si128(reinterpret_cast<__m128i *>(&words[i]) + j,
                                _mm_aesenclast_si128(block[j], keys[10]));
            }
        }
        position = 0;
    }

    alignas(64) std::array<std::uint64_t, 512> words;
    __m128i keys[11];
    std::uint64_t counter = 0;
    std::size_t position = 512;
};
#else
using FastGenerator = Blake2Generator;
#endif

#endif
