//! Compilation of every source of `device/src`, as in firmware, and of a table with the C compiler's layout of each structure
//! and value of each constant that the crate declares, which `tests/layout.rs` compares with Rust's.

use std::env;
use std::path::{Path, PathBuf};

/// Gives the names of structures and members, from the list in which `src/lib.rs` finds the structures themselves.
macro_rules! c_structs {
    ($($(#[$_doc:meta])* struct $name:ident { $($member:ident: $_type:ty,)* })*) => {
        pub const NAMES: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($member)),*])),*];
    };
}

/// Gives the names of constants, from the list in which `src/lib.rs` finds their values.
macro_rules! c_constants {
    ($($name:ident: $_type:ty = $_value:expr;)*) => {
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

#[path = "src/codes.rs"]
mod codes;
#[path = "src/constants.rs"]
mod constants;
#[path = "src/structs.rs"]
mod structs;

const HEADERS: [&str; 19] = [
    "bfv",
    "counter",
    "frame",
    "health",
    "holder",
    "key_pair",
    "linear_verifier",
    "link",
    "moments",
    "packet",
    "pad",
    "receipt",
    "result",
    "rounded",
    "sealed_key",
    "split_key",
    "tfhe_frame",
    "tfhe_keygen",
    "tfhe_packet",
];

fn main() {
    let device = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../device");
    let layout =
        PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("layout.c");
    std::fs::write(&layout, layout_source()).expect("OUT_DIR is writable");
    let mut build = cc::Build::new();
    build
        .std("c11")
        .opt_level(3)
        .warnings(true)
        .include(device.join("include"))
        .files(sources(&device.join("src")))
        .files(tables())
        .file(layout);
    if env::var_os("CARGO_FEATURE_SECRET_KEY").is_some() {
        build.define("ISOPOD_ALLOW_DEVICE_SECRET_KEY", "1");
    }
    if env::var("CARGO_CFG_TARGET_OS")
        .is_ok_and(|system| ["none", "unknown"].contains(&system.as_str()))
    {
        build.flag("-ffreestanding");
    }
    build.compile("isopod");
    for path in ["src", "include"] {
        println!("cargo:rerun-if-changed={}", device.join(path).display());
    }
    for path in [
        "build.rs",
        "src/structs.rs",
        "src/constants.rs",
        "src/codes.rs",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
}

/// Every .c file of the folder that ISOPOD_TABLES names: tables for flash.
fn tables() -> Vec<PathBuf> {
    println!("cargo:rerun-if-env-changed=ISOPOD_TABLES");
    env::var_os("ISOPOD_TABLES").map_or_else(Vec::new, |folder| {
        println!("cargo:rerun-if-changed={}", Path::new(&folder).display());
        sources(Path::new(&folder))
    })
}

/// Every .c and .S file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("device/ is readable").path());
    paths
        .flat_map(|path| match path.extension() {
            Some(extension) if extension == "c" || extension == "S" => vec![path],
            _ if path.is_dir() => sources(&path),
            _ => Vec::new(),
        })
        .collect()
}

/// C source of the table: size and alignment of each structure, offset and size of each member, and value of each
/// constant.
fn layout_source() -> String {
    let mut text = String::from("#include <stddef.h>\n");
    for header in HEADERS {
        text += &format!("#include \"isopod/{header}.h\"\n");
    }
    text += "const size_t isopod_sys_layout[] = {\n";
    for (name, members) in structs::NAMES {
        text += &format!("    sizeof({name}), _Alignof({name}),\n");
        for member in members.iter().map(|member| member.trim_start_matches("r#")) {
            text += &format!("    offsetof({name}, {member}), sizeof((({name} *)0)->{member}),\n");
        }
    }
    text += "    0};\nconst long long isopod_sys_constants[] = {\n";
    for name in codes::NAMES.iter().chain(constants::NAMES) {
        text += &format!("    (long long){name},\n");
    }
    text + "    0};\n"
}
