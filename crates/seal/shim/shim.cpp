// Calls of SEAL behind shim.h, each in its own function; exceptions of SEAL pass through.
#include "isopod-seal/shim/shim.h"
#include "seal/util/ntt.h"
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace isopod {

namespace {

// SEAL itself checks the arguments of set_scale, add_plain and the like; only a context that it
// refuses comes without an exception.
void require_accepted(const seal::SEALContext &context) {
    if (!context.parameters_set()) {
        throw std::invalid_argument(context.parameter_error_message());
    }
}

seal::EncryptionParameters parameters_of(std::size_t ring_degree, Words primes,
                                         std::uint64_t plain_modulus) {
    seal::EncryptionParameters parameters(plain_modulus == 0 ? seal::scheme_type::ckks
                                                             : seal::scheme_type::bfv);
    parameters.set_poly_modulus_degree(ring_degree);
    std::vector<seal::Modulus> moduli(primes.begin(), primes.end());
    parameters.set_coeff_modulus(moduli);
    if (plain_modulus != 0) {
        parameters.set_plain_modulus(plain_modulus);
    }
    return parameters;
}

// The last prime of a chain below this carries no key: nothing is published under it, and SEAL's
// count of bits does not apply.
constexpr std::uint64_t least_key_prime = 1u << 20;

seal::SEALContext checked_context(const seal::EncryptionParameters &parameters) {
    const auto last = parameters.coeff_modulus().back().value();
    const auto level =
        last < least_key_prime ? seal::sec_level_type::none : seal::sec_level_type::tc128;
    seal::SEALContext context(parameters, true, level);
    require_accepted(context);
    return context;
}

template <class Object> std::unique_ptr<Object> load(const Native &native, Bytes image) {
    auto object = std::make_unique<Object>();
    object->load(native.context, reinterpret_cast<const seal::seal_byte *>(image.data()),
                 image.size());
    return object;
}

Words public_key_words(const seal::PublicKey &key) {
    return {key.data().data(), key.data().dyn_array().size()};
}

template <class Object> std::unique_ptr<SavedBytes> serialize(const Object &object) {
    auto bytes = std::make_unique<SavedBytes>(
        static_cast<std::size_t>(object.save_size(seal::compr_mode_type::none)));
    const auto size = object.save(reinterpret_cast<seal::seal_byte *>(bytes->data()), bytes->size(),
                                  seal::compr_mode_type::none);
    bytes->resize(static_cast<std::size_t>(size));
    return bytes;
}

} // namespace

Native::Native(const seal::EncryptionParameters &parameters)
    : context(checked_context(parameters)), evaluator(context) {
    if (parameters.scheme() == seal::scheme_type::ckks) {
        encoder.emplace(context);
    } else {
        batch.emplace(context);
    }
}

seal::parms_id_type Native::level(std::size_t primes) const {
    for (auto data = context.first_context_data(); data; data = data->next_context_data()) {
        if (data->parms().coeff_modulus().size() == primes) {
            return data->parms_id();
        }
    }
    throw std::invalid_argument("no level has " + std::to_string(primes) + " primes");
}

Peer::Peer(const Native &native, const seal::SecretKey &secret)
    : encryptor(native.context, secret) {
    seal::PublicKey public_key;
    seal::KeyGenerator(native.context, secret).create_public_key(public_key);
    encryptor.set_public_key(public_key);
}

rust::String version() {
#ifdef SEAL_USE_INTEL_HEXL
    const char *const kernels = " with HEXL";
#else
    const char *const kernels = " without HEXL";
#endif
    return std::to_string(SEAL_VERSION_MAJOR) + "." + std::to_string(SEAL_VERSION_MINOR) + "." +
           std::to_string(SEAL_VERSION_PATCH) + kernels;
}

std::unique_ptr<Native> make_native(std::size_t ring_degree, Words primes,
                                    std::uint64_t plain_modulus) {
    return std::make_unique<Native>(parameters_of(ring_degree, primes, plain_modulus));
}

std::unique_ptr<seal::Ciphertext> load_ciphertext(const Native &native, Bytes image) {
    return load<seal::Ciphertext>(native, image);
}

std::unique_ptr<seal::Ciphertext> copy(const seal::Ciphertext &ciphertext) {
    return std::make_unique<seal::Ciphertext>(ciphertext);
}

std::size_t polynomials(const seal::Ciphertext &ciphertext) {
    return ciphertext.size();
}
std::size_t primes(const seal::Ciphertext &ciphertext) {
    return ciphertext.coeff_modulus_size();
}
double scale(const seal::Ciphertext &ciphertext) {
    return ciphertext.scale();
}
void set_scale(seal::Ciphertext &ciphertext, double scale) {
    ciphertext.scale() = scale;
}

Words words(const seal::Ciphertext &ciphertext) {
    return {ciphertext.data(), ciphertext.dyn_array().size()};
}

void to_ntt(const Native &native, seal::Ciphertext &a) {
    native.evaluator.transform_to_ntt_inplace(a);
}
void from_ntt(const Native &native, seal::Ciphertext &a) {
    native.evaluator.transform_from_ntt_inplace(a);
}

std::unique_ptr<seal::Plaintext> encode(const Native &native, Reals values, double scale,
                                        std::size_t primes) {
    auto plaintext = std::make_unique<seal::Plaintext>();
    native.encoder.value().encode(std::vector<double>(values.begin(), values.end()),
                                  native.level(primes), scale, *plaintext);
    return plaintext;
}

std::unique_ptr<seal::Plaintext> encode_constant(const Native &native, double value, double scale,
                                                 std::size_t primes) {
    auto plaintext = std::make_unique<seal::Plaintext>();
    native.encoder.value().encode(value, native.level(primes), scale, *plaintext);
    return plaintext;
}

rust::Vec<double> decode(const Native &native, const seal::Plaintext &plaintext) {
    std::vector<double> slots;
    native.encoder.value().decode(plaintext, slots);
    rust::Vec<double> values;
    values.reserve(slots.size());
    for (double value : slots) {
        values.push_back(value);
    }
    return values;
}

std::unique_ptr<seal::Plaintext> encode_slots(const Native &native, Integers values) {
    auto plaintext = std::make_unique<seal::Plaintext>();
    native.batch.value().encode(std::vector<std::int64_t>(values.begin(), values.end()),
                                *plaintext);
    return plaintext;
}

rust::Vec<std::int64_t> decode_slots(const Native &native, const seal::Plaintext &plaintext) {
    std::vector<std::int64_t> slots;
    native.batch.value().decode(plaintext, slots);
    rust::Vec<std::int64_t> values;
    values.reserve(slots.size());
    for (std::int64_t value : slots) {
        values.push_back(value);
    }
    return values;
}

std::unique_ptr<seal::Plaintext> encode_coefficients(Words values) {
    auto plaintext = std::make_unique<seal::Plaintext>(values.size());
    std::copy(values.begin(), values.end(), plaintext->data());
    return plaintext;
}

rust::Vec<std::uint64_t> decode_coefficients(const seal::Plaintext &plaintext) {
    rust::Vec<std::uint64_t> values;
    values.reserve(plaintext.coeff_count());
    for (std::size_t i = 0; i < plaintext.coeff_count(); i++) {
        values.push_back(plaintext[i]);
    }
    return values;
}

void add(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b) {
    native.evaluator.add_inplace(a, b);
}

void subtract(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b) {
    native.evaluator.sub_inplace(a, b);
}

void add_plain(const Native &native, seal::Ciphertext &a, const seal::Plaintext &b) {
    native.evaluator.add_plain_inplace(a, b);
}

void multiply(const Native &native, seal::Ciphertext &a, const seal::Ciphertext &b) {
    native.evaluator.multiply_inplace(a, b);
}

void multiply_plain(const Native &native, seal::Ciphertext &a, const seal::Plaintext &b) {
    native.evaluator.multiply_plain_inplace(a, b);
}

void square(const Native &native, seal::Ciphertext &a) {
    native.evaluator.square_inplace(a);
}
void rescale(const Native &native, seal::Ciphertext &a) {
    native.evaluator.rescale_to_next_inplace(a);
}

void relinearize(const Native &native, seal::Ciphertext &a, const seal::RelinKeys &keys) {
    native.evaluator.relinearize_inplace(a, keys);
}

void apply_galois(const Native &native, seal::Ciphertext &a, std::uint32_t element,
                  const seal::GaloisKeys &keys) {
    native.evaluator.apply_galois_inplace(a, element, keys);
}

std::unique_ptr<seal::RelinKeys> load_relinearization_key(const Native &native, Bytes image) {
    return load<seal::RelinKeys>(native, image);
}

std::unique_ptr<seal::GaloisKeys> load_galois_keys(const Native &native, Bytes image) {
    return load<seal::GaloisKeys>(native, image);
}

Words relinearization_words(const seal::RelinKeys &keys, std::size_t decomposition) {
    return public_key_words(keys.key(2).at(decomposition));
}

Words galois_words(const seal::GaloisKeys &keys, std::uint32_t element, std::size_t decomposition) {
    return public_key_words(keys.key(element).at(decomposition));
}

void transform_ternary(const Native &native, rust::Slice<const std::int8_t> coefficients,
                       rust::Slice<std::uint64_t> out) {
    const auto data = native.context.key_context_data();
    const auto &moduli = data->parms().coeff_modulus();
    const std::size_t n = coefficients.size();
    for (std::size_t j = 0; j < moduli.size(); j++) {
        std::uint64_t *residues = out.data() + j * n;
        for (std::size_t i = 0; i < n; i++) {
            // The mask turns -1 into q - 1 without a branch on the secret.
            const std::int64_t value = coefficients[i];
            residues[i] = static_cast<std::uint64_t>(value) +
                          (moduli[j].value() & static_cast<std::uint64_t>(value >> 63));
        }
        seal::util::ntt_negacyclic_harvey(seal::util::CoeffIter(residues),
                                          data->small_ntt_tables()[j]);
    }
}

std::unique_ptr<seal::SecretKey> load_secret_key(const Native &native, Bytes image) {
    return load<seal::SecretKey>(native, image);
}

std::unique_ptr<seal::Plaintext> decrypt(const Native &native, const seal::SecretKey &secret,
                                         const seal::Ciphertext &a) {
    auto plaintext = std::make_unique<seal::Plaintext>();
    seal::Decryptor(native.context, secret).decrypt(a, *plaintext);
    return plaintext;
}

int noise_budget(const Native &native, const seal::SecretKey &secret, const seal::Ciphertext &a) {
    return seal::Decryptor(native.context, secret).invariant_noise_budget(a);
}

std::unique_ptr<seal::RelinKeys> make_relinearization_key(const Native &native,
                                                          const seal::SecretKey &secret) {
    auto keys = std::make_unique<seal::RelinKeys>();
    seal::KeyGenerator(native.context, secret).create_relin_keys(*keys);
    return keys;
}

std::unique_ptr<seal::GaloisKeys> make_galois_keys(const Native &native,
                                                   const seal::SecretKey &secret,
                                                   rust::Slice<const std::uint32_t> elements) {
    auto keys = std::make_unique<seal::GaloisKeys>();
    std::vector<std::uint32_t> wanted(elements.begin(), elements.end());
    seal::KeyGenerator(native.context, secret).create_galois_keys(wanted, *keys);
    return keys;
}

std::unique_ptr<Peer> make_peer(const Native &native, const seal::SecretKey &secret) {
    return std::make_unique<Peer>(native, secret);
}

std::unique_ptr<seal::Ciphertext> peer_encrypt(const Peer &peer, const seal::Plaintext &plaintext) {
    auto ciphertext = std::make_unique<seal::Ciphertext>();
    peer.encryptor.encrypt(plaintext, *ciphertext);
    return ciphertext;
}

std::unique_ptr<seal::Ciphertext> peer_encrypt_symmetric(const Peer &peer,
                                                         const seal::Plaintext &plaintext) {
    auto ciphertext = std::make_unique<seal::Ciphertext>();
    peer.encryptor.encrypt_symmetric(plaintext, *ciphertext);
    return ciphertext;
}

std::unique_ptr<SavedBytes> peer_serialize(const seal::Ciphertext &ciphertext) {
    return serialize(ciphertext);
}

std::unique_ptr<SavedBytes> peer_serialize_public(const Peer &peer,
                                                  const seal::Plaintext &plaintext) {
    return serialize(peer.encryptor.encrypt(plaintext));
}

std::unique_ptr<SavedBytes> peer_serialize_seeded(const Peer &peer,
                                                  const seal::Plaintext &plaintext) {
    return serialize(peer.encryptor.encrypt_symmetric(plaintext));
}

} // namespace isopod
