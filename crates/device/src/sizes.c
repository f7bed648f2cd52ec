/* The compiler's sizes of the structures that src/ffi.rs declares by hand, compared by its test. */
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/key_pair.h"
#include "isopod/result.h"
#include "isopod/tfhe_frame.h"
#include "isopod/tfhe_keygen.h"

const size_t isopod_rust_sizes[11] = {
    sizeof(isopod_prime),   sizeof(isopod_params),     sizeof(isopod_tables),
    sizeof(isopod_entropy), sizeof(isopod_key),        sizeof(isopod_encryption_config),
    sizeof(isopod_values),  sizeof(isopod_encryption), sizeof(isopod_identity),
    sizeof(isopod_frame),   sizeof(isopod_piece)};

const size_t isopod_rust_decrypt_sizes[5] = {sizeof(isopod_decrypt_config), sizeof(isopod_answer),
                                             sizeof(isopod_decoded), sizeof(isopod_decrypt),
                                             sizeof(isopod_result)};

const size_t isopod_rust_key_pair_sizes[3] = {sizeof(isopod_key_pair_config),
                                              sizeof(isopod_key_pair), sizeof(isopod_key_piece)};

const size_t isopod_rust_tfhe_sizes[8] = {sizeof(isopod_tfhe_params), sizeof(isopod_tfhe_key),
                                          sizeof(isopod_tfhe_run),    sizeof(isopod_tfhe_values),
                                          sizeof(isopod_tfhe_config), sizeof(isopod_tfhe),
                                          sizeof(isopod_tfhe_frame),  sizeof(isopod_tfhe_keygen)};
