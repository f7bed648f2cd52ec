//! Constants and enumerators of the C headers. `build.rs` reads this list, too, and `tests/layout.rs` compares.

c_constants! {
    ISOPOD_OK: c_int = 0;
    ISOPOD_DONE: c_int = 1;
    ISOPOD_ERROR_PARAMETERS: c_int = -1;
    ISOPOD_ERROR_LABEL: c_int = -2;
    ISOPOD_ERROR_CHUNKS: c_int = -3;
    ISOPOD_ERROR_SCALE: c_int = -4;
    ISOPOD_ERROR_BOUND: c_int = -5;
    ISOPOD_ERROR_WORKSPACE: c_int = -6;
    ISOPOD_ERROR_COUNT: c_int = -7;
    ISOPOD_ERROR_NOT_FINITE: c_int = -8;
    ISOPOD_ERROR_VALUE_RANGE: c_int = -9;
    ISOPOD_ERROR_ENTROPY: c_int = -10;
    ISOPOD_ERROR_KEY_FORMAT: c_int = -11;
    ISOPOD_ERROR_KEY_SET: c_int = -12;
    ISOPOD_ERROR_KEY_KIND: c_int = -13;
    ISOPOD_ERROR_STATE: c_int = -14;
    ISOPOD_ERROR_CAPACITY: c_int = -15;
    ISOPOD_ERROR_VALUE_TYPE: c_int = -16;
    ISOPOD_ERROR_FAULT: c_int = -17;
    ISOPOD_ERROR_TABLES: c_int = -18;
    ISOPOD_ERROR_WIDTH: c_int = -19;
    ISOPOD_ERROR_KEY_LOAD: c_int = -20;
    ISOPOD_ERROR_AUTHENTICATION: c_int = -31;
    ISOPOD_ERROR_RESULT_FORMAT: c_int = -32;
    ISOPOD_ERROR_LEVEL: c_int = -33;
    ISOPOD_ERROR_LENGTH: c_int = -34;
    ISOPOD_ERROR_RESIDUE: c_int = -35;
    ISOPOD_ERROR_RESULT_BOUND: c_int = -36;
    ISOPOD_ERROR_PLAIN_PRIME: c_int = -41;
    ISOPOD_ERROR_PLAIN_CONGRUENCE: c_int = -42;
    ISOPOD_ERROR_LAYOUT: c_int = -43;

    ISOPOD_LABEL_128: u8 = 1;
    ISOPOD_LABEL_COMPAT_2018: u8 = 2;
    ISOPOD_LABEL_COMPAT_TFHEPP: u8 = 3;
    ISOPOD_LABEL_RESEARCH: u8 = 4;

    ISOPOD_SLOTS: u8 = 0;
    ISOPOD_SLOTS_REPEATED: u8 = 1;
    ISOPOD_COMPLEX: u8 = 2;
    ISOPOD_COMPLEX_REPEATED: u8 = 3;
    ISOPOD_COEFFICIENTS: u8 = 4;

    ISOPOD_VALUES_FLOAT32: c_int = 1;
    ISOPOD_VALUES_FLOAT64: c_int = 2;
    ISOPOD_VALUES_INT32: c_int = 3;
    ISOPOD_VALUES_INT64: c_int = 4;
    ISOPOD_VALUES_UINT32: c_int = 5;

    ISOPOD_KEY_PUBLIC: c_int = 1;
    ISOPOD_KEY_PUBLIC_SEEDED: c_int = 2;
    ISOPOD_KEY_SECRET_TERNARY: c_int = 3;
    ISOPOD_KEY_SECRET_NTT: c_int = 4;
    ISOPOD_KEY_PUBLIC_PRIME: c_int = 33;
    ISOPOD_KEY_PUBLIC_SEEDED_PRIME: c_int = 34;

    ISOPOD_TFHE_KEY_PUBLIC: c_int = 17;
    ISOPOD_TFHE_KEY_PUBLIC_SEEDED: c_int = 18;
    ISOPOD_TFHE_KEY_SECRET: c_int = 19;
    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED: c_int = 20;

    ISOPOD_SECRET_BINARY: u8 = 1;
    ISOPOD_SECRET_TERNARY: u8 = 2;

    ISOPOD_TFHE_BOOL: u8 = 1;
    ISOPOD_TFHE_U8: u8 = 2;
    ISOPOD_TFHE_U16: u8 = 3;
    ISOPOD_TFHE_U32: u8 = 4;
    ISOPOD_TFHE_U64: u8 = 5;
    ISOPOD_TFHE_I8: u8 = 6;
    ISOPOD_TFHE_I16: u8 = 7;
    ISOPOD_TFHE_I32: u8 = 8;
    ISOPOD_TFHE_I64: u8 = 9;

    ISOPOD_NONCE_BYTES: usize = 16;
    ISOPOD_MASK_SEED_MAXIMUM: usize = 64;
    ISOPOD_ENTROPY_BYTES: usize = 32;
    ISOPOD_FRAME_KEY_BYTES: usize = 32;
    ISOPOD_KEY_HEADER_BYTES: usize = 80;
    ISOPOD_KEY_ID_BYTES: usize = 16;
    ISOPOD_LINK_KEY_BYTES: usize = 32;
    ISOPOD_DECRYPT_PRIMES: usize = 3;
    ISOPOD_TFHE_NONCE_BYTES: usize = 16;
    ISOPOD_TFHE_RUNS: usize = 8;

    ISOPOD_CKKS_SET_COUNT: usize = isopod_wire::CKKS_SETS.len();
    ISOPOD_BFV_SET_COUNT: usize = isopod_wire::BFV_SETS.len();
    ISOPOD_WIDE_SET_COUNT: usize = isopod_wire::SETS64.len();
    ISOPOD_TFHE_SET_COUNT: usize = isopod_wire::TFHE_SETS.len();
}
