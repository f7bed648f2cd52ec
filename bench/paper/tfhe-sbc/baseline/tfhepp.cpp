// Prints one JSON object: microseconds of a thread's CPU time per call, medians, of TFHEpp's own
// encryption of 1024 bits (TRLWE<lvl1param>) and its pieces, and of the device library's. All of
// them take turns, each call after an untimed one, so that a busy machine slows all alike. The
// generator is the one that TFHEpp is compiled for; `tfhepp urandom` reads /dev/urandom word by
// word, as std::random_device does on the paper's board.
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
#include <vector>

#include "isopod.hpp"
#include "tfhe/trlwe.hpp"

using P = TFHEpp::lvl1param;

constexpr double LEAST_MICROSECONDS = 2e6;
constexpr std::size_t LEAST_CALLS = 21;

struct State {
    TFHEpp::Key<P> key;
    TFHEpp::TRLWE<P> ring;
    TFHEpp::Polynomial<P> message, out;
    Bits bits;
    Isopod tuniform{isopod_tfhe_1024_tuniform}, gaussian{isopod_tfhe_1024_tfhepp};

    State() {
        for (std::size_t i = 0; i < P::n; ++i) {
            key[i] = TFHEpp::UniformTorusRandom<P>() % 3 - 1;
            bits[i] = TFHEpp::UniformTorusRandom<P>() & 1;
            message[i] = bits[i] != 0 ? 1u << 29 : 0u - (1u << 29);
        }
    }

    // Bits that come back wrong: 0, or what was measured was no encryption.
    unsigned wrong() const {
        TFHEpp::Polynomial<P> product;
        TFHEpp::PolyMul<P>(product, ring[0], key);
        unsigned count = 0;
        for (std::size_t i = 0; i < P::n; ++i) {
            count += (static_cast<std::int32_t>(ring[1][i] - product[i]) > 0) != (bits[i] != 0);
        }
        return count;
    }
};

struct Case {
    const char *name;
    std::function<void()> call;
    std::vector<double> times;

    void measure() {
        call();
        const double before = now();
        call();
        times.push_back(now() - before);
    }

    double median() {
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        return times[times.size() / 2];
    }

    static double now() {
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
    }
};

static std::vector<Case> cases(State &s) {
    return {
        {"ring", [&s] { TFHEpp::trlweSymEncrypt<P>(s.ring, s.message, s.key); }, {}},
        {"isopod-tuniform", [&s] { s.tuniform.encrypt(s.bits); }, {}},
        {"isopod-gaussian", [&s] { s.gaussian.encrypt(s.bits); }, {}},
        {"uniform",
         [&s] {
             for (auto &word : s.out)
                 word = TFHEpp::UniformTorusRandom<P>();
         },
         {}},
        {"gaussian",
         [&s] {
             for (auto &word : s.out)
                 word = TFHEpp::ModularGaussian<P>(0, P::α);
         },
         {}},
        {"product", [&s] { TFHEpp::PolyMul<P>(s.out, s.ring[0], s.key); }, {}},
    };
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
    std::vector<Case> all = cases(*state);
    for (const double start = Case::now();
         all[0].times.size() < LEAST_CALLS || Case::now() - start < LEAST_MICROSECONDS;) {
        for (auto &each : all) {
            each.measure();
        }
    }
    std::printf("{\n");
    for (auto &each : all) {
        std::printf("  \"%s\": %.3f,\n", each.name, each.median());
    }
    std::printf("  \"wrong\": %u\n}\n", state->wrong());
    return 0;
}
