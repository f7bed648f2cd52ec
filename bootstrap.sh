#!/bin/sh
# Installs missing tools on Debian 12 or newer and prints each step; quick if nothing is missing.
#   ./bootstrap.sh            the tools of `make test`
#   ./bootstrap.sh PART...    the tools of one make target:
#       deep        Go, for the programs that bootstrap merged frames
#       demo        a board's compiler and emulator, Rust
#       lint        formatters and linters of C, Python and Rust
#       boards      compilers and emulators of all ports, valgrind
#       firmware    Rust's core library for a Cortex-M4, a board's compiler and emulator
#       fuzz        Rust, and clang with its fuzzer
#       host        Rust for tfhe-rs, valgrind
#       kafka       Java and Maven for Apache Kafka, OpenSSL's headers, Rust
#       packages    validators of packages/, Arduino's tools for AVR
#       proofs      the tools of `make prove`: boards, Frama-C and its solvers, Rust
#       rtl         the tools of rtl/
#       server      a broker, a browser, the checker of Prometheus's files, Rust
#       site        Doxygen
#       web         clang and Rust for WebAssembly, Node, two browsers, the pinned npm packages
#       python      the pinned Python tools alone
#       wheel       Rust for both machines of `make wheel`, and an emulator
#       compilers   the versions of clang from 14 to 19 that this Debian has
set -eu
cd "$(dirname "$0")"

RUST=1.90.0
RUST_FOR_TFHE=1.91.1
GO=1.22

say() { echo "bootstrap: $*"; }
give_up() { echo "bootstrap: $*" >&2; exit 1; }

missing=""
need() { # need PROGRAM PACKAGE
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

# cocotb loads Python into the simulator.
SHARED_PYTHON='import os, sys, sysconfig as s
sys.exit(not os.path.exists(os.path.join(s.get_config_var("LIBDIR"), s.get_config_var("INSTSONAME"))))'

need_basics() {
    need cc build-essential
    need c++ build-essential
    need make build-essential
    need cmake cmake
    need git git
    need python3 python3
}

need_deep() {
    need_basics
    wants_go=yes
}

need_demo() {
    need_basics
    need arm-none-eabi-gcc gcc-arm-none-eabi
    need qemu-system-arm qemu-system-arm
    wants_rust=yes
}

need_firmware() {
    need_demo
    wants_thumb=yes
}

need_boards() {
    need_basics
    need arm-none-eabi-gcc gcc-arm-none-eabi
    need qemu-system-arm qemu-system-arm
    need qemu-system-riscv32 qemu-system-misc
    need riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf
    need aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    need arm-linux-gnueabihf-gcc "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
    need qemu-aarch64 qemu-user
    need avr-gcc "gcc-avr avr-libc"
    need simavr simavr
    need valgrind valgrind
}

need_host() {
    need_basics
    need valgrind valgrind
    wants_rust=yes
    RUST=$RUST_FOR_TFHE
}

need_kafka() {
    need_basics
    need java default-jre-headless
    need mvn maven
    need pkg-config pkgconf
    test -e /usr/include/openssl/ssl.h || missing="$missing libssl-dev"
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
    wants_rust=yes
}

need_lint() {
    need_basics
    need clang-format-14 clang-format-14
    need_python
    wants_rust=yes
    wants_rust_tools=yes
}

need_packages() {
    need_basics
    need pkgconf pkgconf
    need avr-gcc "gcc-avr avr-libc"
    need simavr simavr
    test -e /usr/include/simavr/sim_avr.h || missing="$missing libsimavr-dev"
    test -e /usr/include/psa/crypto.h || missing="$missing libmbedtls-dev"
    need arduino-builder "arduino-builder arduino-ctags arduino-core-avr"
    need_python
}

need_fuzz() {
    need_basics
    need clang-14 clang-14
    test -e /usr/lib/llvm-14/lib/clang/14*/lib/linux/libclang_rt.fuzzer-x86_64.a || missing="$missing libclang-rt-14-dev"
    wants_rust=yes
}

need_proofs() {
    need_boards
    need frama-c frama-c-base
    need why3 why3
    need z3 z3
    need cvc5 cvc5
    wants_rust=yes
}

need_rtl() {
    need_basics
    need yosys yosys
    need perl perl
    need_python
}

need_python() {
    need python3 python3
    python3 -c "$SHARED_PYTHON" || missing="$missing libpython3-dev"
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
    wants_python=yes
}

need_server() {
    need_host
    need mosquitto_pub mosquitto-clients
    command -v mosquitto >/dev/null 2>&1 || [ -x /usr/sbin/mosquitto ] || missing="$missing mosquitto"
    need openssl openssl
    need chromium chromium
    need promtool prometheus
    need_python
}

need_wheel() {
    need_host
    need python3 python3
    need qemu-aarch64 qemu-user
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
    wants_arm=yes
}

need_web() {
    need_basics
    need clang-14 clang-14
    need wasm-ld-14 lld-14
    need llvm-nm-14 llvm-14
    need node nodejs
    need npm npm
    need chromium chromium
    need firefox-esr firefox-esr
    wants_npm=yes
    wants_rust=yes
    wants_wasm=yes
}

need_site() {
    need_basics
    need doxygen doxygen
    python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
}

need_everything() {
    need_boards
    need_firmware
    need_host
    need_lint
    need_rtl
    need_server
    need_packages
    need_web
    need cppcheck cppcheck
}

need_compilers() {
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

check_rust_for() { # check_rust_for TARGET
    command -v rustup >/dev/null 2>&1 || give_up "please install Rust's library for $1"
    rustup target list --installed | grep -q "$1" && return
    say "installing Rust's library for $1 with rustup"
    rustup target add "$1"
}

go_is_recent() {
    version=$(go version 2>/dev/null | sed 's/.* go\([0-9.]*\).*/\1/')
    [ -n "$version" ] && [ "$(printf '%s\n' "$GO" "$version" | sort -V | head -n 1)" = "$GO" ]
}

# The modules are pinned in deep/go.sum, so only the compiler's version is left open.
check_go() {
    PATH="$PATH:/usr/local/go/bin"
    go_is_recent && return
    offered=$(apt-cache show golang-go 2>/dev/null | sed -n 's/^Version: [0-9]*:\([0-9.]*\).*/\1/p' | head -n 1)
    if [ -n "$offered" ] && [ "$(printf '%s\n' "$GO" "$offered" | sort -V | head -n 1)" = "$GO" ]; then
        missing=golang-go
        install_packages
    fi
    go_is_recent || give_up "Go $GO or newer is needed; install it as the Go project describes, then run this again"
}

PYTHON_PINS="requirements.txt examples/breast-cancer/requirements.txt interop/tenseal/requirements.txt rtl/requirements.txt
crates/server/test/requirements.txt packages/requirements.txt crates/python/test/requirements.txt
examples/kubernetes/requirements.txt examples/wearable/requirements.txt"

install_python_tools() {
    # shellcheck disable=SC2086
    cat $PYTHON_PINS | cmp -s - .venv/installed.txt && return
    say "installing pinned Python tools into .venv"
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt \
        -r examples/breast-cancer/requirements.txt -r interop/tenseal/requirements.txt -r rtl/requirements.txt \
        -r crates/server/test/requirements.txt -r packages/requirements.txt -r crates/python/test/requirements.txt \
        -r examples/kubernetes/requirements.txt
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r examples/wearable/requirements.txt
    # shellcheck disable=SC2086
    cat $PYTHON_PINS > .venv/installed.txt
}

# Node of Debian 12 itself is older.
NODE=20.19.0
install_npm_tools() {
    cmp -s web/package-lock.json web/node_modules/installed.json && return
    oldest=$(printf '%s\nv%s\n' "$(node --version)" "$NODE" | sort -V | head -n 1)
    [ "$oldest" = "v$NODE" ] || say "web/ needs Node $NODE or newer; this is $(node --version)"
    say "installing pinned npm packages into web/node_modules"
    npm ci --prefix web --silent
    cp web/package-lock.json web/node_modules/installed.json
}

wants_rust=no
wants_go=no
wants_npm=no
wants_rust_tools=no
wants_python=no
wants_arm=no
wants_thumb=no
wants_wasm=no
[ $# -gt 0 ] || set -- everything
for part in "$@"; do
    case "$part" in
        everything|deep|demo|lint|boards|firmware|fuzz|host|kafka) "need_$part" ;;
        packages|proofs|rtl|server|site|web|python|wheel|compilers) "need_$part" ;;
        *) give_up "no part $part; there are deep, demo, lint, boards, firmware, fuzz, host, kafka, packages, proofs, rtl," \
                   "server, site, web, python, wheel and compilers" ;;
    esac
done
install_packages
check_python
[ "$wants_rust" = no ] || check_rust
[ "$wants_go" = no ] || check_go
[ "$wants_arm" = no ] || check_rust_for aarch64-unknown-linux-gnu
[ "$wants_thumb" = no ] || check_rust_for thumbv7em-none-eabihf
[ "$wants_wasm" = no ] || check_rust_for wasm32-unknown-unknown
[ "$wants_rust_tools" = no ] || check_rust_tools
[ "$wants_python" = no ] || install_python_tools
[ "$wants_npm" = no ] || install_npm_tools
say "all is there"
