"""Key blobs for measuring (spec/wire.md, section 5): valid in every check, made of random residues, useless as keys.

Costs do not depend on the residues, and the counts stay repeatable without a key generator in the loop."""
import hashlib
import random
import struct
from array import array
from pathlib import Path

from bench.device.cases import KINDS, SPLIT_KINDS, ParameterSet
from spec.model import wire_codes as wire

HEADER_BYTES = wire.KEY_BLOB_HEADER_BYTES
WHOLE = {"split": "pk", "splitseed": "pkseed"}  # the whole key of each split kind


def set_id(parameters: ParameterSet) -> bytes:
    """The set identity of spec/ckks.md and spec/bfv.md, section 1."""
    primes = ",".join(str(prime) for prime in parameters.primes)
    plain = f" t={parameters.plain_modulus}" if parameters.plain_modulus else ""
    text = (f"isopod-v1 {parameters.scheme} n={parameters.ring_degree} q={primes} p={parameters.special_prime}{plain}"
            " error=cbd21 secret=ternary")
    return hashlib.sha3_256(text.encode()).digest()[:8]


def payload(parameters: ParameterSet, kind: str) -> bytes:
    """The payload after the header of a blob of this kind."""
    generator = random.Random(parameters.name)
    if kind == "ternary":
        return bytes(sum(generator.randrange(3) << 2 * i for i in range(4)) for _ in range(parameters.ring_degree // 4))
    seed = generator.randbytes(32) if kind == "pkseed" else b""
    return seed + residues(generator, parameters, 2 if kind == "pk" else 1)


def residues(generator: random.Random, parameters: ParameterSet, polynomials: int) -> bytes:
    """Uniform residues as little-endian words: for each prime its polynomials."""
    words = array("Q")
    for prime in parameters.primes:
        words.extend(generator.randrange(prime) for _ in range(parameters.ring_degree * polynomials))
    return struct.pack(f"<{len(words)}{'Q' if parameters.wide else 'I'}", *words)


def payload_bytes(parameters: ParameterSet, kind: str) -> int:
    """The length of payload()."""
    polynomial = (8 if parameters.wide else 4) * parameters.ring_degree * len(parameters.primes)
    return {"pk": 2 * polynomial, "pkseed": 32 + polynomial, "ternary": parameters.ring_degree // 4,
            "sym": polynomial}[kind]


def sealed(parameters: ParameterSet, number: int, primes: int, body: bytes) -> bytes:
    """A blob: header, digest and payload."""
    head = struct.pack(wire.KEY_BLOB_HEAD, wire.KEY_BLOB_MAGIC, number, parameters.ring_degree, set_id(parameters),
                       b"benchmark key id", primes, len(body))
    return head + hashlib.sha3_256(head + body).digest() + body


def blob(parameters: ParameterSet, kind: str) -> bytes:
    """A key of this kind; for a split one the blobs of all primes in order."""
    count = len(parameters.primes)
    if kind not in SPLIT_KINDS:
        return sealed(parameters, KINDS[kind], count, payload(parameters, kind))
    whole = payload(parameters, WHOLE[kind])
    seed = whole[:len(whole) % (4 * parameters.ring_degree)]
    each = (len(whole) - len(seed)) // count
    parts = (seed + whole[len(seed) + each * prime:][:each] for prime in range(count))
    return b"".join(sealed(parameters, SPLIT_KINDS[kind], count + (prime << wire.KEY_PRIME_SHIFT), part)
                    for prime, part in enumerate(parts))


def blob_bytes(parameters: ParameterSet, kind: str) -> int:
    """The length of blob()."""
    if kind not in SPLIT_KINDS:
        return HEADER_BYTES + payload_bytes(parameters, kind)
    seeds = 32 * (len(parameters.primes) - 1) if kind == "splitseed" else 0
    return HEADER_BYTES * len(parameters.primes) + seeds + payload_bytes(parameters, WHOLE[kind])


def write(path: Path, parameters: ParameterSet, kind: str) -> None:
    """Writes the blob unless it is there already."""
    if not path.exists() or path.stat().st_size != blob_bytes(parameters, kind):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blob(parameters, kind))
