"""`python3 -m bench.paper.seal-embedded.recompute SOURCE`, from the root of the repository: instructions of whole encryptions by
SEAL-Embedded's own software on a Cortex-A7. Prints the figures `cortex_a7` of recomputed.toml.

SOURCE is a checkout of github.com/microsoft/SEAL-Embedded (commit 0913fa9), of which this repository holds nothing. GCC at -O3
with NEON, Keccak in C, no malloc, fixed seeds, no assertions; roots, map and public key come from files, as on the paper's board.
The three configurations of a key must give the same ciphertexts."""
import argparse
import cmath
import random
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from bench.device.measure import prepare
from bench.record import ROOT
from ports import emulate
from ports.emulate import BUILD

PORT = "linux-armv7a"
DEGREE, STAGES = 4096, 12
ROOTS = {1053818881: 503422, 1054015489: 16768, 1054212097: 7305}  # 2n-th roots of unity modulo the primes
# SE_IFFT_TYPE, SE_NTT_TYPE, SE_INDEX_MAP_TYPE
CONFIGURATIONS = {"memory efficient": (0, 0, 0), "balanced": (1, 2, 2), "high performance": (1, 3, 3)}
SOURCES = ("ckks_common", "ckks_sym", "ckks_asym", "fft", "fileops", "modulus", "ntt", "parameters", "polymodmult", "rng",
           "sample", "uint_arith", "shake256/fips202", "shake256/keccakf1600")
LEFT_OUT = ("SE_USE_MALLOC", "SE_DEFINE_SK_DATA", "SE_MEMPOOL_ALLOC_VALUES")
FLAGS = ("-mcpu=cortex-a7", "-mfpu=neon-vfpv4", "-mfloat-abi=hard", "-marm", "-O3", "-fno-strict-aliasing", "-DNDEBUG", "-w",
         "-static", "-DSE_UNDEF_ASSERT_FORCE", "-DSE_DISABLE_TESTING_CAPABILITY")


def reversed_bits(value: int) -> int:
    """The index with its bits in the other order."""
    return int(f"{value:0{STAGES}b}"[::-1], 2)


def words(path: Path, form: str, values: list) -> None:
    """Writes numbers in little-endian order."""
    path.write_bytes(struct.pack(f"<{len(values)}{form}", *values))


def of_prime(folder: Path, prime: int, psi: int, draw: random.Random) -> None:
    """Writes the roots modulo a prime, alone and with their quotients, and a public key of random residues."""
    powers = [0] * DEGREE
    for exponent in range(DEGREE):
        powers[reversed_bits(exponent)] = pow(psi, exponent, prime)
    words(folder / f"ntt_roots_{DEGREE}_{prime}.dat", "I", powers)
    words(folder / f"ntt_fast_roots_{DEGREE}_{prime}.dat", "I",
          [word for power in powers for word in (power, (power << 32) // prime)])
    for part in (0, 1):
        words(folder / f"pk{part}_ntt_{DEGREE}_{prime}.dat", "I", [draw.randrange(prime) for _ in range(DEGREE)])


def data(folder: Path) -> None:
    """Writes the files that SEAL-Embedded loads, in its formats."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    for prime, psi in ROOTS.items():
        of_prime(folder, prime, psi, draw)
    points = [cmath.exp(-1j * cmath.pi * (reversed_bits((at - 1) % DEGREE) + 1) / DEGREE) for at in range(DEGREE)]
    words(folder / f"ifft_roots_{DEGREE}.dat", "d", [part for point in points for part in (point.real, point.imag)])
    indices = [(pow(3, at, 2 * DEGREE) - 1) // 2 for at in range(DEGREE // 2)]
    words(folder / f"index_map_{DEGREE}.dat", "H",
          [reversed_bits(at) for at in (*indices, *(DEGREE - 1 - at for at in indices))])


def compiled(source: Path, key: str, configuration: str) -> Path:
    """The program of one kind of key and configuration; CalledProcessError if it does not compile."""
    folder = ROOT / BUILD / "seal-embedded-a7" / f"{key}-{configuration}".replace(" ", "-")
    shutil.copytree(source / "device/lib", folder, dirs_exist_ok=True)
    file, names = folder / "user_defines.h", ("SE_IFFT_TYPE", "SE_NTT_TYPE", "SE_INDEX_MAP_TYPE")
    text, choices = file.read_text(), zip(names, CONFIGURATIONS[configuration])
    for name, value in (*choices, ("SE_ASSERT_TYPE", 0), ("SE_RAND_TYPE", 0)):
        text = re.sub(rf"(?m)^#define {name} .*$", f"#define {name} {value}", text)
    for name in LEFT_OUT + (("SE_ENCRYPT_TYPE_SYMMETRIC",) if key == "asymmetric" else ()):
        text = re.sub(rf"(?m)^#define {name}$", "", text)
    file.write_text(text)
    data_path = folder.parent / "data"
    defines = [f'-DSE_DATA_PATH="{data_path}"', f"-DSE_DATA_PATH_LEN={len(str(data_path))}",
               *["-DPUBLIC_KEY"] * (key == "asymmetric")]
    subprocess.run(["arm-linux-gnueabihf-gcc", *FLAGS, *defines, "-I.", "-Ishake256", f"-I{ROOT}/bench",
                    *(f"{name}.c" for name in SOURCES), ROOT / "bench/paper/seal-embedded/recompute.c", "-lm", "-o", "program"],
                   cwd=folder, check=True)
    return folder / "program"


def counted(program: Path) -> tuple[int, str]:
    """Instructions of one encryption, and the digest of its ciphertexts."""
    counts = program.with_suffix(".regions")
    done = emulate.run(emulate.command(PORT, program, [], counts))
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr}")
    return emulate.regions(counts)[0], done.stderr.split()[-1]


def main() -> int:
    """The exit status: 1 if configurations give different ciphertexts, 2 if something does not build or run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="SOURCE")
    options = parser.parse_args()
    try:
        prepare()
        data(ROOT / BUILD / "seal-embedded-a7/data")
        differ = False
        for key in ("symmetric", "asymmetric"):
            found = {name: counted(compiled(options.source, key, name)) for name in CONFIGURATIONS}
            differ = differ or len({digest for _, digest in found.values()}) > 1
            print("\n".join(f"{key}, {name}: cortex_a7 = {count:_}, digest {digest}" for name, (count, digest) in found.items()))
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
