"""`python3 -m packages.duckdb.build`: builds the extension isopod.duckdb_extension for this machine.

The library of isopod-table-abi is linked into it, so that it is one file. DuckDB's headers come from a crate of the registry."""
import argparse
import json
import os
import platform
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "packages/duckdb"
OUT = ROOT / "build/duckdb"
HEADERS = ("duckdb.h", "duckdb_extension.h")
# The oldest C interface that has what is called; every later DuckDB offers it.
INTERFACE = "v1.2.0"
PLATFORMS = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}
FLAGS = ("-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra",
         "-Werror")
# The library's own names stay inside; it has code in C++.
LINKED = ("-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-Wl,-z,defs", "-lstdc++", "-lm")
FIELD = 32
SIGNATURE = 256


def run(*command: object, **options: object) -> str:
    """Runs a command, which must succeed; its standard output."""
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def headers(place: Path) -> Path:
    """DuckDB's headers, unpacked from the sources in its crate."""
    crate = Path(package("libduckdb-sys", "--manifest-path", HERE / "header/Cargo.toml")["manifest_path"]).parent
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(crate / "duckdb.tar.gz") as archive:
        for name in HEADERS:
            (place / name).write_bytes(archive.extractfile(f"duckdb/src/include/{name}").read())
    return place


def library(profile: str) -> Path:
    """The static library of isopod-table-abi."""
    command = ("cargo", "rustc", "--locked", "--profile", profile, "-p", "isopod-table-abi", "--lib", "--crate-type", "staticlib")
    run(*command, cwd=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / ("debug" if profile == "dev" else profile) / "libisopod_table_abi.a"


def footer(version: str) -> bytes:
    """The end of an extension, which DuckDB reads first: a section in the form of WebAssembly, with eight fields in reverse order
    and room for a signature."""
    fields = ["4", PLATFORMS[platform.machine()], INTERFACE, version, "C_STRUCT", "", "", ""]
    head = bytes([0, 0x93, 0x04, 16]) + b"duckdb_signature" + bytes([0x80, 0x04])
    return head + b"".join(field.encode().ljust(FIELD, b"\0") for field in reversed(fields)) + bytes(SIGNATURE)


def package(name: str, *options: object) -> dict:
    """Metadata of a package, which cargo fetches where it is missing."""
    found = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", *options, cwd=ROOT))
    return next(each for each in found["packages"] if each["name"] == name)


def build(out: Path, profile: str) -> Path:
    """Builds the extension into a folder; its path."""
    include, built = headers(out / "include"), out / "isopod.duckdb_extension"
    linked = out / "isopod.so"
    run(os.environ.get("CC", "cc"), *FLAGS, "-shared", "-isystem", include, "-I", ROOT / "crates/table-abi/include",
        *sorted((HERE / "src").glob("*.c")), library(profile), *LINKED, "-o", linked)
    built.write_bytes(linked.read_bytes() + footer(f"v{package('isopod-table-abi', '--no-deps')['version']}"))
    linked.unlink()
    return built


def main() -> None:
    """Builds, and prints the path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the extension")
    parser.add_argument("--profile", default="release", help="profile of cargo")
    options = parser.parse_args()
    if platform.machine() not in PLATFORMS or sys.platform != "linux":
        sys.exit(f"{sys.platform} on {platform.machine()}; allowed are Linux on {' and '.join(PLATFORMS)}")
    print(build(options.out, options.profile))


if __name__ == "__main__":
    main()
