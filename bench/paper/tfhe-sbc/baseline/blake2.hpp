// The paper's generator and its normal distribution, in our own code: BLAKE2b in counter mode, 4
// KiB at a time, and the ziggurat of Marsaglia and Tsang with 128 layers in double precision: 64
// bits for nearly every sample.
#ifndef BLAKE2_HPP
#define BLAKE2_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

class Blake2Generator {
  public:
    using result_type = std::uint32_t; // as in OpenFHE
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    Blake2Generator() {
        std::FILE *file = std::fopen("/dev/urandom", "rb");
        if (file == nullptr || std::fread(seed.data(), sizeof seed, 1, file) != 1) {
            std::abort();
        }
        std::fclose(file);
    }

    result_type operator()() {
        if (position == words.size()) {
            for (std::size_t at = 0; at < words.size(); at += 16) {
                std::uint64_t block[8];
                hash(block);
                std::memcpy(&words[at], block, sizeof block);
            }
            position = 0;
        }
        return words[position++];
    }

  private:
    static std::uint64_t turned(std::uint64_t word, int count) {
        return word >> count | word << (64 - count);
    }

    static void mix(std::uint64_t *v, int a, int b, int c, int d, std::uint64_t x,
                    std::uint64_t y) {
        v[a] += v[b] + x, v[d] = turned(v[d] ^ v[a], 32);
        v[c] += v[d], v[b] = turned(v[b] ^ v[c], 24);
        v[a] += v[b] + y, v[d] = turned(v[d] ^ v[a], 16);
        v[c] += v[d], v[b] = turned(v[b] ^ v[c], 63);
    }

    // BLAKE2b-512 of the seed and a counter, one block of 40 bytes.
    void hash(std::uint64_t *out) {
        static constexpr std::uint64_t start[8] = {
            0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
            0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
        static constexpr std::uint8_t order[10][16] = {
            {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
            {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
            {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
            {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
            {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
            {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
            {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
            {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
            {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
            {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
        const std::uint64_t m[16] = {seed[0], seed[1], seed[2], seed[3], counter++};
        std::uint64_t v[16];
        for (int i = 0; i < 8; ++i) {
            v[i] = start[i], v[i + 8] = start[i];
        }
        v[0] ^= 0x01010040, v[12] ^= 40, v[14] = ~v[14];
        for (int round = 0; round < 12; ++round) {
            const std::uint8_t *s = order[round % 10];
            mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]), mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
            mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]), mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
            mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]), mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
            mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]), mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
        }
        for (int i = 0; i < 8; ++i) {
            out[i] = start[i] ^ (i == 0 ? 0x01010040u : 0u) ^ v[i] ^ v[i + 8];
        }
    }

    std::array<std::uint64_t, 4> seed;
    std::array<std::uint32_t, 1024> words;
    std::uint64_t counter = 0;
    std::size_t position = 1024;
};

class Ziggurat {
  public:
    Ziggurat() {
        double x = TAIL;
        edges[0] = AREA / density(x), edges[1] = x, edges[LAYERS] = 0;
        for (int i = 2; i < LAYERS; ++i) {
            x = std::sqrt(-2 * std::log(AREA / x + density(x)));
            edges[i] = x;
        }
    }

    // A sample of the standard normal distribution.
    template <class Generator> double operator()(Generator &generator) const {
        for (;;) {
            const std::uint64_t word = wide(generator);
            const std::size_t layer = word & (LAYERS - 1);
            const double sign = (word & LAYERS) != 0 ? -1.0 : 1.0;
            const double x = real(word) * edges[layer];
            if (x < edges[layer + 1]) {
                return sign * x;
            }
            if (layer == 0) {
                return sign * tail(generator);
            }
            const double low = density(edges[layer]), high = density(edges[layer + 1]);
            if (low + real(wide(generator)) * (high - low) < density(x)) {
                return sign * x;
            }
        }
    }

  private:
    static constexpr int LAYERS = 128;
    static constexpr double TAIL = 3.442619855899, AREA = 9.91256303526217e-3;

    static double density(double x) { return std::exp(-0.5 * x * x); }
    static double real(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

    template <class Generator> static std::uint64_t wide(Generator &generator) {
        if constexpr (sizeof(typename Generator::result_type) == 8) {
            return generator();
        } else {
            const std::uint64_t high = generator();
            return high << 32 | generator();
        }
    }

    template <class Generator> static double tail(Generator &generator) {
        double x = 0, y = 0;
        do {
            x = -std::log(1 - real(wide(generator))) / TAIL;
            y = -std::log(1 - real(wide(generator)));
        } while (2 * y < x * x);
        return TAIL + x;
    }

    std::array<double, LAYERS + 1> edges;
};

#endif
