// The calls of SEAL that the crate needs; none has a secret in its types unless its name says
// so. Every function that can fail throws, and cxx turns the exception into a Rust error.
#pragma once

#include "rust/cxx.h"
#include "seal/seal.h"
#include <cstdint>
#include <memory>
#include <vector>
#include <optional>

namespace isopod {

// SEAL's context with the objects that are costly to make. `primes` below always is the number of
// remaining data primes, from 1.
struct Native {
    explicit Native(const seal::EncryptionParameters &parameters);
    seal::parms_id_type level(std::size_t primes) const;

    seal::SEALContext context;
    seal::Evaluator evaluator;
    // One of the two. Their encode and decode are not const, but change nothing that lasts.
    mutable std::optional<seal::CKKSEncoder> encoder;
    mutable std::optional<seal::BatchEncoder> batch;
};

struct Peer {
    Peer(const Native &native, const seal::SecretKey &secret);
    seal::Encryptor encryptor;
};

using Words = rust::Slice<const std::uint64_t>;
using Bytes = rust::Slice<const std::uint8_t>;
using Reals = rust::Slice<const double>;
using Integers = rust::Slice<const std::int64_t>;
using SavedBytes = std::vector<std::uint8_t>;

rust::String version();
// Makes a context of BFV, or of CKKS if the plaintext modulus is 0.
std::unique_ptr<Native> make_native(std::size_t ring_degree, Words primes,
                                    std::uint64_t plain_modulus);

std::unique_ptr<seal::Ciphertext> load_ciphertext(const Native &native, Bytes image);
std::unique_ptr<seal::Ciphertext> copy(const seal::Ciphertext &ciphertext);
std::size_t polynomials(const seal::Ciphertext &ciphertext);
std::size_t primes(const seal::Ciphertext &ciphertext);
double scale(const seal::Ciphertext &ciphertext);
void set_scale(seal::Ciphertext &ciphertext, double scale);
Words words(const seal::Ciphertext &ciphertext);
void to_ntt(const Native &native, seal::Ciphertext &a);
void from_ntt(const Native &native, seal::Ciphertext &a);

std::unique_ptr<seal::Plaintext> encode(const Native &native, Reals values, double scale,
                                        std::size_t primes);
std::unique_ptr<seal::Plaintext> encode_constant(const Native &native, double value, double scale,
                                                 std::size_t primes);
rust::Vec<double> decode(const Native &native, const seal::Plaintext &plaintext);
std::unique_ptr<seal::Plaintext> encode_slots(const Native &native, Integers values);
rust::Vec<std::int64_t> decode_slots(const Native &native, const seal::Plaintext &plaintext);
std::unique_ptr<seal::Plaintext> encode_coefficients(Words values);
rust::Vec<std::uint64_t> decode_coefficients(const seal::Plaintext &plaintext);

void add(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b);
void subtract(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b);
void add_plain(const Native &native, seal::Ciphertext &a, const seal::Plaintext &b);
void multiply(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b);
void multiply_plain(const Native &native, seal::Ciphertext &a, const seal::Plaintext &b);
void square(const Native &native, seal::Ciphertext &a);
void rescale(const Native &native, seal::Ciphertext &a);
// In drop_primes.cpp.
void drop_primes(const Native &native, seal::Ciphertext &a, std::size_t primes);
void relinearize(const Native &native, seal::Ciphertext &a, const seal::RelinKeys &keys);
void apply_galois(const Native &native, seal::Ciphertext &a, std::uint32_t element,
                  const seal::GaloisKeys &keys);

std::unique_ptr<seal::RelinKeys> load_relinearization_key(const Native &native, Bytes image);
std::unique_ptr<seal::GaloisKeys> load_galois_keys(const Native &native, Bytes image);
Words relinearization_words(const seal::RelinKeys &keys, std::size_t decomposition);
Words galois_words(const seal::GaloisKeys &keys, std::uint32_t element, std::size_t decomposition);

// Functions of the owner, which take the secret key.
void transform_ternary(const Native &native, rust::Slice<const std::int8_t> coefficients,
                       rust::Slice<std::uint64_t> out);
std::unique_ptr<seal::SecretKey> load_secret_key(const Native &native, Bytes image);
std::unique_ptr<seal::Plaintext> decrypt(const Native &native, const seal::SecretKey &secret,
                                         const seal::Ciphertext &a);
int noise_budget(const Native &native, const seal::SecretKey &secret, const seal::Ciphertext &a);
std::unique_ptr<seal::RelinKeys> make_relinearization_key(const Native &native,
                                                          const seal::SecretKey &secret);
std::unique_ptr<seal::GaloisKeys> make_galois_keys(const Native &native,
                                                   const seal::SecretKey &secret,
                                                   rust::Slice<const std::uint32_t> elements);

std::unique_ptr<Peer> make_peer(const Native &native, const seal::SecretKey &secret);
std::unique_ptr<seal::Ciphertext> peer_encrypt(const Peer &peer, const seal::Plaintext &plaintext);
std::unique_ptr<seal::Ciphertext> peer_encrypt_symmetric(const Peer &peer,
                                                         const seal::Plaintext &plaintext);
std::unique_ptr<SavedBytes> peer_serialize(const seal::Ciphertext &ciphertext);
std::unique_ptr<SavedBytes> peer_serialize_public(const Peer &peer,
                                                  const seal::Plaintext &plaintext);
std::unique_ptr<SavedBytes> peer_serialize_seeded(const Peer &peer,
                                                  const seal::Plaintext &plaintext);

} // namespace isopod
