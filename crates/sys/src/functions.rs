//! Functions and constant objects of the C headers.

use crate::codes::*;
use crate::structs::*;
use crate::types::*;
use core::ffi::{c_char, c_int, c_void};

// Texts of status codes.
extern "C" {
    pub fn isopod_status_text(status: isopod_status) -> *const c_char;
}

// Packets of radios.
#[cfg(feature = "secret-key")]
extern "C" {
    pub static isopod_packet_ckks: isopod_packet_scheme;
    pub static isopod_packet_bfv: isopod_packet_scheme;
    pub static isopod_packet_by_count: isopod_packet_method;

    pub fn isopod_packet_open(
        context: *mut isopod_packet_context,
        config: *const isopod_packet_config,
        sender: *const isopod_sender,
    ) -> isopod_status;
    pub fn isopod_packet_close(context: *mut isopod_packet_context);
    pub fn isopod_packet_announce(
        context: *const isopod_packet_context,
        sender: *const isopod_sender,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_packet_encrypt(
        context: *const isopod_packet_context,
        encryptor: *const isopod_packet_encryptor,
        values: *const isopod_values,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_packet_open(
        context: *mut isopod_tfhe_packet_context,
        config: *const isopod_tfhe_packet_config,
        sender: *const isopod_sender,
    ) -> isopod_status;
    pub fn isopod_tfhe_packet_close(context: *mut isopod_tfhe_packet_context);
    pub fn isopod_tfhe_packet_announce(
        context: *const isopod_tfhe_packet_context,
        sender: *const isopod_sender,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_packet_encrypt(
        context: *const isopod_tfhe_packet_context,
        encryptor: *const isopod_packet_encryptor,
        values: *const isopod_tfhe_values,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
}

// Packets of pads.
extern "C" {
    pub fn isopod_pad_derive(
        keys: *mut isopod_pad_keys,
        config: *const isopod_pad_config,
        sender: *const isopod_sender,
        pad_key: *const u8,
    ) -> isopod_status;
    pub fn isopod_pad_ratchet(root: *mut u8);
    pub fn isopod_pad_open(
        context: *mut isopod_pad_context,
        config: *const isopod_pad_config,
        sender: *const isopod_sender,
        keys: *const isopod_pad_keys,
    ) -> isopod_status;
    pub fn isopod_pad_close(context: *mut isopod_pad_context);
    pub fn isopod_pad_announce(
        context: *const isopod_pad_context,
        sender: *const isopod_sender,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_pad_encrypt(
        context: *mut isopod_pad_context,
        encryptor: *const isopod_pad_encryptor,
        values: *const isopod_values,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
}

// Receipts of a server.
extern "C" {
    pub fn isopod_receipt_open(
        receipt: *mut isopod_receipt,
        sender: *const isopod_sender,
        item: *const u8,
    ) -> isopod_status;
}

// Parameter sets and tables.
extern "C" {
    pub static isopod_ckks_sets: [StaticPointer<isopod_params>; ISOPOD_CKKS_SET_COUNT];
    pub static isopod_bfv_sets: [StaticPointer<isopod_params>; ISOPOD_BFV_SET_COUNT];
    pub static isopod64_sets: [StaticPointer<isopod_params>; ISOPOD64_SET_COUNT];

    pub fn isopod_ckks_tables_build(
        tables: *mut isopod_tables,
        params: *const isopod_params,
        memory: *mut c_void,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_bfv_tables_build(
        tables: *mut isopod_tables,
        params: *const isopod_params,
        memory: *mut c_void,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod64_tables_build(
        tables: *mut isopod_tables,
        params: *const isopod_params,
        memory: *mut c_void,
        bytes: usize,
    ) -> isopod_status;
}

// Keys.
extern "C" {
    pub fn isopod_public_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_secret_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_decryption_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_sealed_public_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        sealed: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod64_public_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u64,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod64_secret_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u64,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod64_decryption_key_open(
        key: *mut isopod_key,
        params: *const isopod_params,
        blob: *const u64,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_split_key_open(
        split: *mut isopod_split_key,
        params: *const isopod_params,
        loader: *const isopod_key_loader,
    ) -> isopod_status;
    pub fn isopod64_split_key_open(
        split: *mut isopod_split_key,
        params: *const isopod_params,
        loader: *const isopod_key_loader,
    ) -> isopod_status;
}

// Encryption and frames.
extern "C" {
    pub static isopod_suite_chacha20: isopod_suite;
    pub static isopod_suite_shake256: isopod_suite;
    pub static isopod_suite_seal_shake256: isopod_suite;
    pub static isopod_encoder_slots64: isopod_encoder;
    pub static isopod_encoder_slots64_nearest: isopod_encoder;
    pub static isopod_encoder_complex64: isopod_encoder;
    pub static isopod_encoder_complex64_nearest: isopod_encoder;
    pub static isopod_encoder_coefficients64: isopod_encoder;
    pub static isopod_encoder_complex32: isopod_encoder;
    pub static isopod_encoder_coefficients32: isopod_encoder;
    pub static isopod_compute_twice: isopod_fault_check;
    pub static isopod_clamp: isopod_range_rule;
    pub static isopod_rounded_public: isopod_rounded_method;
    pub static isopod_rounded_public_small: isopod_rounded_method;
    pub static isopod_rounded_secret: isopod_rounded_method;

    pub fn isopod_ckks_begin(
        context: *mut isopod_encryption,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        values: *const isopod_values,
    ) -> isopod_status;
    pub fn isopod_bfv_begin(
        context: *mut isopod_encryption,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        values: *const isopod_values,
    ) -> isopod_status;
    pub fn isopod_ckks_begin_from(
        context: *mut isopod_encryption,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        source: *const isopod_value_source,
    ) -> isopod_status;
    pub fn isopod_bfv_begin_from(
        context: *mut isopod_encryption,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        source: *const isopod_value_source,
    ) -> isopod_status;
    pub fn isopod_encryption_next(
        context: *mut isopod_encryption,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_encryption_abort(context: *mut isopod_encryption);
    pub fn isopod_ckks_rounded_begin(
        context: *mut isopod_rounded,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        source: *const isopod_value_source,
    ) -> isopod_status;
    pub fn isopod_bfv_rounded_begin(
        context: *mut isopod_rounded,
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        source: *const isopod_value_source,
    ) -> isopod_status;
    pub fn isopod_linear_key_open(
        key: *mut isopod_linear_key,
        secrets: *const isopod_linear_secrets,
    );
    pub fn isopod_linear_key_open_columns(
        key: *mut isopod_linear_key,
        secrets: *const isopod_linear_secrets,
    );
    pub fn isopod_linear_key_add_pads(
        key: *mut isopod_linear_key,
        pads: *mut isopod_linear_pad_key,
        secrets: *const isopod_linear_secrets,
    ) -> isopod_status;
    pub fn isopod_linear_secrets_advance(secrets: *mut isopod_linear_secrets) -> isopod_status;
    pub fn isopod_rounded_next(
        context: *mut isopod_rounded,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_moments_most_columns(places: u32, kind: c_int) -> u32;
    pub fn isopod_moments_begin(
        moments: *mut isopod_moments,
        source: *mut isopod_value_source,
        input: *const isopod_moments_input,
        config: *const isopod_encryption_config,
    ) -> isopod_status;
    pub fn isopod_moments_end(moments: *mut isopod_moments);
    pub fn isopod_rounded_abort(context: *mut isopod_rounded);
    pub fn isopod_rounded_frame_begin(
        frame: *mut isopod_frame,
        context: *mut isopod_rounded,
    ) -> isopod_status;
    pub fn isopod_frame_begin(
        frame: *mut isopod_frame,
        encryption: *mut isopod_encryption,
    ) -> isopod_status;
    pub fn isopod_frame_next(
        frame: *mut isopod_frame,
        out: *mut u8,
        capacity: usize,
        piece: *mut isopod_piece,
    ) -> isopod_status;
    pub fn isopod_frame_part_bytes(frame: *const isopod_frame) -> usize;
}

// Transfers over links that lose packets.
extern "C" {
    pub fn isopod_link_begin(
        link: *mut isopod_link,
        memory: *mut c_void,
        bytes: usize,
        packet_bytes: u16,
        transfer: u16,
    ) -> isopod_status;
    pub fn isopod_link_room(link: *mut isopod_link, room: *mut usize) -> *mut u8;
    pub fn isopod_link_give(link: *mut isopod_link, length: usize, is_last: c_int)
        -> isopod_status;
    pub fn isopod_link_next(link: *mut isopod_link, packet: *mut *const u8) -> usize;
    pub fn isopod_link_acknowledge(link: *mut isopod_link, packet: *const u8, length: usize);
    pub fn isopod_link_repeat(link: *mut isopod_link);
    pub fn isopod_link_resend(link: *mut isopod_link);
    pub fn isopod_link_is_done(link: *const isopod_link) -> c_int;
}

// Decryption and results.
extern "C" {
    pub static isopod_ckks_decode_lean: isopod_decoder;
    pub static isopod_ckks_decode: isopod_decoder;
    pub static isopod_ckks_decode_coefficients: isopod_decoder;
    pub static isopod64_ckks_decode: isopod_decoder;
    pub static isopod_bfv_decode: isopod_decoder;
    pub static isopod64_bfv_decode: isopod_decoder;

    pub fn isopod_result_open(
        result: *mut isopod_result,
        params: *const isopod_params,
        link_key: *const u8,
        item: *const u8,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_linear_verifier_open(
        verifier: *mut isopod_linear_verifier,
        key: *const isopod_key,
        group: u32,
        period: u32,
    ) -> isopod_status;
    pub fn isopod_decrypt_result(
        context: *mut isopod_decrypt,
        config: *const isopod_decrypt_config,
        workspace: *const isopod_workspace,
        result: *const isopod_result,
        out: *const isopod_decoded,
    ) -> isopod_status;
    pub fn isopod_decrypt_unauthenticated_begin(
        context: *mut isopod_decrypt,
        config: *const isopod_decrypt_config,
        workspace: *const isopod_workspace,
        claim: *const isopod_claim,
    ) -> isopod_status;
    pub fn isopod_decrypt_unauthenticated_feed(
        context: *mut isopod_decrypt,
        bytes: *const u8,
        length: usize,
    ) -> isopod_status;
    pub fn isopod_decrypt_unauthenticated_finish(
        context: *mut isopod_decrypt,
        out: *const isopod_decoded,
    ) -> isopod_status;
    pub fn isopod_decrypt_abort(context: *mut isopod_decrypt);
}

// A holder of a key of several owners.
extern "C" {
    pub fn isopod_holder_open(
        holder: *mut isopod_holder,
        params: *const isopod_params,
        tables: *const isopod_tables,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_holder_read(
        result: *mut isopod_result,
        holder: *const isopod_holder,
        item: *const u8,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_holder_contribute(
        holder: *const isopod_holder,
        result: *const isopod_result,
        answering: *const isopod_answering,
        board: *const isopod_holder_board,
        workspace: *const isopod_workspace,
    ) -> isopod_status;
}

// Key pairs and masks.
extern "C" {
    pub fn isopod_key_pair_begin(
        pair: *mut isopod_key_pair,
        config: *const isopod_key_pair_config,
        workspace: *const isopod_workspace,
        entropy: *mut isopod_entropy,
    ) -> isopod_status;
    pub fn isopod_key_pair_payload(
        pair: *mut isopod_key_pair,
        kind: isopod_key_kind,
    ) -> isopod_status;
    pub fn isopod_key_pair_next(
        pair: *mut isopod_key_pair,
        out: *mut u8,
        capacity: usize,
        piece: *mut isopod_key_piece,
    ) -> isopod_status;
    pub fn isopod_key_pair_close(pair: *mut isopod_key_pair);
    pub fn isopod_key_identify(
        key_id: *mut u8,
        params: *const isopod_params,
        kind: isopod_key_kind,
        payload: *const u32,
    ) -> isopod_status;
    pub fn isopod_key_header(
        header: *mut u8,
        params: *const isopod_params,
        kind: isopod_key_kind,
        payload: *const u32,
        key_id: *const u8,
    ) -> isopod_status;
    pub fn isopod64_key_pair_begin(
        pair: *mut isopod_key_pair,
        config: *const isopod_key_pair_config,
        workspace: *const isopod_workspace,
        entropy: *mut isopod_entropy,
    ) -> isopod_status;
    pub fn isopod64_key_pair_payload(
        pair: *mut isopod_key_pair,
        kind: isopod_key_kind,
    ) -> isopod_status;
    pub fn isopod64_key_pair_next(
        pair: *mut isopod_key_pair,
        out: *mut u8,
        capacity: usize,
        piece: *mut isopod_key_piece,
    ) -> isopod_status;
    pub fn isopod64_key_pair_close(pair: *mut isopod_key_pair);
    pub fn isopod64_key_identify(
        key_id: *mut u8,
        params: *const isopod_params,
        kind: isopod_key_kind,
        payload: *const u64,
    ) -> isopod_status;
    pub fn isopod64_key_header(
        header: *mut u8,
        params: *const isopod_params,
        kind: isopod_key_kind,
        payload: *const u64,
        key_id: *const u8,
    ) -> isopod_status;
    pub fn isopod_keygen_secret(ternary: *mut u32, params: *const isopod_params, seed: *const u8);
    pub fn isopod_mask_expand(
        residues: *mut u32,
        suite: *const isopod_suite,
        seed: *const u8,
        params: *const isopod_params,
        prime: u8,
        refill: *mut u32,
    );
    pub fn isopod64_mask_expand(
        residues: *mut u64,
        suite: *const isopod_suite,
        seed: *const u8,
        params: *const isopod_params,
        prime: u8,
        refill: *mut u32,
    );
}

// TFHE.
extern "C" {
    pub static isopod_tfhe_sets: [StaticPointer<isopod_tfhe_params>; ISOPOD_TFHE_SET_COUNT];
    pub static isopod_tfhe_chacha20: isopod_tfhe_suite;
    pub static isopod_tfhe_shake256: isopod_tfhe_suite;
    pub static isopod_tfhe_aes128: isopod_tfhe_suite;

    pub fn isopod_tfhe_tables_build(
        tables: *mut isopod_tfhe_tables,
        params: *const isopod_tfhe_params,
        memory: *mut c_void,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_public_key_open(
        key: *mut isopod_tfhe_key,
        params: *const isopod_tfhe_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_secret_key_open(
        key: *mut isopod_tfhe_key,
        params: *const isopod_tfhe_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_stream_key_open(
        key: *mut isopod_tfhe_key,
        params: *const isopod_tfhe_params,
        blob: *const u32,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_key_prepare(
        key: *mut isopod_tfhe_key,
        tables: *const isopod_tfhe_tables,
        memory: *mut c_void,
        bytes: usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_workspace_bytes(
        config: *const isopod_tfhe_config,
        coefficients: u32,
    ) -> usize;
    pub fn isopod_tfhe_begin(
        context: *mut isopod_tfhe,
        config: *const isopod_tfhe_config,
        encryptor: *const isopod_encryptor,
        values: *const isopod_tfhe_values,
    ) -> isopod_status;
    pub fn isopod_tfhe_next(
        context: *mut isopod_tfhe,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_bytes(context: *const isopod_tfhe) -> usize;
    pub fn isopod_tfhe_abort(context: *mut isopod_tfhe);
    pub fn isopod_tfhe_frame_begin(
        frame: *mut isopod_frame,
        tfhe: *mut isopod_tfhe,
    ) -> isopod_status;
    pub fn isopod_tfhe_frame_next(
        frame: *mut isopod_frame,
        out: *mut u8,
        capacity: usize,
        length: *mut usize,
    ) -> isopod_status;
    pub fn isopod_tfhe_frame_bytes(frame: *const isopod_frame) -> usize;
    pub fn isopod_tfhe_blob_bytes(
        params: *const isopod_tfhe_params,
        kind: isopod_tfhe_key_kind,
    ) -> usize;
    pub fn isopod_tfhe_keygen_secret(
        secret: *mut u32,
        params: *const isopod_tfhe_params,
        seed: *const u8,
    );
    pub fn isopod_tfhe_keygen_blob(
        blob: *mut u32,
        keygen: *const isopod_tfhe_keygen,
        kind: isopod_tfhe_key_kind,
    ) -> isopod_status;
}
