"""Programs for isopod_soc: built by ports/ports.mk, run with a limit of cycles and of time."""
import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.device import keys
from bench.device.cases import KINDS, ParameterSet, parameter_sets
from bench.device.measure import definitions, generate_tables
from ports.emulate import BUILD, ROOT, build_app

PORT = "cv32e40p-sim"
SOFTWARE = "rv32im"
ENGINE = ""  # the port's own backend
SECONDS = 3600


@dataclass(frozen=True)
class Firmware:
    """A program of rtl/soc/firmware for one set, kind of key and backend."""

    source: str
    set: ParameterSet
    kind: str
    suite: str = "chacha20"
    backend: str = ENGINE
    sleeps: bool = False  # waits for interrupts instead of polling
    layout: int = 0  # of the values, isopod_layout; of the program `encrypt`
    framed: bool = False  # whole frames, of the program `encrypt`

    @property
    def primes_bytes(self) -> int:
        """Bytes of the first prime's residues on the wire."""
        polynomials = 2 if self.kind.startswith("pk") else 1
        return self.set.ring_degree * self.set.primes[0].bit_length() // 8 * polynomials

    def flags(self) -> str:
        """The definitions that the source needs."""
        secret = self.kind in ("sym", "ternary")
        return definitions({
            "PARAMS": f"isopod_{self.set.symbol}", "TABLES": f"isopod_tables_{self.set.symbol}",
            "SUITE": f"isopod_suite_{self.suite}", "N": self.set.ring_degree,
            "LOG2_SCALE": min(self.set.log2_scale, 30),
            "KIND": KINDS[self.kind], "KEY_BYTES": keys.blob_bytes(self.set, self.kind),
            "WIRE_BYTES": self.set.residue_bytes(1 if secret else 2) + 8,
            "PRIME_BYTES": self.primes_bytes,
            "LOG_N": self.set.ring_degree.bit_length() - 1, "PRIMES": len(self.set.primes),
            "PRIMES64": int(self.set.has_primes64), "LAYOUT": self.layout,
            "FRAMED": int(self.framed)}
        ) + f" -DISOPOD_ACCEL_SLEEPS={int(self.sleeps)}"

    def sources(self) -> list[str]:
        """The sources; a driver that sleeps replaces the library's, which polls, and roots as the
        engine's key slot makes them those of software."""
        replaced = ["device/src/backend/accel/driver.c"] * self.sleeps
        replaced += ["rtl/soc/firmware/slot_root.c"] * (self.backend == SOFTWARE)
        return [f"rtl/soc/firmware/{self.source}.c", *replaced]

    def build(self) -> Path:
        """Builds the program; its ELF file."""
        app = "-".join(["soc", self.source, self.set.name, self.kind, self.suite])
        app += "-sleeps" * self.sleeps + f"-{self.layout}" * (self.layout > 0)
        app += "-framed" * self.framed
        tables = (str(generate_tables(self.set.name)),)
        return build_app(PORT, app, self.sources(), self.flags(), tables, self.backend)

    def key(self) -> Path:
        """Writes a key blob for the program."""
        path = BUILD / "bench" / f"{self.set.name}-{self.kind}.key"
        keys.write(ROOT / path, self.set, self.kind)
        return path


def named_set(name: str) -> ParameterSet:
    """A set of spec/params.toml."""
    return parameter_sets()[name]


def run(program: Path, elf: Path, words: list[str], cycles: int,
        latency: int = 0) -> subprocess.CompletedProcess:
    """Runs elf on the simulated system; the caller judges the exit status, 124 at the limit of
    cycles."""
    command = [str(program), "--elf", str(elf), "--cycles", str(cycles), "--latency", str(latency),
               "--", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS,
                          check=False)


def values(done: subprocess.CompletedProcess) -> dict[str, int]:
    """The lines "name value" of a program; RuntimeError if it failed."""
    if done.returncode != 0:
        said = done.stdout + done.stderr
        raise RuntimeError(f"{' '.join(done.args)}: exit status {done.returncode}\n{said}")
    return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def remembered(program: Path, elf: Path, words: list[str], cycles: int,
               latency: int = 0) -> dict[str, int]:
    """Numbers as from values(), cached while system, program, words, the files named there and
    memory are unchanged. RuntimeError if the program failed, which is not cached."""
    files = [program, ROOT / elf, *(ROOT / word for word in words if (ROOT / word).is_file())]
    digest = hashlib.sha256(f"{words} {latency}".encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    place = ROOT / BUILD / "soc-runs" / f"{digest.hexdigest()}.json"
    if not place.exists():
        found = values(run(program, elf, words, cycles, latency))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(found))
    return json.loads(place.read_text())
