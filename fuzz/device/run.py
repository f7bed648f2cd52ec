"""`python3 fuzz/device/run.py`: replays the corpus of the device library's result reader, by any compiler, under
AddressSanitizer and UndefinedBehaviorSanitizer.

`make fuzz` adds inputs to corpus.txt. A line has, in turns, hexadecimal bytes, or - for none, and the number of zeros after
them, because the values of residues do not matter."""
import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "device/test"))
from objects import Compilation, objects  # noqa: E402
from sources import INCLUDE, SANITISED, WARNINGS, backend_flag, library, write_known_answers  # noqa: E402

RESULT = Path(__file__).with_name("result.c")
HARNESS = ROOT / "device/test/harness"
CALLS = [Path(__file__).with_name("calls.c"), *(HARNESS / f"{name}.c" for name in ("check", "fixture", "key_calls", "key_calls64",
                                                                                   "platform_host"))]
CORPUS = Path(__file__).with_name("corpus.txt")
SEED_SETS = ("ckks-1024x1-sum", "bfv-1024x1-count", "ckks-4096x3-sum")
LONGEST = 36_864  # bytes of an input: a result of three primes at n = 4096
TAG_BYTES = 17  # with the head before them
MOST_DIGITS = 512  # bytes of an input that are kept: a result's fields without its residues
RUNS = re.compile(rb"(.*?)(\0{8,}|\Z)", re.DOTALL)


def build(out: Path, compiler: str, sanitizers: str, sources: Iterable[Path] = (RESULT,), flags: tuple[str, ...] = ()) -> Path:
    """Builds a program with the portable library, whose objects are those of device/test where they have these flags."""
    common = ("-std=c11", "-O1", f"-fsanitize={sanitizers}", *SANITISED, *WARNINGS, *INCLUDE)
    built = objects(Compilation(compiler, common, tuple(backend_flag("portable"))), library())
    command = [compiler, *common, *flags, *sources, *built, "-o", out]
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT)
    return out


def build_calls(out: Path) -> Path:
    """Builds the program that fuzzes calls; it takes keys from the known answers."""
    write_known_answers()
    return build(out, "clang-14", "fuzzer,address,undefined", CALLS)


def seeds() -> list[bytes]:
    """A valid result for each set and each number of primes, with zeros for all residues and without its tag."""
    sys.path.insert(0, str(ROOT))
    from spec.base.parameters import read_sets  # noqa: PLC0415
    from spec.model.result import Claims, Grid, Provenance, result  # noqa: PLC0415

    asked = Provenance("a sum", bytes(range(32, 48)), 7, 0, 2, bytes(16), frames=((1, 1, 0, 1),), packing=bytes(16))
    found = []
    for parameters in (entry for entry in read_sets() if entry.name in SEED_SETS):
        pair = SimpleNamespace(parameters=parameters, key_id=bytes(range(16)))
        claims = Claims(1.0 if parameters.plain_modulus else 2.0 ** 18, Grid(3, 5, 7, 9), provenance=asked)
        for primes in range(1, len(parameters.data_primes) + 1):
            zeros = [[0] * parameters.ring_degree] * primes
            found.append(result(pair, (zeros, zeros), claims, bytes(32), bytes(range(16, 32)))[:-TAG_BYTES])
    return found


def corpus() -> list[bytes]:
    """The inputs that earlier runs found, and the seeds."""
    lines = CORPUS.read_text().split("\n") if CORPUS.exists() else []
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return seeds() + [expanded(line) for line in words]


def expanded(words: list[str]) -> bytes:
    """The input that a line describes."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return b"".join(bytes.fromhex(digits.strip("-")) + bytes(int(zeros)) for digits, zeros in pairs)


def shortened(data: bytes) -> str:
    """The line that describes an input; empty if the input is too long to keep."""
    runs = [(found[1], found[2]) for found in RUNS.finditer(data) if found[0]]
    if sum(len(digits) for digits, _ in runs) > MOST_DIGITS:
        return ""
    return " ".join(f"{digits.hex() or '-'} {len(zeros)}" for digits, zeros in runs)


def keep(inputs: list[bytes]) -> None:
    """Rewrites the corpus."""
    lines = {shortened(data) for data in inputs} - {""}
    CORPUS.write_text("# Written by `make fuzz`.\n" + "".join(f"{line}\n" for line in sorted(lines)))


def replay(folder: Path) -> int:
    """Runs every input once."""
    program = build(folder / "replay", "gcc", "address,undefined", flags=("-DREPLAY",))
    files = []
    for number, data in enumerate(corpus()):
        files.append(folder / f"input-{number}")
        files[-1].write_bytes(data)
    return subprocess.run([str(program), *map(str, files)], check=False).returncode


def main() -> int:
    """Replays the corpus."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as name:
        return replay(Path(name))


if __name__ == "__main__":
    sys.exit(main())
