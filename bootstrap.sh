#!/bin/sh
# Installs what is missing on Debian 12 or newer and says what it does; quick when all is there.
#   ./bootstrap.sh            everything that `make test` uses
#   ./bootstrap.sh --minimal  what `make demo` uses
#   ./bootstrap.sh --compilers  also those versions of clang, of 14 to 19, that this Debian has
set -eu
cd "$(dirname "$0")"

# What tfhe-rs needs, which `make test` builds; everything else is content with RUST_MINIMAL.
RUST=1.91.1
RUST_MINIMAL=1.89.0
minimal=no
compilers=no
case "${1-}" in
    "") ;;
    --minimal) minimal=yes; RUST=$RUST_MINIMAL ;;
    --compilers) compilers=yes ;;
    *) echo "bootstrap: unknown argument $1; allowed are --minimal and --compilers" >&2; exit 2 ;;
esac

say() { echo "bootstrap: $*"; }
give_up() { echo "bootstrap: $*" >&2; exit 1; }

missing=""
need() { # need PROGRAM PACKAGE
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

# cocotb loads Python into the simulator.
SHARED_PYTHON='import os, sys, sysconfig as s
sys.exit(not os.path.exists(os.path.join(s.get_config_var("LIBDIR"), s.get_config_var("INSTSONAME"))))'

look_for_packages() {
    need cc build-essential
    need c++ build-essential
    need make build-essential
    need cmake cmake
    need git git
    need python3 python3
    need arm-none-eabi-gcc gcc-arm-none-eabi
    need qemu-system-arm qemu-system-arm
    [ "$minimal" = yes ] && return
    need qemu-system-riscv32 qemu-system-misc
    need riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf
    need aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    need arm-linux-gnueabihf-gcc "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
    need qemu-aarch64 qemu-user
    need clang-14 clang-14
    need wasm-ld-14 lld-14
    need clang-format-14 clang-format-14
    need cppcheck cppcheck
    need valgrind valgrind
    need node nodejs
    need yosys yosys
    need perl perl
    python3 -c "$SHARED_PYTHON" || missing="$missing libpython3-dev"
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
}

look_for_compilers() {
    for version in 14 15 16 17 18 19; do
        apt-cache show "clang-$version" >/dev/null 2>&1 || continue
        need "clang-$version" "clang-$version"
    done
}

install_packages() {
    [ -z "$missing" ] && return
    missing=$(printf '%s\n' $missing | sort -u | tr '\n' ' ')
    command -v apt-get >/dev/null 2>&1 || give_up "please install the equivalents of these Debian packages: $missing"
    administrator=""
    if [ "$(id -u)" != 0 ]; then
        administrator=$(command -v sudo) || give_up "as root, run: apt-get install $missing"
    fi
    say "installing the Debian packages $missing"
    $administrator apt-get update -qq
    # shellcheck disable=SC2086
    $administrator env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}

check_python() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        give_up "Python 3.11 or newer is needed; this is $(python3 --version)"
}

cargo_is_recent() {
    version=$(cargo --version 2>/dev/null | cut -d' ' -f2)
    [ -n "$version" ] && [ "$(printf '%s\n' "$RUST" "$version" | sort -V | head -n 1)" = "$RUST" ]
}

check_rust() {
    PATH="$PATH:$HOME/.cargo/bin"
    cargo_is_recent && return
    if ! command -v rustup >/dev/null 2>&1 && apt-cache show rustup >/dev/null 2>&1; then
        missing=rustup
        install_packages
    fi
    command -v rustup >/dev/null 2>&1 ||
        give_up "Rust $RUST or newer is needed; install rustup as the Rust project describes, then run this again"
    say "installing the stable Rust toolchain with rustup"
    rustup toolchain install stable --profile minimal --component clippy --component rustfmt
    rustup default stable
    cargo_is_recent || give_up "cargo is still older than $RUST: $(cargo --version)"
}

check_rust_tools() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return
    command -v rustup >/dev/null 2>&1 || give_up "please install rustfmt and clippy for $(cargo --version)"
    say "installing rustfmt and clippy with rustup"
    rustup component add clippy rustfmt
}

PYTHON_PINS="requirements.txt examples/breast-cancer/requirements.txt interop/tenseal/requirements.txt rtl/requirements.txt"

install_python_tools() {
    # shellcheck disable=SC2086
    cat $PYTHON_PINS | cmp -s - .venv/installed.txt && return
    say "installing pinned Python tools into .venv"
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt \
        -r examples/breast-cancer/requirements.txt -r interop/tenseal/requirements.txt -r rtl/requirements.txt
    # shellcheck disable=SC2086
    cat $PYTHON_PINS > .venv/installed.txt
}

look_for_packages
[ "$compilers" = no ] || look_for_compilers
install_packages
check_python
check_rust
if [ "$minimal" = no ]; then
    check_rust_tools
    install_python_tools
fi
say "all is there"
