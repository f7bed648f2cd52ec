"""Runs the example on real readings: `make demo`, or `PYTHONPATH=. python3 examples/breast-cancer/demo.py --isopod PROGRAM`.

An owner generates keys; firmware on an emulated Cortex-M4 encrypts the readings with the public key; then `isopod demo` plays
the server, which scores the frames with SEAL and evaluation keys only, and the owner, who decrypts; it compares every score
with the plaintext one."""
import argparse
import array
import csv
import json
import os
import secrets
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from ports import emulate

EXAMPLE = Path(__file__).resolve().parent
MODEL = EXAMPLE / "model.json"
FOLDER = emulate.ROOT / emulate.BUILD / "demo"
PORT = "mps2-an386"
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")
SET = "ckks-4096x2-linear"
STRIDE = 32
ROWS = 569
KEYS = """The device held the public key and its own frame key; the server held evaluation keys and the keys that prove who
sent what; nothing that either held decrypts. Only the owner held the secret key, under a passphrase."""


class Isopod:
    """The command line, run in one folder; a random passphrase protects the owner's key there."""

    def __init__(self, program: str, folder: Path):
        self.program = str(Path(program).resolve())
        self.folder = folder
        self.environment = {**os.environ, "ISOPOD_PASSPHRASE": secrets.token_urlsafe()}

    def try_run(self, *words: str, **options) -> subprocess.CompletedProcess:
        """Runs one command; the caller judges the exit status."""
        return subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, check=False, **options)

    def run(self, *words: str) -> dict:
        """Runs one command: its JSON output, or RuntimeError with its messages."""
        done = self.try_run("--json", *words, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def keygen(self) -> None:
        """Generates the folders keys/{owner,server,device-1}."""
        self.run("keygen", "--set", SET, "--for", "logistic", "--stride", str(STRIDE), "--out", "keys")


def fresh_folder(folder: Path, rows: int) -> list[list[float]]:
    """Empties the folder and writes the first rows of the readings there as readings.csv; returns them."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "frames").mkdir(parents=True)
    with (EXAMPLE / "readings.csv").open(newline="") as file:
        header, *readings = list(csv.reader(file))[: rows + 1]
    with (folder / "readings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *readings])
    return [[float(cell) for cell in row] for row in readings]


def relative(path: Path) -> str:
    """The path relative to the root of the repository, where boards' programs run: their arguments hold no spaces."""
    return os.path.relpath(path, emulate.ROOT)


def build_firmware(folder: Path) -> Path:
    """Builds the firmware with the public key and the device key of this folder in its flash."""
    tables = emulate.BUILD / "demo-tables.c"
    (emulate.ROOT / tables).parent.mkdir(parents=True, exist_ok=True)
    done = emulate.run([sys.executable, "-m", "spec.gen", "tables", "--set", SET, "--out", str(tables)])
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    emulate.make(f"{emulate.BUILD}/counter/libcounter.so")
    keys = folder / "keys/device-1"
    flags = f"-Ibench -I{relative(keys)}"
    return emulate.build_app(PORT, "breast-cancer", [relative(EXAMPLE / "firmware/main.c")], flags, (str(tables),))


def run_firmware(elf: Path, folder: Path, readings: list[list[float]]) -> subprocess.CompletedProcess:
    """Writes the readings in the board's format and runs it; it sends frames/device-1.bin."""
    values = array.array("f", [value for row in readings for value in row])
    if sys.byteorder == "big":
        values.byteswap()
    (folder / "readings.f32").write_bytes(values.tobytes())
    words = [relative(folder / name) for name in ("readings.f32", "frames/device-1.bin")]
    return emulate.run(emulate.command(PORT, elf, words, folder / "instructions"))


def encrypt_on_device(folder: Path, readings: list[list[float]]) -> dict:
    """Encrypts the readings on the emulated board; the cost of a frame."""
    done = run_firmware(build_firmware(folder), folder, readings)
    if done.returncode != 0:
        raise RuntimeError(f"firmware: exit status {done.returncode}\n{done.stderr}")
    said = dict(line.split() for line in done.stderr.splitlines())
    library, buffers, stack = (int(said[name]) for name in ("library_ram_bytes", "buffer_bytes", "stack_bytes"))
    return {
        "board": "emulated Cortex-M4 (QEMU mps2-an386)",
        "instructions_per_encryption": round(statistics.mean(emulate.regions(folder / "instructions"))),
        "ram_bytes": library + buffers + stack,
        "ram_bytes_of_library": library,
        "ram_bytes_of_readings_and_output": buffers,
        "ram_bytes_of_stack": stack,
    }


def prepare(isopod: Isopod, rows: int) -> list[str]:
    """Generates keys, and frames of the device if it can be emulated; the command that runs the rest."""
    readings = fresh_folder(isopod.folder, rows)
    print("The owner makes keys.", flush=True)
    isopod.keygen()
    command = ["demo", "--keys", "keys", "--readings", "readings.csv", "--model", str(MODEL)]
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"No board can be emulated without {' and '.join(missing)}: nothing is measured on a device.", flush=True)
        return command
    print(f"The device, an emulated Cortex-M4, encrypts {rows} rows with the public key.", flush=True)
    report = encrypt_on_device(isopod.folder, readings)
    (isopod.folder / "device.json").write_text(json.dumps(report, indent=1) + "\n")
    return [*command, "--frames", "frames", "--device-report", "device.json"]


def main() -> int:
    """Runs the example; exit status 0 if all predictions agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isopod", required=True, metavar="PROGRAM")
    parser.add_argument("--rows", type=int, default=ROWS, choices=range(1, ROWS + 1), metavar=f"1..{ROWS}")
    options = parser.parse_args()
    isopod = Isopod(options.isopod, FOLDER)
    try:
        command = prepare(isopod, options.rows)
        status = isopod.try_run(*command).returncode
    except (RuntimeError, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    if status == 0:
        print(f"\n{KEYS}\nAll files of this run are in {relative(FOLDER)}.")
    return status


if __name__ == "__main__":
    sys.exit(main())
