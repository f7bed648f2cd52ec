// Fills TFHEpp's own types from the arrays that Isopod writes (`isopod export-tfhepp`). Header only, C++17, no dependency:
// the types are parameters, so that it compiles against any version of TFHEpp whose ciphertexts are arrays of words.
//
//   TFHEpp::TRLWE<TFHEpp::lvl1param>  a, then b:       two arrays of 1024 32-bit words
//   TFHEpp::TLWE<TFHEpp::lvl1param>   mask, then body: 1025 words
//   TFHEpp::Key<TFHEpp::lvl1param>    1024 words, two's complement
//
// Every function refuses bytes of another length and then leaves its output unchanged. None checks who made the bytes:
// take them from an authenticated frame.
#ifndef ISOPOD_TFHEPP_HPP
#define ISOPOD_TFHEPP_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isopod {

inline constexpr std::size_t tfhepp_degree = 1024;
inline constexpr std::size_t trlwe_bytes = 8 * tfhepp_degree;
inline constexpr std::size_t tlwe_bytes = 4 * (tfhepp_degree + 1);
inline constexpr std::size_t key_bytes = 4 * tfhepp_degree;

// Reads a word, little endian on every machine.
inline std::uint32_t word(const std::uint8_t *bytes) {
    return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
           static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// Fills a TRLWE: anything indexed twice, [2][1024].
template <class Trlwe>
bool fill_trlwe(Trlwe &out, const std::uint8_t *bytes, std::size_t length) {
    if (length != trlwe_bytes) {
        return false;
    }
    for (std::size_t polynomial = 0; polynomial < 2; ++polynomial) {
        for (std::size_t i = 0; i < tfhepp_degree; ++i) {
            out[polynomial][i] = word(bytes + 4 * (polynomial * tfhepp_degree + i));
        }
    }
    return true;
}

// Fills a TLWE: anything indexed once, [1025].
template <class Tlwe>
bool fill_tlwe(Tlwe &out, const std::uint8_t *bytes, std::size_t length) {
    if (length != tlwe_bytes) {
        return false;
    }
    for (std::size_t i = 0; i <= tfhepp_degree; ++i) {
        out[i] = word(bytes + 4 * i);
    }
    return true;
}

// Fills a TLWE for each ciphertext of a file.
template <class Tlwe>
bool fill_tlwes(std::vector<Tlwe> &out, const std::uint8_t *bytes, std::size_t length) {
    if (length == 0 || length % tlwe_bytes != 0) {
        return false;
    }
    std::vector<Tlwe> filled(length / tlwe_bytes);
    for (std::size_t i = 0; i < filled.size(); ++i) {
        fill_tlwe(filled[i], bytes + i * tlwe_bytes, tlwe_bytes);
    }
    out.swap(filled);
    return true;
}

// Fills a lvl1 key: anything indexed once, [1024]. Refuses words other than -1, 0 and 1, after it has read all of them.
template <class Key>
bool fill_key(Key &out, const std::uint8_t *bytes, std::size_t length) {
    if (length != key_bytes) {
        return false;
    }
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < tfhepp_degree; ++i) {
        wrong |= word(bytes + 4 * i) + 1 > 2 ? 1u : 0u;
    }
    if (wrong != 0) {
        return false;
    }
    for (std::size_t i = 0; i < tfhepp_degree; ++i) {
        out[i] = word(bytes + 4 * i);
    }
    return true;
}

}  // namespace isopod

#endif
