/* The kernels: what a backend may replace, each alone. src/backend/portable/ implements all of them
 * in C; a file of the same name in src/backend/<backend>/ takes the place of the portable one when
 * the build chooses that backend, whose folder is compiled as a whole: a kernel may have helpers.
 * The outcome is bit-identical: spec/ckks.md leaves no freedom but in the representatives of
 * residues, whose bounds the headers state.
 *
 * - ntt: isopod_ntt_fold, isopod_ntt_layers; the transform.
 * - inverse_ntt: isopod_inverse_ntt; its inverse.
 * - fold: isopod_polynomial_fold; the coefficients that a chunk's layers start from.
 * - polynomial: isopod_load_*, isopod_polynomial_ntt; compact polynomials, and one chunk of their
 *   transform.
 * - pointwise: isopod_multiply_add, isopod_multiply_add_mask, isopod_*_all; products in the NTT
 *   domain.
 * - mask: isopod_mask_fields_group; uniform residues from a stream.
 * - sample, ternary: isopod_sample_error, isopod_sample_ternary; noise, and small keys.
 * - key_products: isopod_key_products; those of key generation.
 * - packing, unpack: isopod_pack_in_place, isopod_unpack*; bits on the wire, and back.
 * - product: isopod_product_with, isopod_product_with_mask; transform, product and packing of a
 *   chunk in one.
 * - encode32, encode64: isopod_encode*, isopod_message*_add; the fixed-point transform.
 * - decode32, decode64, decode64_whole: isopod_fold32, isopod_decode*; its inverse.
 * - wide_folding: isopod_wide_fold; residues of wide primes as words of the decoder.
 * - slots32, slots64: isopod_slots*; integers as slot values.
 * - values: isopod_values_check, isopod_value_fixed*; slot values as integers.
 * - chacha20, keccak, poly1305: symmetric primitives.
 * - bools, error: isopod_bools_*, isopod_error*; booleans and errors of TFHE.
 * - ring*: isopod_ring_*; products in the rings of TFHE.
 * - aes: isopod_aes128_*; the stream of masks that tfhe-rs expands.
 * - engine: isopod_engine_*; hardware for whole encryptions, of which the portable kernel has none.
 * - memory: isopod_copy, isopod_wipe, isopod_wipe_stack; moving and wiping bytes.
 *
 * src/backend/unrolled/ is a kernel that several backends include.
 */
#ifndef ISOPOD_BACKEND_H
#define ISOPOD_BACKEND_H

#include "../random/aes.h"
#include "../tfhe/bools.h"
#include "../random/chacha20.h"
#include "../encode/decode.h"
#include "../encode/encode.h"
#include "../encrypt/engine.h"
#include "../tfhe/error/error.h"
#include "../ring/inverse_ntt.h"
#include "../random/keccak.h"
#include "../keys/key_products.h"
#include "../base/memory.h"
#include "../ring/ntt.h"
#include "../ring/packing.h"
#include "../ring/pointwise.h"
#include "../wire/poly1305.h"
#include "../ring/polynomial.h"
#include "../ring/product.h"
#include "../tfhe/ring/ring.h"
#include "../random/sample.h"
#include "../random/suite_block.h"
#include "../ring/unpack.h"
#include "../encode/values.h"

#endif
