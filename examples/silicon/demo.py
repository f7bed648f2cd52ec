"""The engine as device and as its owner's reader, SEAL between: `.venv/bin/python -m examples.silicon.demo [--isopod PROGRAM]`.

The simulated engine encrypts one hour of readings by the public and one by the secret key; SEAL adds them up and decrypts the
sum; the engine decrypts and decodes the same answer. Exit status 1 if one of them is off by more than the error with it."""
import argparse
import csv
import io
import json
import math
import os
import secrets
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from examples.silicon import cbor, engine
from rtl.dv.top.engine import DECODE, FLOAT, PUBLIC, SECRET
from spec.base.parameters import CkksSet, read_sets
from spec.model import wire_codes as wire
from spec.model.authentication import device_key
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, value_of
from spec.model.encryption import Ciphertext
from spec.model.frame import Claims, Encoding, frame
from spec.model.packing import unpack
from spec.model.streams import CHACHA20, PUBLIC_KEY, SECRET_KEY, Root, Sender, Source, derive_root

SET, DEVICE = "ckks-8192x3w-sum", 1
# Volts at every second of an hour, below 2^2.
READINGS, LOG2_BOUND, LOG2_SCALE = 3600, 2, 24
# Where 1.0 of words of 32 bits lies.
WORD_BITS = 30
OPCODES = {PUBLIC_KEY: PUBLIC, SECRET_KEY: SECRET}


class Isopod:
    """The command line, run in one folder."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = str(Path(program).resolve()), folder

    def run(self, *words: str) -> str:
        """The output of one command; RuntimeError with its messages if it fails."""
        done = subprocess.run([self.program, *words], cwd=self.folder, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout


@dataclass(frozen=True)
class Pair:
    """Parts of a key pair: what frames name, the flash image of the secret key, the words of the public one, the device's key."""

    parameters: CkksSet
    key_id: bytes
    secret: bytes
    public: list[int]
    device_key: bytes

    @classmethod
    def read(cls, folder: Path) -> "Pair":
        """The keys that `isopod keygen` wrote."""
        parameters = next(entry for entry in read_sets() if entry.name == SET)
        owner = cbor.fields((folder / "owner/owner.key").read_bytes(), wire.OWNER_KEY)
        public = (folder / "public/public.key").read_bytes()[wire.KEY_BLOB_HEADER_BYTES + wire.MASK_SEED_BYTES:]
        return cls(parameters, owner["key"], owner["blob"], list(struct.unpack(f"<{len(public) // 8}Q", public)),
                   device_key(owner["device_master"], DEVICE))


def volts(phase: float) -> list[float]:
    """Readings of a mains, as a 32-bit converter gives them."""
    exact = (3 * math.sin(2 * math.pi * second / 600 + phase) + 0.5 * math.sin(second) for second in range(READINGS))
    return list(struct.unpack(f"<{READINGS}f", struct.pack(f"<{READINGS}f", *exact)))


def simulate(pair: Pair, operations: list[dict]) -> list[dict]:
    """Answers of the engine; RuntimeError if it reports an error."""
    engine.FOLDER.mkdir(parents=True, exist_ok=True)
    (engine.FOLDER / "orders.json").write_text(json.dumps({
        "primes": pair.parameters.data_primes, "ring_degree": pair.parameters.ring_degree, "key": pair.secret.hex(),
        "operations": operations}))
    with (engine.FOLDER / "log").open("w") as log:
        done = subprocess.run([sys.executable, "-m", engine.MODULE], stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the engine reports an error, {engine.FOLDER / 'log'}")
    return json.loads((engine.FOLDER / "answers.json").read_text())


def command(parameters: CkksSet, opcode: int, primes: int) -> int:
    """The register COMMAND of an operation with a ternary key."""
    return opcode | parameters.log2_degree << 4 | primes << 8 | CHACHA20 << 13 | FLOAT << 15


class Reading:
    """A frame that the engine encrypts."""

    def __init__(self, pair: Pair, kind: int, sequence: int, values: list[float]):
        self.pair, self.kind = pair, kind
        self.samples = struct.pack(f"<{len(values)}f", *values)
        self.sender = Sender(pair.device_key, DEVICE, 1, sequence)
        source = Source(secrets.token_bytes(32), self.sender, self.samples)
        self.root = derive_root(source, CHACHA20, kind, pair.key_id, pair.parameters.set_id)

    @property
    def order(self) -> dict:
        """The operation."""
        parameters = self.pair.parameters
        polynomials = 2 if self.kind == PUBLIC_KEY else 1
        bits = sum(prime.bit_length() for prime in parameters.data_primes)
        shift = WORD_BITS - LOG2_SCALE - LOG2_BOUND
        return {"command": command(parameters, OPCODES[self.kind], len(parameters.data_primes)),
                "encoding": READINGS | shift << 16 | LOG2_BOUND << 24, "bytes": polynomials * parameters.ring_degree * bits // 8,
                "samples": list(struct.unpack(f"<{READINGS}I", self.samples)),
                "public": self.pair.public if self.kind == PUBLIC_KEY else [],
                "mask_seed": self.root.mask_seed.hex(), "noise_key": self.root.noise_key.hex()}

    def frame(self, answer: dict) -> bytes:
        """The frame of the engine's residues; by secret key under the mask seed that its slot made."""
        data, rows = bytes.fromhex(answer["data"]), []
        for prime in self.pair.parameters.data_primes:
            for _ in range(2 if self.kind == PUBLIC_KEY else 1):
                size = self.pair.parameters.ring_degree * prime.bit_length() // 8
                rows.append(unpack(data[:size], prime.bit_length()))
                data = data[size:]
        c0, c1 = (rows[::2], rows[1::2]) if self.kind == PUBLIC_KEY else (rows, rows)
        root = Root(bytes.fromhex(answer["mask_seed"]), b"", self.root.nonce)
        encoding = Encoding(LOG2_SCALE, READINGS, 1, Claims(LOG2_BOUND))
        return b"".join(frame(self.pair, Ciphertext(self.kind, CHACHA20, root, c0, c1), self.sender, encoding))


class Answer:
    """A sealed result, which the engine decrypts under its first prime."""

    def __init__(self, pair: Pair, data: bytes):
        self.pair, self.found = pair, cbor.fields(data, wire.RESULT)
        bound = math.ceil(math.log2(self.found["bound"]))
        self.declared = Declared(pair.parameters.ring_degree, self.found["scale"], bound)

    @property
    def order(self) -> dict:
        """The operation: c0 and c1 by turns."""
        parameters = self.pair.parameters
        bits = parameters.data_primes[0].bit_length()
        size = parameters.ring_degree * bits // 8
        words = zip(*(unpack(self.found[name][:size], bits) for name in ("c0", "c1")))
        return {"command": command(parameters, DECODE, 1), "encoding": MESSAGE32_BITS - self.declared.magnitude << 16,
                "bytes": size // 2, "samples": [], "public": [word for pair in words for word in pair],
                "mask_seed": bytes(32).hex(), "noise_key": bytes(32).hex()}

    def values(self, answer: dict) -> list[float]:
        """The values in their places."""
        prime = self.pair.parameters.data_primes[0]
        words = unpack(bytes.fromhex(answer["data"]), prime.bit_length())
        centred = [word - prime * (2 * word > prime) for word in words]
        first, columns = self.found["first"], self.found["columns"]
        return [value_of(word, self.declared, "f32") for word in centred[first:first + columns]]


def tell(isopod: Isopod) -> tuple[list[str], bool]:
    """Runs the story; its lines, and whether all values are right."""
    isopod.run("keygen", "--set", SET, "--device", str(DEVICE), "--insecure-plaintext-key", "--out", "keys")
    pair = Pair.read(isopod.folder / "keys")
    measured = [volts(0), volts(1)]
    readings = [Reading(pair, kind, sequence, values)
                for sequence, (kind, values) in enumerate(zip((PUBLIC_KEY, SECRET_KEY), measured))]
    made = simulate(pair, [reading.order for reading in readings])
    (isopod.folder / "frames.bin").write_bytes(b"".join(map(Reading.frame, readings, made)))

    isopod.run("evaluate", "--keys", "keys/server", "--job", "sum", "--unnamed-columns", "--in", "frames.bin", "--out", "sum.bin")
    rows = list(csv.DictReader(io.StringIO(isopod.run("decrypt", "--keys", "keys/owner", "--in", "sum.bin"))))
    by_seal, promised = [float(row["value"]) for row in rows], float(rows[0]["error"])

    answer = Answer(pair, (isopod.folder / "sum.bin").read_bytes())
    decoded, = simulate(pair, [answer.order])
    by_engine = answer.values(decoded)

    clear = [sum(pair) for pair in zip(*measured)]
    lines = [f"the engine encrypts {READINGS:,} readings in {run['cycles']:,} cycles, by {key} key"
             for run, key in zip(made, ("public", "secret"))]
    lines.append(f"the engine decrypts and decodes the sum in {decoded['cycles']:,} cycles")
    errors = {"SEAL": worst(by_seal, clear), "the engine": worst(by_engine, clear)}
    lines += [f"sum as {reader} reads it: off by {error:.2e} volts at most" for reader, error in errors.items()]
    return [*lines, f"promised: {promised:.2e} volts"], max(errors.values()) <= promised


def worst(found: list[float], clear: list[float]) -> float:
    """The largest difference."""
    return max(abs(value - exact) for value, exact in zip(found, clear, strict=True))


def main() -> int:
    """Runs the example; exit status 1 if a value is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--isopod", default=f"{target}/release/isopod", metavar="PROGRAM")
    with tempfile.TemporaryDirectory() as place:
        lines, right = tell(Isopod(parser.parse_args().isopod, Path(place)))
    print("\n".join(lines))
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
