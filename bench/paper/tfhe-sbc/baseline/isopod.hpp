// The device library as a host uses it: encryption of 1024 bits in one ring ciphertext, N = 1024, q
// = 2^32.
#ifndef ISOPOD_HPP
#define ISOPOD_HPP

#include <array>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

#include "isopod/tfhe.h"
#include "isopod/tfhe_keygen.h"

constexpr std::size_t BITS = 1024;
using Bits = std::array<std::uint8_t, BITS>;

inline int system_entropy(void *, std::uint8_t *out, std::size_t length) {
    return getrandom(out, length, 0) == static_cast<ssize_t>(length) ? 0 : 1;
}

// Isopod's library with a fresh key, a secret one prepared once; a message of 1024 bits.
class Isopod {
  public:
    Isopod(const isopod_tfhe_params &params, isopod_tfhe_key_kind kind) {
        std::uint8_t seed[32];
        std::uint32_t secret[BITS / 16];
        require(isopod_tfhe_tables_build(&tables, &params, twiddles, sizeof twiddles) ==
                    ISOPOD_OK &&
                system_entropy(nullptr, seed, 32) == 0);
        isopod_tfhe_keygen_secret(secret, &params, seed);
        const isopod_tfhe_keygen keygen = {&params, &tables, seed, seed, secret, workspace};
        require(isopod_tfhe_keygen_blob(blob, &keygen, kind) == ISOPOD_OK);
        const auto open = kind == ISOPOD_TFHE_KEY_SECRET ? isopod_tfhe_secret_key_open
                                                         : isopod_tfhe_public_key_open;
        require(open(&key, &params, blob, isopod_tfhe_blob_bytes(&params, kind)) == ISOPOD_OK);
        if (kind == ISOPOD_TFHE_KEY_SECRET) {
            require(isopod_tfhe_key_prepare(&key, &tables, prepared, sizeof prepared) == ISOPOD_OK);
        }
        entropy.fill = system_entropy;
        config.params = &params;
        config.tables = &tables;
        config.suite = &isopod_tfhe_chacha20;
        config.key = &key;
        sender.epoch = 1;
        sender.key = blob_bytes();
        config.accept_label = params.label;
    }

    void encrypt(const Bits &bits) {
        const isopod_tfhe_run run = {bits.data(), BITS, ISOPOD_TFHE_BOOL};
        const isopod_tfhe_values values = {&run, 1};
        std::size_t length = 0;
        isopod_status status = isopod_tfhe_begin(&context, &config, &encryptor, &values);
        while (status == ISOPOD_OK) {
            status = isopod_tfhe_next(&context, wire, sizeof wire, &length);
        }
        require(status == ISOPOD_DONE);
    }

  private:
    static void require(bool done) {
        if (!done) {
            std::abort();
        }
    }

    // Any 32 bytes: nobody checks the frames of this measurement.
    const std::uint8_t *blob_bytes() const { return reinterpret_cast<const std::uint8_t *>(blob); }

    alignas(8) std::uint8_t workspace[ISOPOD_TFHE_PUBLIC_WORKSPACE(BITS, 4)];
    alignas(8) std::uint8_t prepared[ISOPOD_TFHE_PREPARED_BYTES(BITS)];
    alignas(8) std::uint32_t blob[(80 + 8 * BITS) / 4];
    std::int32_t twiddles[BITS];
    std::uint8_t wire[4 * BITS];
    isopod_tfhe_key key{};
    isopod_tfhe_config config{};
    isopod_entropy entropy{};
    isopod_sender sender{};
    const isopod_encryptor encryptor{{workspace, sizeof workspace}, &entropy, &sender};
    isopod_tfhe_tables tables{};
    isopod_tfhe context{};
};

#endif
