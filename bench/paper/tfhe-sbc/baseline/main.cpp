// Prints one JSON object: microseconds of a thread's CPU time per call, the least of many, for the
// baselines and Isopod's device library in one run; bytes of memory, objects in use and the deepest
// stack; and the error of products in single and double precision. `main CASE` runs one case twice,
// the second time within `watched`, for callgrind.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "encrypt.hpp"
#include "generators.hpp"
#include "isopod.hpp"

#ifdef __aarch64__
#include "counter/markers.h"
#endif

extern "C" {
#include "stack/stack.h"
}

struct State {
    Fourier<double> fourier;
    SystemGenerator system;
    FastGenerator fast;
    Blake2Generator blake2;
    Ziggurat normal;
    Key key;
    Bits bits;
    Ring ring;
    Words words;
    Spectrum<double> one, other;
    std::vector<Lwe> rows{DEGREE};
    Isopod tuniform{isopod_tfhe_1024_tuniform, ISOPOD_TFHE_KEY_SECRET};
    Isopod gaussian{isopod_tfhe_1024_tfhepp, ISOPOD_TFHE_KEY_SECRET};
    Isopod tuniform_public{isopod_tfhe_1024_tuniform, ISOPOD_TFHE_KEY_PUBLIC};
    Isopod gaussian_public{isopod_tfhe_1024_tfhepp, ISOPOD_TFHE_KEY_PUBLIC};

    State() {
        for (std::size_t i = 0; i < DEGREE; ++i) {
            key[i] = static_cast<std::int32_t>(fast() % 3) - 1;
            bits[i] = fast() & 1;
        }
        fill_uniform(ring.mask, fast);
        fourier.forward(other, key.data());
    }
};

using Cases = std::map<std::string, std::function<void()>>;

static Cases cases(State &s) {
    const auto lwe = [&s](auto &generator, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            encrypt_lwe(s.rows[i], s.bits[i], s.key, generator);
        }
    };
    return {
        {"ring-system", [&s] { encrypt_ring(s.ring, s.bits, s.key, s.fourier, s.system); }},
        {"ring-fast", [&s] { encrypt_ring(s.ring, s.bits, s.key, s.fourier, s.fast); }},
        {"uniform-system", [&s] { fill_uniform(s.words, s.system); }},
        {"uniform-fast", [&s] { fill_uniform(s.words, s.fast); }},
        {"gaussian-system", [&s] { fill_gaussian(s.words, s.system); }},
        {"gaussian-fast", [&s] { fill_gaussian(s.words, s.fast); }},
        {"ring-sbc",
         [&s] { encrypt_ring_sbc(s.ring, s.bits, s.other, s.fourier, s.blake2, s.normal); }},
        {"uniform-blake2", [&s] { fill_uniform(s.words, s.blake2); }},
        {"gaussian-blake2", [&s] { fill_gaussian(s.words, s.blake2); }},
        {"ziggurat-system", [&s] { fill_ziggurat(s.words, s.system, s.normal); }},
        {"ziggurat-blake2", [&s] { fill_ziggurat(s.words, s.blake2, s.normal); }},
        {"product", [&s] { product(s.words, s.ring.mask, s.key, s.fourier); }},
        {"forward",
         [&s] {
             s.fourier.forward(s.one, reinterpret_cast<const std::int32_t *>(s.ring.mask.data()));
         }},
        {"pointwise", [&s] { Fourier<double>::multiply(s.one, s.other); }},
        {"inverse", [&s] { s.fourier.inverse(s.words.data(), s.one); }},
        {"lwe-256-system", [lwe, &s] { lwe(s.system, 256); }},
        {"lwe-256-fast", [lwe, &s] { lwe(s.fast, 256); }},
        {"lwe-1024-system", [lwe, &s] { lwe(s.system, 1024); }},
        {"lwe-1024-fast", [lwe, &s] { lwe(s.fast, 1024); }},
        {"extract", [&s] { extract(s.rows, s.ring); }},
        {"isopod-tuniform", [&s] { s.tuniform.encrypt(s.bits); }},
        {"isopod-gaussian", [&s] { s.gaussian.encrypt(s.bits); }},
        {"isopod-tuniform-public", [&s] { s.tuniform_public.encrypt(s.bits); }},
        {"isopod-gaussian-public", [&s] { s.gaussian_public.encrypt(s.bits); }},
    };
}

static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

// The least of many, for at least a quarter of a second and three calls.
static double least(const std::function<void()> &call) {
    double best = 1e30;
    call();
    const double start = now();
    for (int count = 0; count < 3 || now() - start < 250000.0; ++count) {
        const double before = now();
        call();
        best = std::min(best, now() - before);
    }
    return best;
}

__attribute__((noinline)) static std::size_t stack_of(const std::function<void()> &call) {
    isopod_stack_paint();
    call();
    return isopod_stack_used();
}

// The inputs of an encryption beside the program: key, message, tables, generator and ciphertext.
static void print_memory(const Cases &all) {
    const std::size_t common = sizeof(Key) + sizeof(Bits) + sizeof(FastGenerator);
    const std::pair<const char *, std::size_t> objects[] = {
        {"lwe-256-fast", common + 256 * sizeof(Lwe)},
        {"lwe-1024-fast", common + 1024 * sizeof(Lwe)},
        {"ring-fast", common + sizeof(Ring) + sizeof(Fourier<double>)},
        {"ring-sbc", common + sizeof(Ring) + sizeof(Fourier<double>) + sizeof(Ziggurat) +
                         sizeof(Spectrum<double>)},
        {"isopod-tuniform", sizeof(Bits) + sizeof(Isopod)},
    };
    const char *separator = "";
    std::printf("  \"memory\": {");
    for (const auto &[name, bytes] : objects) {
        std::printf("%s\"%s\": %zu", separator, name, bytes + stack_of(all.at(name)));
        separator = ", ";
    }
    std::printf("},\n");
}

// Root of the mean square error of a product relative to the mean square of the exact one, both
// modulo 2^32 and signed; and the error's standard deviation in units of 2^-32, which has to stay
// below the noise of 2^7.
template <class Real> static void print_error(const char *name, State &s) {
    auto fourier = std::make_unique<Fourier<Real>>();
    auto one = std::make_unique<Spectrum<Real>>(), other = std::make_unique<Spectrum<Real>>();
    double squares = 0, errors = 0;
    for (int round = 0; round < 20; ++round) {
        fill_uniform(s.ring.mask, s.fast);
        fourier->forward(*one, reinterpret_cast<const std::int32_t *>(s.ring.mask.data()));
        fourier->forward(*other, s.key.data());
        Fourier<Real>::multiply(*one, *other);
        fourier->inverse(s.words.data(), *one);
        for (std::size_t i = 0; i < DEGREE; ++i) {
            std::uint32_t exact = 0;
            for (std::size_t j = 0; j < DEGREE; ++j) {
                const std::uint32_t a =
                    j <= i ? s.ring.mask[i - j] : 0u - s.ring.mask[DEGREE + i - j];
                exact += a * static_cast<std::uint32_t>(s.key[j]);
            }
            const double wanted = static_cast<std::int32_t>(exact);
            const double error = static_cast<std::int32_t>(s.words[i] - exact);
            squares += wanted * wanted;
            errors += error * error;
        }
    }
    std::printf("  \"%s\": {\"rrmse\": %.3g, \"deviation\": %.6g}", name,
                std::sqrt(errors / squares), std::sqrt(errors / (20.0 * DEGREE)));
}

#ifdef __aarch64__
static void watched(const std::function<void()> &call) {
    isopod_region_begin();
    call();
    isopod_region_end();
}
#else
__attribute__((noinline)) static void watched(const std::function<void()> &call) {
    call();
}
#endif

int main(int count, char **arguments) {
    auto state = std::make_unique<State>();
    const Cases all = cases(*state);
    if (count == 2) {
        const auto &call = all.at(arguments[1]);
        call();
        watched(call);
        return 0;
    }
    std::printf("{\n");
    for (const auto &[name, call] : all) {
        std::printf("  \"%s\": %.3f,\n", name.c_str(), least(call));
    }
    print_memory(all);
    print_error<double>("double", *state);
    std::printf(",\n");
    print_error<float>("single", *state);
    std::printf("\n}\n");
    return 0;
}
