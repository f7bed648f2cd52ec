"""`python3 fuzz/device/run.py [--seconds N]`: runs the fuzz target of the device library's result reader.

Without --seconds any compiler replays the corpus under AddressSanitizer and UndefinedBehaviorSanitizer. With it libFuzzer
(clang) starts from the corpus and adds new inputs to corpus.txt: hexadecimal bytes, or - for none, and the number of zeros after
them, by turns, since the values of residues do not matter."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "device/test"))
from objects import Compilation, objects  # noqa: E402
from sources import INCLUDE, SANITISED, WARNINGS, backend_flag, library  # noqa: E402

CORPUS = Path(__file__).with_name("corpus.txt")
SEED_SETS = ("ckks-1024x1-sum", "bfv-1024x1-count", "ckks-4096x3-sum")
LONGEST = 36_864  # bytes of an input: a result of three primes at n = 4096
MOST_DIGITS = 512  # bytes of an input that are kept: a result's fields without its residues
RUNS = re.compile(rb"(.*?)(\0{8,}|\Z)", re.DOTALL)


def build(out: Path, compiler: str, sanitizers: str, *flags: str) -> Path:
    """Builds the program with the portable library, whose objects are those of device/test where they have these flags."""
    common = ("-std=c11", "-O1", f"-fsanitize={sanitizers}", *SANITISED, *WARNINGS, *INCLUDE)
    built = objects(Compilation(compiler, common, tuple(backend_flag("portable"))), library())
    command = [compiler, *common, *flags, ROOT / "fuzz/device/result.c", *built, "-o", out]
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT)
    return out


def head(kind: int, number: int) -> bytes:
    """The shortest head of one CBOR item."""
    if number < 24:
        return bytes([kind << 5 | number])
    size = next(size for size in (1, 2, 4, 8) if number < 1 << 8 * size)
    return bytes([kind << 5 | 24 + size.bit_length() - 1]) + number.to_bytes(size)


def seeds() -> list[bytes]:
    """A valid result of each set at each number of primes, with all residues zero."""
    sys.path.insert(0, str(ROOT))
    from bench.device.cases import parameter_sets  # noqa: PLC0415
    from bench.device.keys import set_id  # noqa: PLC0415

    chosen = [parameter_sets()[name] for name in SEED_SETS]
    return [result(parameters, set_id(parameters), primes)
            for parameters in chosen for primes in range(1, len(parameters.primes) + 1)]


def result(parameters, identity: bytes, primes: int) -> bytes:
    """A result of spec/wire.md, section 3, without the tag."""
    from spec.model.wire_codes import RESULT, VERSION  # noqa: PLC0415

    residues = parameters.ring_degree * sum(prime.bit_length() for prime in parameters.primes[:primes]) // 8
    scale = b"\xfb\x3f\xf0" + bytes(6) if parameters.plain_modulus else b"\xfb\x41\x10" + bytes(6)
    text = b"a sum"
    names = [head(2, 8) + identity, *(head(2, 16) + bytes(range(start, start + 16)) for start in (0, 16, 32))]
    asked = [head(0, 7), head(0, 0), head(0, 2), head(2, 16) + bytes(16), head(2, 32) + bytes(32), head(3, len(text)) + text]
    entered = [head(0, 1), head(2, 32) + bytes(32), head(2, 6) + bytes([0x85, 1, 1, 0, 0, 1]), head(2, 16) + bytes(16)]
    error = b"\xfb" + bytes(8)
    grid = [head(0, number) for number in (0, 3, 5, 7, 9)]
    claimed = [b"\xfb\x3f\xf0" + bytes(6), error, head(0, primes), scale, *grid]
    fields = [head(4, len(RESULT)), head(0, VERSION), head(0, 16), *names, *asked, *entered, *claimed]
    return b"".join(fields) + (head(2, residues) + bytes(residues)) * 2


def corpus() -> list[bytes]:
    """Inputs that earlier runs found, and the seeds."""
    lines = CORPUS.read_text().split("\n") if CORPUS.exists() else []
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return seeds() + [expanded(line) for line in words]


def expanded(words: list[str]) -> bytes:
    """The input of a line."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return b"".join(bytes.fromhex(digits.strip("-")) + bytes(int(zeros)) for digits, zeros in pairs)


def shortened(data: bytes) -> str:
    """The line of an input; empty if it is too long to be kept."""
    runs = [(found[1], found[2]) for found in RUNS.finditer(data) if found[0]]
    if sum(len(digits) for digits, _ in runs) > MOST_DIGITS:
        return ""
    return " ".join(f"{digits.hex() or '-'} {len(zeros)}" for digits, zeros in runs)


def keep(inputs: list[bytes]) -> None:
    """Rewrites the corpus."""
    lines = {shortened(data) for data in inputs} - {""}
    CORPUS.write_text("# Written by `python3 fuzz/device/run.py --seconds N`.\n" + "".join(f"{line}\n" for line in sorted(lines)))


def replay(folder: Path) -> int:
    """Runs every input once."""
    program = build(folder / "replay", "gcc", "address,undefined", "-DREPLAY")
    files = []
    for number, data in enumerate(corpus()):
        files.append(folder / f"input-{number}")
        files[-1].write_bytes(data)
    return subprocess.run([str(program), *map(str, files)], check=False).returncode


def fuzz(folder: Path, seconds: int) -> int:
    """Fuzzes from the corpus; keeps new inputs if no run failed."""
    program = build(folder / "fuzz", "clang-14", "fuzzer,address,undefined")
    found, least = folder / "found", folder / "least"
    found.mkdir()
    least.mkdir()
    for number, data in enumerate(corpus()):
        (found / f"input-{number}").write_bytes(data)
    limit = f"-max_len={LONGEST}"
    done = subprocess.run([program, limit, f"-max_total_time={seconds}", "-len_control=0", found], cwd=ROOT, check=False)
    if done.returncode == 0:
        subprocess.run([program, limit, "-merge=1", least, found], check=True)
        keep([path.read_bytes() for path in least.iterdir()])
    return done.returncode


def main() -> int:
    """Replays the corpus, or fuzzes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, help="fuzz for so long")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        return fuzz(Path(name), seconds) if seconds else replay(Path(name))


if __name__ == "__main__":
    sys.exit(main())
