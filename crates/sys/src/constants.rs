//! Constants and enumerators of the C headers but those of `codes`. `build.rs` reads the list too; `tests/layout.rs` compares.

c_constants! {
    ISOPOD_VALUES_FLOAT32: c_int = 1;
    ISOPOD_VALUES_FLOAT64: c_int = 2;
    ISOPOD_VALUES_INT32: c_int = 3;
    ISOPOD_VALUES_INT64: c_int = 4;
    ISOPOD_VALUES_UINT32: c_int = 5;
    ISOPOD_VALUES_INT16: c_int = 6;

    ISOPOD_MOMENTS_SQUARES: c_int = 1;
    ISOPOD_MOMENTS_PRODUCTS: c_int = 2;

    ISOPOD_ROUNDED_STATE_BYTES: usize = 928;

    ISOPOD_SECRET_BINARY: u8 = 1;
    ISOPOD_SECRET_TERNARY: u8 = 2;

    ISOPOD_MASK_SEED_MAXIMUM: usize = crate::codes::ISOPOD_SEAL_MASK_SEED_BYTES;
    ISOPOD_ENTROPY_BYTES: usize = 32;
    ISOPOD_WORKSPACE_OWNER_BYTES: usize = 16;
    ISOPOD_DECRYPT_PRIMES: usize = 3;
    ISOPOD_LINEAR_REFUSALS: u32 = 64;
    ISOPOD_HOLDERS: usize = 10;
}
