// Operations of the low-SWaP report on Microsoft SEAL, each once to warm up and once as a region of
// bench/counter, whose names it prints in their order. Usage: operations bfv|ckks DEGREE [times],
// on SEAL's default primes of that degree. With `times` every name is followed by the median of the
// milliseconds of this thread's processor time.
#include "counter/markers.h"
#include "seal/seal.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace seal;

namespace {

// Numbers that repeat from run to run.
std::vector<std::uint64_t> integers(std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    std::uint32_t state = 12345;
    for (auto &number : numbers) {
        state = state * 1664525u + 1013904223u;
        number = state >> 12;
    }
    return numbers;
}

std::vector<double> reals(std::size_t count) {
    std::vector<double> numbers;
    for (auto number : integers(count)) {
        numbers.push_back(static_cast<double>(number) / (1u << 20));
    }
    return numbers;
}

bool is_timed = false;

double milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// At least 5 runs, and as many as a fifth of a second has time for.
void time(const char *operation, const std::function<void()> &run) {
    std::vector<double> taken;
    for (const double start = milliseconds(); taken.size() < 5 || milliseconds() - start < 200;) {
        const double before = milliseconds();
        run();
        taken.push_back(milliseconds() - before);
    }
    std::nth_element(taken.begin(), taken.begin() + taken.size() / 2, taken.end());
    std::cout << operation << ' ' << taken[taken.size() / 2] << '\n';
}

void count(const char *operation, const std::function<void()> &run) {
    run();
    if (is_timed) {
        time(operation, run);
        return;
    }
    isopod_region_begin();
    run();
    isopod_region_end();
    std::cout << operation << '\n';
}

struct Machine {
    bool is_bfv;
    SEALContext context;
    KeyGenerator keys;
    PublicKey public_key;
    Encryptor encryptor;
    Decryptor decryptor;
    Evaluator evaluator;
    Plaintext plain;
    Ciphertext first, second, product;

    Machine(bool bfv, const EncryptionParameters &parameters)
        : is_bfv(bfv), context(parameters), keys(context), public_key(made(keys)),
          encryptor(context, public_key, keys.secret_key()), decryptor(context, keys.secret_key()),
          evaluator(context) {}

    static PublicKey made(const KeyGenerator &keys) {
        PublicKey key;
        keys.create_public_key(key);
        return key;
    }
};

void encoding(Machine &machine, const EncryptionParameters &parameters) {
    Plaintext decrypted;
    if (machine.is_bfv) {
        BatchEncoder encoder(machine.context);
        auto values = integers(encoder.slot_count());
        for (auto &value : values) {
            value %= parameters.plain_modulus().value();
        }
        count("encode", [&] { encoder.encode(values, machine.plain); });
        count("decode", [&] { encoder.decode(machine.plain, values); });
        return;
    }
    CKKSEncoder encoder(machine.context);
    auto values = reals(encoder.slot_count());
    const double scale = std::sqrt(static_cast<double>(parameters.coeff_modulus().back().value()));
    count("encode", [&] { encoder.encode(values, scale, machine.plain); });
    count("decode", [&] { encoder.decode(machine.plain, values); });
}

void client(Machine &machine) {
    Plaintext decrypted;
    count("encrypt", [&] { machine.encryptor.encrypt(machine.plain, machine.first); });
    count("encrypt-secret",
          [&] { machine.encryptor.encrypt_symmetric(machine.plain, machine.second); });
    count("decrypt", [&] { machine.decryptor.decrypt(machine.first, decrypted); });
    count("serialize", [&] {
        std::stringstream stream;
        machine.first.save(stream, compr_mode_type::none);
    });
}

void arithmetic(Machine &machine) {
    Ciphertext result;
    count("add", [&] { machine.evaluator.add(machine.first, machine.second, result); });
    count("multiply",
          [&] { machine.evaluator.multiply(machine.first, machine.second, machine.product); });
    count("multiply-plain",
          [&] { machine.evaluator.multiply_plain(machine.first, machine.plain, result); });
    count("square", [&] { machine.evaluator.square(machine.first, result); });
}

// Random rotations, up to a row in either direction, from keys of powers of two.
struct Steps {
    std::uint32_t row;
    std::uint32_t state = 12345;

    int next() {
        state = state * 1664525u + 1013904223u;
        const int step = static_cast<int>(1 + (state >> 12) % (row - 1));
        return state >> 31 ? -step : step;
    }
};

// Every run starts from a copy, whose cost is a region of its own.
void switching(Machine &machine) {
    RelinKeys relinearization;
    GaloisKeys galois;
    Ciphertext result;
    machine.keys.create_relin_keys(relinearization);
    machine.keys.create_galois_keys(galois);
    auto &evaluator = machine.evaluator;
    Steps steps{static_cast<std::uint32_t>(
        machine.context.first_context_data()->parms().poly_modulus_degree() / 2)};
    count("relinearize", [&] { evaluator.relinearize(machine.product, relinearization, result); });
    if (machine.is_bfv) {
        count("rotate", [&] { evaluator.rotate_rows(machine.first, 1, galois, result); });
        count("rotate-random",
              [&] { evaluator.rotate_rows(machine.first, steps.next(), galois, result); });
        count("columns", [&] { evaluator.rotate_columns(machine.first, galois, result); });
        return;
    }
    count("rescale", [&] { evaluator.rescale_to_next(machine.first, result); });
    count("rotate", [&] { evaluator.rotate_vector(machine.first, 1, galois, result); });
    count("rotate-random",
          [&] { evaluator.rotate_vector(machine.first, steps.next(), galois, result); });
    count("conjugate", [&] { evaluator.complex_conjugate(machine.first, galois, result); });
}

} // namespace

int main(int argc, char **argv) {
    is_timed = argc == 4 && std::string(argv[3]) == "times";
    const std::string scheme = argc == 3 || is_timed ? argv[1] : "";
    const bool is_bfv = scheme == "bfv";
    if (!is_bfv && scheme != "ckks") {
        std::cerr << "usage: operations bfv|ckks DEGREE [times]\n";
        return 2;
    }
    const std::size_t degree = std::strtoul(argv[2], nullptr, 10);
    EncryptionParameters parameters(is_bfv ? scheme_type::bfv : scheme_type::ckks);
    parameters.set_poly_modulus_degree(degree);
    parameters.set_coeff_modulus(CoeffModulus::BFVDefault(degree));
    if (is_bfv) {
        parameters.set_plain_modulus(PlainModulus::Batching(degree, 20));
    }
    Machine machine(is_bfv, parameters);
    encoding(machine, parameters);
    client(machine);
    arithmetic(machine);
    if (machine.context.using_keyswitching()) {
        switching(machine);
    }
    return 0;
}
