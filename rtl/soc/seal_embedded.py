"""`.venv/bin/python -m rtl.soc.seal_embedded SOURCE [--libc FOLDER]`: cycles of whole encryptions
by SEAL-Embedded's own software [SEALEMB21].

On the core of our system without wait states, for n = 1024 and n = 4096 with three primes, under a
secret key. SOURCE is a checkout of github.com/microsoft/SEAL-Embedded, of which this repository
holds nothing; FOLDER is where Debian's package picolibc-riscv64-unknown-elf is, its
lib/rv32imac/ilp32 and include. GCC at -O3, no malloc, index map computed on the fly, NTT in one
shot, fixed seeds, no assertions; the roots of the inverse FFT computed on the fly, then the same
copied from flash. Prints the tables of bench/paper/ntt-accelerator/paper.toml, in cycles: the whole
encryption, which is one run, and of it the encoding, the error and the first prime. Both encoders
must give the same ciphertexts."""
import argparse
import cmath
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from ports.emulate import BUILD, ROOT
from rtl.soc.build import CORE, build
from rtl.soc.firmware import remembered

CHOICES = {"SE_ASSERT_TYPE": 0, "SE_RAND_TYPE": 0, "SE_IFFT_TYPE": 0, "SE_NTT_TYPE": 1,
           "SE_INDEX_MAP_TYPE": 0, "SE_SK_TYPE": 2,
           "SE_DATA_LOAD_TYPE": 0}
LEFT_OUT = ("SE_USE_MALLOC", "SE_DEFINE_SK_DATA", "SE_MEMPOOL_ALLOC_VALUES")
SOURCES = ("ckks_common", "ckks_sym", "fft", "modulus", "ntt", "parameters", "polymodmult", "rng",
           "sample", "uint_arith",
           "shake256/fips202", "shake256/keccakf1600")
OURS = ("rtl/soc/firmware/seal_embedded.c", "ports/cv32e40p-sim/host.c",
        "ports/cv32e40p-sim/startup.S",
        "ports/freestanding/memory.c", "ports/freestanding/start.c",
        "ports/semihosting/semihosting.c",
        "ports/semihosting/text.c")
COMPILE = ("-mcmodel=medany", "-O3", "-fno-strict-aliasing", "-fno-tree-loop-distribute-patterns",
           "-ffunction-sections",
           "-fdata-sections", "-DNDEBUG", "-w")
LIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
LIMIT = 1 << 29
CASES = ((1024, 1), (4096, 3))
# SEAL-Embedded's choices for the roots of its inverse FFT.
ROOTS = {"on the fly": {}, "loaded": {"SE_IFFT_TYPE": 1, "SE_DATA_LOAD_TYPE": 1}}
PARTS = ("whole", "encode", "sample", "prime")


def write_roots(path: Path, degree: int) -> None:
    """Writes the roots of the inverse FFT as a table in flash, as the words of their doubles."""
    digits = degree.bit_length() - 1
    parts = []
    for at in range(degree):
        exponent = int(f"{(at - 1) % degree:0{digits}b}"[::-1], 2) + 1
        root = cmath.exp(-1j * cmath.pi * exponent / degree)
        parts += struct.unpack("<2Q", struct.pack("<2d", root.real, root.imag))
    words = ",\n".join(f"{part:#x}u" for part in parts)
    path.write_text(f"static const uint64_t ifft_roots[] = {{\n{words}}};\n")


def configured(source: Path, degree: int, primes: int, roots: str) -> Path:
    """A copy of SEAL-Embedded's library with the choices above."""
    folder = ROOT / BUILD / f"seal-embedded-{degree}-{roots}".replace(" ", "-")
    shutil.copytree(source / "device/lib", folder, dirs_exist_ok=True)
    write_roots(folder / "ifft_roots.h", degree)
    file = folder / "user_defines.h"
    text = file.read_text()
    choices = CHOICES | {"SE_DEGREE_N": degree, "SE_NPRIMES": primes} | ROOTS[roots]
    for name, value in choices.items():
        text = re.sub(rf"(?m)^#define {name} .*$", f"#define {name} {value}", text)
    for name in LEFT_OUT:
        text = re.sub(rf"(?m)^#define {name}$", "", text)
    file.write_text(text)
    return folder


def gcc(folder: Path, *words: str) -> None:
    """Runs GCC in a folder; RuntimeError with its output if it fails."""
    done = subprocess.run(["riscv64-unknown-elf-gcc", "-mabi=ilp32", *words], cwd=folder,
                          capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def compiled(folder: Path, libc: Path) -> Path:
    """Compiles the program; its ELF file. GCC has a libgcc only for some architectures."""
    sources = [f"{name}.c" for name in SOURCES] + [str(ROOT / name) for name in OURS]
    objects = [f"{Path(name).stem}.o" for name in sources]
    include = (f"-isystem{libc}/include", "-I.", "-Ishake256", f"-I{ROOT}/ports")
    gcc(folder, "-march=rv32imc_zicsr", *COMPILE, *include, "-c", *sources)
    gcc(folder, "-march=rv32imac", "-nostdlib", "-Wl,--gc-sections", f"-L{ROOT}/ports/freestanding",
        f"-T{ROOT}/ports/cv32e40p-sim/link.ld", *objects, f"-L{libc}/lib/rv32imac/ilp32", "-lm",
        "-lc", "-lgcc",
        "-o", "seal-embedded.elf")
    return folder / "seal-embedded.elf"


def measured(source: Path, libc: Path, degree: int, primes: int) -> str:
    """Tables of TOML; RuntimeError if a program fails, or the encoders differ."""
    tables, digests = [], set()
    for roots in ROOTS:
        program = compiled(configured(source, degree, primes, roots), libc)
        found = remembered(build(CORE), program, [], LIMIT)
        digests.add(found["digest"])
        head = f'[[seal_embedded]]\nn = {degree}\nprimes = {primes}\nroots = "{roots}"'
        tables.append("\n".join((head, *(f"{name} = {found[name]}" for name in PARTS))))
    if len(digests) > 1:
        raise RuntimeError(f"n = {degree}: the encoders give different ciphertexts")
    return "\n\n".join(tables) + "\n"


def main() -> int:
    """Exit status 1 if something does not build or fails."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="SOURCE")
    parser.add_argument("--libc", type=Path, default=Path(LIBC), metavar="FOLDER")
    options = parser.parse_args()
    try:
        for degree, primes in CASES:
            print(measured(options.source, options.libc, degree, primes), flush=True)
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
