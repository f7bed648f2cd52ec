"""Runs the command line in a folder of its own.

Its entropy comes from entropy.c and is the same in every run, so documents can quote errors that do not move."""
import csv
import io
import json
import os
import secrets
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ENTROPY = Path(__file__).resolve().parent / "entropy.c"
# Seconds, as devices have them, but the same in every run: it enters masks and headers.
EPOCH = "1800000000"


@dataclass
class Isopod:
    """The program with its folder and its state. A random passphrase protects the owners' keys there."""

    program: Path
    folder: Path
    environment: dict = field(default_factory=lambda: {**os.environ, "ISOPOD_PASSPHRASE": secrets.token_urlsafe()})
    commands: int = 0

    def __post_init__(self):
        library = self.folder / "entropy.so"
        subprocess.run(["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", ENTROPY, "-o", library], check=True)
        self.environment |= {"LD_PRELOAD": str(library), "XDG_STATE_HOME": str(self.folder / "state")}

    def run(self, *words: str) -> str:
        """The output of one command; RuntimeError with its messages if it fails."""
        self.commands += 1
        environment = self.environment | {"ISOPOD_BENCH_SEED": str(self.commands)}
        done = subprocess.run([self.program, *words], cwd=self.folder, env=environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def keys(self, name: str) -> None:
        """Generates the key folders of a set once. The device gets the secret key, too."""
        if not (self.folder / name).exists():
            evaluation = {"ckks-4096x2-linear": ["--for", "logistic", "--stride", "32"]}
            tfhe = ["--no-evaluation-keys", "--allow-compat-tfhepp"]
            more = tfhe if name.startswith("tfhe") else evaluation.get(name, [])
            self.run("keygen", "--set", name, "--allow-device-secret-key", "--out", name, *more)

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return (self.folder / name).stat().st_size

    def values(self, name: str, results: str) -> list[float]:
        """Decrypted values of a file of results."""
        text = self.run("decrypt", "--keys", f"{name}/owner", "--in", results)
        return [float(row["value"]) for row in csv.DictReader(io.StringIO(text))]

    def write(self, name: str, rows: list[list[float]], names: list[str] | None = None) -> None:
        """Writes rows of readings with a header."""
        with (self.folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([names or [f"v{at}" for at in range(len(rows[0]))], *rows])

    def encrypt(self, name: str, values: str, *options: str) -> int:
        """Encrypts a file of readings into frames.bin, and returns its size in bytes."""
        self.keys(name)
        said = self.run("--json", "encrypt", "--keys", f"{name}/device-1", "--values", values, "--out", "frames.bin", "--force",
                        "--epoch", EPOCH, *options)
        return json.loads(said)["bytes"]

    def answer(self, name: str, *job: str) -> list[float]:
        """Evaluates a job on frames.bin and decrypts the results."""
        self.run("evaluate", "--keys", f"{name}/server", "--in", "frames.bin", "--out", "results.bin", "--force", *job)
        return self.values(name, "results.bin")
