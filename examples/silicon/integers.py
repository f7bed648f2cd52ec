"""Integers by BFV under SEAL's default primes: the engine encodes and encrypts counts, SEAL adds them up, and both read the
sum."""
import csv
import io
import secrets
import struct

from examples.silicon import cbor
from examples.silicon.parts import Isopod, Pair, Sent, by_turns, command, operation, simulate
from rtl.dv.top.engine import BFV_PUBLIC, BFV_SECRET, DECRYPT, FORWARD, INVERSE
from spec.model import wire_codes as wire
from spec.model.bfv import round_plain, slot_places
from spec.model.encryption import recombine
from spec.model.frame import Claims, Encoding
from spec.model.packing import unpack
from spec.model.streams import BFV_KINDS

SET = "bfv-8192x4w-seal-default"
COUNTS, BOUND = 4096, 1000
# SEAL's default chain has a few bits more than label 128 leaves.
ALLOWED = "--allow-compat-2018"
PLAIN_BITS = 25  # of residues modulo t as they leave the engine
INT32 = 3  # the type of the values, as the root names it


def halves(words: list[int]) -> list[int]:
    """Splits the words of a transform into samples."""
    return [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]


class Counts(Sent):
    """A frame of counts."""

    def __init__(self, pair: Pair, kind: int, sequence: int):
        self.values = [secrets.randbelow(BOUND + 1) for _ in range(COUNTS)]
        super().__init__(pair, kind, sequence, Encoding(0, COUNTS, 1, Claims(BOUND)),
                         (struct.pack(f"<{COUNTS}i", *self.values), INT32))

    @property
    def encode(self) -> dict:
        """The operation that encodes slots as the message."""
        parameters, slots = self.pair.parameters, [0] * self.pair.parameters.ring_degree
        for value, place in zip(self.values, slot_places(parameters.ring_degree)):
            slots[place] = value
        return operation(command(parameters, INVERSE, len(self.pair.primes) + 1), len(slots) * PLAIN_BITS // 8,
                         samples=halves(slots))

    def encrypt(self, encoded: dict) -> dict:
        """The operation that encrypts the message."""
        words = unpack(bytes.fromhex(encoded["data"]), PLAIN_BITS)
        return self.encryption(BFV_PUBLIC if self.each == 2 else BFV_SECRET, samples=words * len(self.pair.primes))


def read(pair: Pair, data: bytes) -> tuple[list[int], int]:
    """The values of a sealed result by the engine, without the last rounding, and the cycles of its two operations."""
    found, degree = cbor.fields(data, wire.RESULT), pair.parameters.ring_degree
    primes = pair.primes[:found["primes"]]
    size = degree * sum(prime.bit_length() for prime in primes) // 8
    decrypted, = simulate(pair, operation(command(pair.parameters, DECRYPT, len(primes)), size,
                                          public=by_turns(found["c0"], found["c1"], primes, degree)))
    noisy = recombine(pair.polynomials(bytes.fromhex(decrypted["data"]), 1)[:len(primes)], primes)
    plain = round_plain(noisy, pair.parameters, len(primes))
    slots, = simulate(pair, operation(command(pair.parameters, FORWARD, len(pair.primes) + 1), degree * PLAIN_BITS // 8,
                                      samples=halves(plain)))
    transformed = unpack(bytes.fromhex(slots["data"]), PLAIN_BITS)
    places = slot_places(degree)[found["first"]:found["first"] + found["columns"]]
    return [transformed[place] for place in places], decrypted["cycles"] + slots["cycles"]


def tell(isopod: Isopod) -> tuple[list[str], bool]:
    """Runs the story; its lines, and whether all values are right."""
    pair = Pair.make(isopod, SET, ALLOWED, "--rotations", "1")
    both = [Counts(pair, kind, sequence) for sequence, kind in enumerate(BFV_KINDS)]
    encoded = simulate(pair, *(counts.encode for counts in both))
    made = simulate(pair, *map(Counts.encrypt, both, encoded))
    (isopod.folder / "frames.bin").write_bytes(b"".join(map(Counts.frame, both, made)))

    isopod.run("evaluate", ALLOWED, "--keys", "keys/server", "--job", "sum", "--unnamed-columns", "--in", "frames.bin",
               "--out", "sum.bin")
    rows = csv.DictReader(io.StringIO(isopod.run("decrypt", "--keys", "keys/owner", "--in", "sum.bin")))
    by_seal = [int(row["value"]) for row in rows]
    by_engine, cycles = read(pair, (isopod.folder / "sum.bin").read_bytes())

    clear = [sum(pair) for pair in zip(*(counts.values for counts in both))]
    lines = [f"{SET}: the engine encodes {COUNTS:,} counts in {slots['cycles']:,} cycles and encrypts in {run['cycles']:,}, "
             f"by {key} key" for slots, run, key in zip(encoded, made, ("public", "secret"))]
    lines.append(f"{SET}: the engine decrypts the sum in {cycles:,} cycles")
    lines += [f"{SET}: as {reader} reads the sum it is {'exact' if found == clear else 'WRONG'}"
              for reader, found in (("SEAL", by_seal), ("the engine", by_engine))]
    return lines, by_seal == by_engine == clear
