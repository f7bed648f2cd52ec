// Encryption in the manner of TFHEpp's lvl1: N = 1024, q = 2^32, standard deviation 2^-25,
// std::normal_distribution made anew for each sample, a uniform distribution per word, the product
// by a double-precision Fourier transform. Our own code.
#ifndef ENCRYPT_HPP
#define ENCRYPT_HPP

#include <cmath>
#include <random>
#include <vector>

#include "blake2.hpp"
#include "fourier.hpp"

using Words = std::array<std::uint32_t, DEGREE>;
using Key = std::array<std::int32_t, DEGREE>;

struct Ring {
    Words mask, body;
};

using Lwe = std::array<std::uint32_t, DEGREE + 1>;

template <class Generator> std::uint32_t uniform(Generator &generator) {
    std::uniform_int_distribution<std::uint32_t> distribution;
    return distribution(generator);
}

// A real modulo 1 as 32 bits.
inline std::uint32_t torus(double real) {
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>((real - std::floor(real)) * 4294967296.0));
}

template <class Generator> std::uint32_t gaussian(Generator &generator) {
    std::normal_distribution<double> distribution(0.0, 0x1p-25);
    return torus(distribution(generator));
}

template <class Generator>
__attribute__((noinline)) void fill_uniform(Words &out, Generator &generator) {
    for (auto &word : out) {
        word = uniform(generator);
    }
}

template <class Generator>
__attribute__((noinline)) void fill_gaussian(Words &out, Generator &generator) {
    for (auto &word : out) {
        word = gaussian(generator);
    }
}

template <class Generator>
__attribute__((noinline)) void fill_ziggurat(Words &out, Generator &generator,
                                             const Ziggurat &normal) {
    for (auto &word : out) {
        word = torus(0x1p-25 * normal(generator));
    }
}

inline void product(Words &out, const Words &mask, const Key &key, const Fourier<double> &fourier) {
    Spectrum<double> one, other;
    fourier.forward(one, reinterpret_cast<const std::int32_t *>(mask.data()));
    fourier.forward(other, key.data());
    Fourier<double>::multiply(one, other);
    fourier.inverse(out.data(), one);
}

// 1024 bits in one ring ciphertext.
template <class Generator>
void encrypt_ring(Ring &out, const std::array<std::uint8_t, DEGREE> &bits, const Key &key,
                  const Fourier<double> &fourier, Generator &generator) {
    Words times;
    fill_gaussian(out.body, generator);
    fill_uniform(out.mask, generator);
    product(times, out.mask, key, fourier);
    for (std::size_t i = 0; i < DEGREE; ++i) {
        out.body[i] += times[i] + (bits[i] != 0 ? 1u << 29 : 0u - (1u << 29));
    }
}

// Also 1024 bits, in the manner of TFHE-SBC: BLAKE2, a ziggurat that lasts, the key transformed once.
inline void encrypt_ring_sbc(Ring &out, const std::array<std::uint8_t, DEGREE> &bits,
                             const Spectrum<double> &key, const Fourier<double> &fourier,
                             Blake2Generator &generator, const Ziggurat &normal) {
    Words times;
    Spectrum<double> mask;
    fill_ziggurat(out.body, generator, normal);
    fill_uniform(out.mask, generator);
    fourier.forward(mask, reinterpret_cast<const std::int32_t *>(out.mask.data()));
    Fourier<double>::multiply(mask, key);
    fourier.inverse(times.data(), mask);
    for (std::size_t i = 0; i < DEGREE; ++i) {
        out.body[i] += times[i] + (bits[i] != 0 ? 1u << 29 : 0u - (1u << 29));
    }
}

// One bit in one LWE ciphertext.
template <class Generator>
void encrypt_lwe(Lwe &out, std::uint8_t bit, const Key &key, Generator &generator) {
    std::uint32_t body = gaussian(generator) + (bit != 0 ? 1u << 29 : 0u - (1u << 29));
    for (std::size_t j = 0; j < DEGREE; ++j) {
        out[j] = uniform(generator);
        body += out[j] * static_cast<std::uint32_t>(key[j]);
    }
    out[DEGREE] = body;
}

// All 1024 LWE ciphertexts of a ring ciphertext, coefficient by coefficient.
inline void extract(std::vector<Lwe> &out, const Ring &ring) {
    for (std::size_t i = 0; i < DEGREE; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            out[i][j] = ring.mask[i - j];
        }
        for (std::size_t j = i + 1; j < DEGREE; ++j) {
            out[i][j] = 0u - ring.mask[DEGREE + i - j];
        }
        out[i][DEGREE] = ring.body[i];
    }
}

#endif
