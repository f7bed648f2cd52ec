"""The whole story on real readings: `make demo`, or `PYTHONPATH=. python3 examples/breast-cancer/demo.py --isopod PATH`.

An owner makes keys; firmware on an emulated Cortex-M4 encrypts the readings with the public key; a server scores them with
SEAL and evaluation keys only; the owner decrypts. Then every score is compared with the one computed in the clear."""
import argparse
import array
import csv
import json
import os
import random
import secrets
import shutil
import statistics
import subprocess
import sys
import time
import tomllib
import zlib
from pathlib import Path

from ports import emulate

EXAMPLE = Path(__file__).resolve().parent
FOLDER = emulate.ROOT / emulate.BUILD / "demo"
PORT = "mps2-an386"
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")
SET = "ckks-4096x2-linear"
FEATURES, STRIDE, ROWS_PER_FRAME = 30, 32, 64
BOUND_BITS = "3"
# SEAL's file: header; parms_id, is_ntt, size, degree, primes, scale; header and length of the array.
SEAL_HEADER, SEAL_FIELDS = 16, 65 + 24


def load(rows: int) -> tuple[dict, list[list[float]]]:
    """The model, and the first rows of the readings."""
    with (EXAMPLE / "readings.csv").open(newline="") as file:
        readings = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    return json.loads((EXAMPLE / "model.json").read_text()), readings[:rows]


def step(text: str) -> None:
    """One line of progress, with the time since the start."""
    print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", flush=True)


STARTED = time.monotonic()


class Isopod:
    """The command line, in the folder of this run; its owner's key is under a passphrase that nobody else knows."""

    def __init__(self, program: str, folder: Path):
        self.program = str(Path(program).resolve())
        self.folder = folder
        self.environment = {**os.environ, "ISOPOD_PASSPHRASE": secrets.token_urlsafe()}

    def try_run(self, *words: str) -> subprocess.CompletedProcess:
        """Runs one command; the caller judges the exit status."""
        return subprocess.run([self.program, "--json", *words], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def run(self, *words: str) -> dict:
        """Runs one command and gives its answer; RuntimeError with what it said otherwise."""
        done = self.try_run(*words)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def keygen(self) -> dict:
        """Folders keys/{owner,server,device-1}."""
        return self.run("keygen", "--set", SET, "--for", "logistic", "--stride", str(STRIDE), "--out", "keys")

    def evaluate(self) -> dict:
        """frames.bin to results.bin, with what is in keys/server."""
        return self.run("evaluate", "--keys", "keys/server", "--job", "logistic", "--model", str(EXAMPLE / "model.json"),
                        "--bound-bits", BOUND_BITS, "--in", "frames.bin", "--out", "results.bin")

    def scores(self) -> list[float]:
        """What the owner reads in results.bin, row after row."""
        return [value["value"] for value in self.run("decrypt", "--keys", "keys/owner", "--in", "results.bin")["values"]]


def relative(path: Path) -> str:
    """To the root of the repository, where programs of boards are built and run: their arguments hold no spaces."""
    return os.path.relpath(path, emulate.ROOT)


def build_firmware(folder: Path) -> Path:
    """The firmware with this run's public key and device key in its flash."""
    tables = emulate.BUILD / "demo-tables.c"
    if not (emulate.ROOT / tables).exists():
        (emulate.ROOT / tables).parent.mkdir(parents=True, exist_ok=True)
        done = emulate.run([sys.executable, "-m", "spec.gen", "tables", "--set", SET, "--out", str(tables)])
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
    emulate.make(f"{emulate.BUILD}/counter/libcounter.so")
    source = relative(EXAMPLE / "firmware/main.c")
    return emulate.build_app(PORT, "breast-cancer", [source], f"-Ibench -I{relative(folder)}/keys/device-1", (str(tables),))


def run_firmware(elf: Path, folder: Path, readings: list[list[float]]) -> subprocess.CompletedProcess:
    """Writes the readings as the board expects them and runs it; frames.bin is what it sends."""
    values = array.array("f", [value for row in readings for value in row])
    if sys.byteorder == "big":
        values.byteswap()
    (folder / "readings.f32").write_bytes(values.tobytes())
    words = [relative(folder / name) for name in ("readings.f32", "frames.bin")]
    return emulate.run(emulate.command(PORT, elf, words, folder / "instructions"))


def encrypt_on_device(folder: Path, readings: list[list[float]]) -> dict:
    """Frames from the emulated board, and what they cost it."""
    done = run_firmware(build_firmware(folder), folder, readings)
    if done.returncode != 0:
        raise RuntimeError(f"firmware: exit status {done.returncode}\n{done.stderr}")
    lines = dict(line.split() for line in done.stderr.splitlines())
    return {
        "device": "emulated Cortex-M4 (QEMU mps2-an386)",
        "library_ram_bytes": int(lines["library_ram_bytes"]),
        "buffer_bytes": int(lines["buffer_bytes"]),
        "stack_bytes": int(lines["stack_bytes"]),
        "instructions": round(statistics.mean(emulate.regions(folder / "instructions"))),
    }


def encrypt_on_host(isopod: Isopod, readings: list[list[float]]) -> dict:
    """The same library on this machine, where no board can be emulated."""
    with (isopod.folder / "readings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[f"feature_{number}" for number in range(FEATURES)], *readings])
    isopod.run("encrypt", "--key", "keys/device-1", "--values", "readings.csv", "--bound-bits", BOUND_BITS,
               "--out", "frames.bin")
    return {"device": "this machine"}


def seal_file_bytes() -> tuple[int, int]:
    """Bytes of one such ciphertext as SEAL saves it: plain, and in its zlib mode. Ciphertexts look random, so random
    residues of the same primes deflate alike."""
    sets = tomllib.loads((emulate.ROOT / "spec/params.toml").read_text())["ckks"]
    entry = next(entry for entry in sets if entry["name"] == SET)
    generator = random.Random(SET)
    words = array.array("Q", [generator.randrange(prime) for _ in range(2) for prime in entry["data_primes"]
                              for _ in range(entry["ring_degree"])])
    plain = bytes(SEAL_FIELDS) + words.tobytes()
    return SEAL_HEADER + len(plain), SEAL_HEADER + len(zlib.compress(plain))


def compare(model: dict, readings: list[list[float]], scores: list[float]) -> dict:
    """Decrypted scores against scores computed in the clear."""
    clear = [sum(weight * value for weight, value in zip(model["weights"], row, strict=True)) + model["bias"]
             for row in readings]
    pairs = list(zip(clear, scores, strict=True))
    return {
        "rows": len(pairs),
        "equal_predictions": sum((left > 0) == (right > 0) for left, right in pairs),
        "positive_predictions": sum(right > 0 for right in scores),
        "largest_score_error": max(abs(left - right) for left, right in pairs),
        "smallest_margin": min(map(abs, clear)),
    }


def story(program: str, rows: int, folder: Path = FOLDER) -> dict:
    """Runs it; every fact of the table."""
    model, readings = load(rows)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    isopod = Isopod(program, folder)
    keys = isopod.keygen()
    step("owner:  made the keys; the secret key stays in keys/owner, under a passphrase")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        step(f"device: {' and '.join(missing)} not found, so no board is emulated; this machine encrypts instead")
        device = encrypt_on_host(isopod, readings)
    else:
        device = encrypt_on_device(folder, readings)
    step(f"device: encrypted {len(readings)} rows with the public key")
    results = isopod.evaluate()
    step(f"server: scored {results['frames']} ciphertexts with SEAL and evaluation keys only")
    scores = isopod.scores()
    step("owner:  decrypted the scores")
    sent = (folder / "frames.bin").stat().st_size
    seal_plain, seal_zlib = (size * results["frames"] / len(readings) for size in seal_file_bytes())
    return {
        **compare(model, readings, scores), **device, "frames": results["frames"], "bytes_sent": sent,
        "bytes_per_row": sent / len(readings), "seal_bytes_per_row": seal_plain, "seal_zlib_bytes_per_row": seal_zlib,
        "result_bytes": results["bytes"], "public_key_bytes": keys["public_key_bytes"],
        "evaluation_key_bytes": keys["evaluation_key_bytes"],
    }


def device_lines(facts: dict) -> list[tuple[str, str]]:
    """What encryption costs the device, where that was measured."""
    if "instructions" not in facts:
        return [("device RAM, instructions", "not measured: no board was emulated")]
    total = facts["library_ram_bytes"] + facts["buffer_bytes"] + facts["stack_bytes"]
    return [
        ("device RAM", f"{total:,} bytes: {facts['library_ram_bytes']:,} library, {facts['buffer_bytes']:,} readings and "
                       f"output, {facts['stack_bytes']:,} stack"),
        ("instructions per encryption", f"{facts['instructions']:,}, each of up to {ROWS_PER_FRAME} rows"),
    ]


def table(facts: dict) -> str:
    """The facts for people."""
    lines = [
        ("predictions equal to plaintext", f"{facts['equal_predictions']} of {facts['rows']} rows "
                                           f"({facts['positive_predictions']} malignant)"),
        ("largest score error", f"{facts['largest_score_error']:.1e} (the closest call is {facts['smallest_margin']:.1e} "
                                "from the threshold)"),
        ("bytes sent per row", f"{facts['bytes_per_row']:,.0f}; as SEAL saves it {facts['seal_bytes_per_row']:,.0f}, "
                               f"in its zlib mode {facts['seal_zlib_bytes_per_row']:,.0f}"),
        ("device", facts["device"]),
        *device_lines(facts),
        ("parameters", f"{SET}, label 128, real Microsoft SEAL on the server"),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"  {name.ljust(width)}  {value}" for name, value in lines)


KEYS = """The device held the public key and its own frame key, the server evaluation keys and the keys that prove who sent
what, neither of them anything that decrypts; only the owner held the secret key."""


def main() -> int:
    """Exit status 0 if all predictions agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, metavar="PATH", help="the program isopod")
    parser.add_argument("--rows", type=int, default=569, choices=range(1, 570), metavar="1..569")
    options = parser.parse_args()
    try:
        facts = story(options.isopod, options.rows)
    except (RuntimeError, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    (FOLDER / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(f"\n{table(facts)}\n\n{KEYS}\n\nAll files are in {relative(FOLDER)}.")
    return 0 if facts["equal_predictions"] == facts["rows"] else 1


if __name__ == "__main__":
    sys.exit(main())
