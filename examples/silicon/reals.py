"""Reals by CKKS: the engine encrypts readings by the public and by the secret key, SEAL adds them up, and both decode the sum."""
import csv
import io
import math
import struct

from examples.silicon import cbor
from examples.silicon.parts import Isopod, Pair, Sent, by_turns, command, operation, simulate
from rtl.dv.top.engine import DECODE, PUBLIC, SECRET
from spec.model import wire_codes as wire
from spec.model.decode_fixed import MESSAGE32_BITS, Declared, value_of
from spec.model.frame import Claims, Encoding
from spec.model.packing import unpack
from spec.model.streams import PUBLIC_KEY, SECRET_KEY

SET = "ckks-8192x3w-sum"
# Volts at every second of an hour, below 2^2.
READINGS, LOG2_BOUND, LOG2_SCALE = 3600, 2, 24
# Where 1.0 of words of 32 bits lies.
WORD_BITS = 30
FLOAT32 = 1  # the type of the values, as the root names it
OPCODES = {PUBLIC_KEY: PUBLIC, SECRET_KEY: SECRET}


def volts(phase: float) -> list[float]:
    """Readings of a mains voltage, like those of a 32-bit converter."""
    exact = (3 * math.sin(2 * math.pi * second / 600 + phase) + 0.5 * math.sin(second) for second in range(READINGS))
    return list(struct.unpack(f"<{READINGS}f", struct.pack(f"<{READINGS}f", *exact)))


class Reading(Sent):
    """A frame of readings."""

    def __init__(self, pair: Pair, kind: int, sequence: int, values: list[float]):
        self.samples = struct.pack(f"<{len(values)}f", *values)
        super().__init__(pair, kind, sequence, Encoding(LOG2_SCALE, READINGS, 1, Claims(LOG2_BOUND)), (self.samples, FLOAT32))

    @property
    def order(self) -> dict:
        """The operation that encrypts."""
        shift = WORD_BITS - LOG2_SCALE - LOG2_BOUND
        return self.encryption(OPCODES[self.kind], encoding=READINGS | shift << 16 | LOG2_BOUND << 24,
                               samples=list(struct.unpack(f"<{READINGS}I", self.samples)))


class Answer:
    """A sealed result, which the engine decrypts under the result's first prime."""

    def __init__(self, pair: Pair, data: bytes):
        self.pair, self.found = pair, cbor.fields(data, wire.RESULT)
        bound = math.ceil(math.log2(self.found["bound"]))
        self.declared = Declared(pair.parameters.ring_degree, self.found["scale"], bound)

    @property
    def order(self) -> dict:
        """The operation that decrypts."""
        degree, prime = self.pair.parameters.ring_degree, self.pair.primes[0]
        return operation(command(self.pair.parameters, DECODE, 1), degree * prime.bit_length() // 16,
                         encoding=MESSAGE32_BITS - self.declared.magnitude << 16,
                         public=by_turns(self.found["c0"], self.found["c1"], [prime], degree))

    def values(self, answer: dict) -> list[float]:
        """The values in their places."""
        prime = self.pair.primes[0]
        words = unpack(bytes.fromhex(answer["data"]), prime.bit_length())
        centred = [word - prime * (2 * word > prime) for word in words]
        first, columns = self.found["first"], self.found["columns"]
        return [value_of(word, self.declared, "f32") for word in centred[first:first + columns]]


def tell(isopod: Isopod) -> tuple[list[str], bool]:
    """Runs the story; its lines, and whether all values are right."""
    pair = Pair.make(isopod, SET)
    measured = [volts(0), volts(1)]
    readings = [Reading(pair, kind, sequence, values)
                for sequence, (kind, values) in enumerate(zip((PUBLIC_KEY, SECRET_KEY), measured))]
    made = simulate(pair, *(reading.order for reading in readings))
    (isopod.folder / "frames.bin").write_bytes(b"".join(map(Reading.frame, readings, made)))

    isopod.run("evaluate", "--keys", "keys/server", "--job", "sum", "--unnamed-columns", "--in", "frames.bin", "--out", "sum.bin")
    rows = list(csv.DictReader(io.StringIO(isopod.run("decrypt", "--keys", "keys/owner", "--in", "sum.bin"))))
    by_seal, promised = [float(row["value"]) for row in rows], float(rows[0]["error"])

    answer = Answer(pair, (isopod.folder / "sum.bin").read_bytes())
    decoded, = simulate(pair, answer.order)
    by_engine = answer.values(decoded)

    clear = [sum(pair) for pair in zip(*measured)]
    errors = {"SEAL": worst(by_seal, clear), "the engine": worst(by_engine, clear)}
    lines = [f"{SET}: the engine encrypts {READINGS:,} readings in {run['cycles']:,} cycles, by {key} key"
             for run, key in zip(made, ("public", "secret"))]
    lines.append(f"{SET}: the engine decrypts and decodes the sum in {decoded['cycles']:,} cycles")
    lines += [f"{SET}: as {reader} reads the sum it is off by {error:.2e} volts at most, promised {promised:.2e}"
              for reader, error in errors.items()]
    return lines, max(errors.values()) <= promised


def worst(found: list[float], clear: list[float]) -> float:
    """The largest difference between two lists of values."""
    return max(abs(value - exact) for value, exact in zip(found, clear, strict=True))
