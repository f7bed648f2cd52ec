//! Compiles the C side of the comparison of memory; the library itself comes with `isopod-device`.

fn main() {
    cc::Build::new()
        .std("gnu11")
        .opt_level(3)
        .warnings(true)
        .include("../../device/include")
        .define("ISOPOD_ALLOW_DEVICE_SECRET_KEY", "1")
        .file("src/memory.c")
        .compile("isopod-bench-memory");
    println!("cargo:rerun-if-changed=src/memory.c");
}
