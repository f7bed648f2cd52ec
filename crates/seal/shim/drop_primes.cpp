// Division of a BFV ciphertext by its last primes in one pass, rounded once; SEAL divides and
// copies once for every prime.
//
// With D the product of the dropped primes q_i, v_i = x (D/q_i)^-1 mod q_i and e the sum of
// v_i/q_i, rounded, x/D - sum of v_i/q_i + e is x/D rounded, modulo each prime that is left
// [HPS18]. A sum within the error of double numbers from a half may round to its other side, which
// is as near.
#include "isopod-seal/shim/shim.h"
#include "seal/util/uintarithsmallmod.h"
#include <stdexcept>

namespace isopod {

namespace {

using seal::Modulus;
using seal::util::add_uint_mod;
using seal::util::barrett_reduce_64;
using seal::util::multiply_uint_mod;
using Factor = seal::util::MultiplyUIntModOperand;
using Factors = std::vector<Factor>;

std::uint64_t inverse(std::uint64_t value, const Modulus &modulus) {
    std::uint64_t found = 0;
    if (!seal::util::try_invert_uint_mod(value, modulus, found)) {
        throw std::invalid_argument("primes of a chain are equal");
    }
    return found;
}

Factor factor(std::uint64_t value, const Modulus &modulus) {
    Factor made;
    made.set(value, modulus);
    return made;
}

// The factors that give each v_i.
Factors digits(const std::vector<Modulus> &dropped) {
    Factors made;
    for (const auto &prime : dropped) {
        std::uint64_t others = 1;
        for (const auto &other : dropped) {
            if (other != prime) {
                others = multiply_uint_mod(others, barrett_reduce_64(other.value(), prime), prime);
            }
        }
        made.push_back(factor(inverse(others, prime), prime));
    }
    return made;
}

// Modulo a prime that is left, -q_i^-1 for each dropped prime, and last D^-1.
Factors quotients(const std::vector<Modulus> &dropped, const Modulus &prime) {
    Factors made;
    std::uint64_t all = 1;
    for (const auto &other : dropped) {
        const auto one = inverse(barrett_reduce_64(other.value(), prime), prime);
        all = multiply_uint_mod(all, one, prime);
        made.push_back(factor(seal::util::negate_uint_mod(one, prime), prime));
    }
    made.push_back(factor(all, prime));
    return made;
}

struct Division {
    Division(const std::vector<Modulus> &primes, std::size_t left)
        : kept(primes.begin(), primes.begin() + left), dropped(primes.begin() + left, primes.end()),
          digit(digits(dropped)), digit_of(dropped.size()) {
        for (const auto &prime : kept) {
            quotient.push_back(quotients(dropped, prime));
        }
    }

    // Divides one coefficient; its residues are `degree` words apart.
    void divide(const std::uint64_t *from, std::uint64_t *to, std::size_t degree) {
        double sum = 0.5;
        for (std::size_t i = 0; i < dropped.size(); i++) {
            const auto residue = from[(kept.size() + i) * degree];
            digit_of[i] = multiply_uint_mod(residue, digit[i], dropped[i]);
            sum += static_cast<double>(digit_of[i]) / static_cast<double>(dropped[i].value());
        }
        for (std::size_t j = 0; j < kept.size(); j++) {
            const auto &prime = kept[j];
            auto rounded = multiply_uint_mod(from[j * degree], quotient[j].back(), prime);
            rounded = add_uint_mod(rounded, static_cast<std::uint64_t>(sum), prime);
            for (std::size_t i = 0; i < dropped.size(); i++) {
                const auto part = multiply_uint_mod(digit_of[i], quotient[j][i], prime);
                rounded = add_uint_mod(rounded, part, prime);
            }
            to[j * degree] = rounded;
        }
    }

    std::vector<Modulus> kept, dropped;
    Factors digit;
    std::vector<std::uint64_t> digit_of;
    std::vector<Factors> quotient;
};

} // namespace

void drop_primes(const Native &native, seal::Ciphertext &a, std::size_t primes) {
    if (a.is_ntt_form() || primes == a.coeff_modulus_size()) {
        native.evaluator.mod_switch_to_inplace(a, native.level(primes));
        return;
    }
    const auto level = native.context.get_context_data(a.parms_id());
    if (!level || primes == 0 || primes > a.coeff_modulus_size()) {
        throw std::invalid_argument("the ciphertext is not at a level above");
    }
    Division division(level->parms().coeff_modulus(), primes);
    const auto degree = a.poly_modulus_degree();
    seal::Ciphertext switched(native.context, native.level(primes), a.size());
    switched.resize(native.context, native.level(primes), a.size());
    for (std::size_t polynomial = 0; polynomial < a.size(); polynomial++) {
        for (std::size_t at = 0; at < degree; at++) {
            division.divide(a.data(polynomial) + at, switched.data(polynomial) + at, degree);
        }
    }
    a = std::move(switched);
}

} // namespace isopod
