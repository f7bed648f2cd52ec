// Prints one JSON object: microseconds of a thread's CPU time per call, the least of many, of TFHEpp's own encryption of 1024
// bits (TRLWE<lvl1param>), its pieces, and 256 bits one by one (TLWE). The generator is the one that TFHEpp is compiled for;
// `tfhepp urandom` reads /dev/urandom word by word, as std::random_device does on the paper's board.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <random>

#include "tfhe/tlwe.hpp"
#include "tfhe/trlwe.hpp"

using P = TFHEpp::lvl1param;

struct State {
    TFHEpp::Key<P> key;
    TFHEpp::TRLWE<P> ring;
    TFHEpp::Polynomial<P> message, out;
    TFHEpp::TLWE<P> row;
};

static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

static void print(const char *name, const std::function<void()> &call) {
    double best = 1e30;
    call();
    const double start = now();
    for (int count = 0; count < 3 || now() - start < 250000.0; ++count) {
        const double before = now();
        call();
        best = std::min(best, now() - before);
    }
    std::printf("  \"%s\": %.3f,\n", name, best);
}

// Bits that come back wrong: 0, or what was measured was no encryption.
static unsigned wrong(const State &s) {
    TFHEpp::Polynomial<P> product;
    TFHEpp::PolyMul<P>(product, s.ring[0], s.key);
    unsigned count = 0;
    for (std::size_t i = 0; i < P::n; ++i) {
        const auto phase = static_cast<std::int32_t>(s.ring[1][i] - product[i]);
        count += (phase > 0) != (static_cast<std::int32_t>(s.message[i]) > 0);
    }
    return count;
}

int main(int count, char **arguments) {
#if !defined(USE_BLAKE3) && !defined(USE_RANDEN)
    if (count == 2 && std::strcmp(arguments[1], "urandom") == 0) {
        TFHEpp::generator.~random_device();
        new (&TFHEpp::generator) std::random_device("/dev/urandom");
    }
#else
    (void)count, (void)arguments;
#endif
    auto state = std::make_unique<State>();
    State &s = *state;
    for (std::size_t i = 0; i < P::n; ++i) {
        s.key[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(TFHEpp::UniformTorusRandom<P>() % 3) - 1);
        s.message[i] = TFHEpp::UniformTorusRandom<P>() & 1 ? 1u << 29 : 0u - (1u << 29);
    }
    std::printf("{\n");
    print("ring", [&s] { TFHEpp::trlweSymEncrypt<P>(s.ring, s.message, s.key); });
    const unsigned errors = wrong(s);
    print("uniform", [&s] { for (auto &word : s.out) word = TFHEpp::UniformTorusRandom<P>(); });
    print("gaussian", [&s] { for (auto &word : s.out) word = TFHEpp::ModularGaussian<P>(0, P::α); });
    print("product", [&s] { TFHEpp::PolyMul<P>(s.out, s.ring[0], s.key); });
    print("lwe-256", [&s] {
        for (std::size_t i = 0; i < 256; ++i) {
            TFHEpp::tlweSymEncrypt<P>(s.row, s.message[i], s.key);
        }
    });
    std::printf("  \"wrong\": %u\n}\n", errors);
    return 0;
}
