// Test of the adapter with arrays shaped like TFHEpp's types: std::array of std::array, as in its
// params.hpp. Reads the key, a TRLWE and TLWEs from files, decrypts both ways, and prints the bits
// of the TLWEs, or what is wrong.
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "isopod_tfhepp.hpp"

namespace shape {
template <class P> using Key = std::array<typename P::T, P::k * P::n>;
template <class P> using TLWE = std::array<typename P::T, P::k * P::n + 1>;
template <class P> using Polynomial = std::array<typename P::T, P::n>;
template <class P> using TRLWE = std::array<Polynomial<P>, P::k + 1>;
struct lvl1param {
    using T = std::uint32_t;
    static constexpr std::size_t k = 1, n = 1024;
};
} // namespace shape

using P = shape::lvl1param;
using Bytes = std::vector<std::uint8_t>;

static Bytes read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

static int fail(const char *what) {
    std::fprintf(stderr, "%s\n", what);
    return 1;
}

static std::uint32_t phase(const shape::TLWE<P> &tlwe, const shape::Key<P> &key) {
    std::uint32_t phase = tlwe[P::n];
    for (std::size_t j = 0; j < P::n; ++j) {
        phase -= tlwe[j] * key[j];
    }
    return phase;
}

// Computes coefficient `index` of b - a*s.
static std::uint32_t ring_phase(const shape::TRLWE<P> &trlwe, const shape::Key<P> &key,
                                std::size_t index) {
    std::uint32_t phase = trlwe[1][index];
    for (std::size_t j = 0; j < P::n; ++j) {
        phase -=
            j <= index ? trlwe[0][index - j] * key[j] : 0u - trlwe[0][P::n + index - j] * key[j];
    }
    return phase;
}

static bool refuses(const Bytes &good) {
    shape::TRLWE<P> trlwe{};
    shape::Key<P> key{};
    std::vector<shape::TLWE<P>> rows;
    Bytes wrong(isopod::key_bytes, 0);
    wrong[5] = 1;
    return !isopod::fill_trlwe(trlwe, good.data(), good.size() - 1) &&
           !isopod::fill_tlwes(rows, good.data(), 4099) &&
           !isopod::fill_tlwes(rows, good.data(), 0) &&
           !isopod::fill_key(key, wrong.data(), wrong.size()) && rows.empty();
}

int main(int count, char **arguments) {
    if (count != 4) {
        return fail("usage: test KEY TRLWE TLWES");
    }
    const Bytes key_file = read(arguments[1]), ring_file = read(arguments[2]),
                rows_file = read(arguments[3]);
    shape::Key<P> key{};
    shape::TRLWE<P> ring{};
    std::vector<shape::TLWE<P>> rows;
    if (!isopod::fill_key(key, key_file.data(), key_file.size()) ||
        !isopod::fill_trlwe(ring, ring_file.data(), ring_file.size()) ||
        !isopod::fill_tlwes(rows, rows_file.data(), rows_file.size())) {
        return fail("a file was refused");
    }
    if (!refuses(ring_file)) {
        return fail("a wrong length or value was accepted");
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (phase(rows[i], key) != ring_phase(ring, key, i)) {
            return fail("extraction and ring disagree");
        }
        std::putchar(phase(rows[i], key) < 1u << 31 ? '1' : '0');
    }
    return 0;
}
