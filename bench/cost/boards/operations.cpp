// Operations of the low-SWaP report on Microsoft SEAL, each once to warm up and once as a region of
// bench/counter, whose names it prints in their order. Usage: operations bfv|ckks DEGREE, on SEAL's
// default primes of that degree.
#include "counter/markers.h"
#include "seal/seal.h"
#include <cstdlib>
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

void count(const char *operation, const std::function<void()> &run) {
    run();
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

// Every run starts from a copy, whose cost is a region of its own.
void switching(Machine &machine) {
    RelinKeys relinearization;
    GaloisKeys galois;
    Ciphertext result;
    machine.keys.create_relin_keys(relinearization);
    machine.keys.create_galois_keys(std::vector<int>{1, 0}, galois);
    auto &evaluator = machine.evaluator;
    count("relinearize", [&] { evaluator.relinearize(machine.product, relinearization, result); });
    if (machine.is_bfv) {
        count("rotate", [&] { evaluator.rotate_rows(machine.first, 1, galois, result); });
        count("columns", [&] { evaluator.rotate_columns(machine.first, galois, result); });
        return;
    }
    count("rescale", [&] { evaluator.rescale_to_next(machine.first, result); });
    count("rotate", [&] { evaluator.rotate_vector(machine.first, 1, galois, result); });
    count("conjugate", [&] { evaluator.complex_conjugate(machine.first, galois, result); });
}

} // namespace

int main(int argc, char **argv) {
    const bool is_bfv = argc == 3 && std::string(argv[1]) == "bfv";
    if (!is_bfv && !(argc == 3 && std::string(argv[1]) == "ckks")) {
        std::cerr << "usage: operations bfv|ckks DEGREE\n";
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
