"""Key blobs for measuring (spec/wire.md, section 5): valid in every check, made of random residues, useless as keys.

Costs do not depend on the residues, and the counts stay repeatable without a key generator in the loop."""
import hashlib
import random
import struct
from array import array
from pathlib import Path

from bench.device.cases import ParameterSet

KIND_PUBLIC, KIND_SECRET_NTT = 1, 4
HEADER_BYTES = 80


def set_id(parameters: ParameterSet) -> bytes:
    """spec/ckks.md, section 1."""
    primes = ",".join(str(prime) for prime in parameters.primes)
    text = (f"isopod-v1 ckks n={parameters.ring_degree} q={primes} p={parameters.special_prime}"
            " error=cbd21 secret=ternary")
    return hashlib.sha3_256(text.encode()).digest()[:8]


def payload(parameters: ParameterSet, polynomials: int) -> bytes:
    """Uniform residues as little-endian words: for each prime its polynomials."""
    generator = random.Random(parameters.name)
    words = array("I")
    for prime in parameters.primes:
        words.extend(generator.randrange(prime) for _ in range(parameters.ring_degree * polynomials))
    return struct.pack(f"<{len(words)}I", *words)


def blob(parameters: ParameterSet, secret: bool) -> bytes:
    """A public key, or a secret key in NTT form."""
    body = payload(parameters, 1 if secret else 2)
    kind = KIND_SECRET_NTT if secret else KIND_PUBLIC
    head = b"ISOPODK1" + struct.pack("<II", kind, parameters.ring_degree)
    head += set_id(parameters) + b"benchmark key id"
    head += struct.pack("<II", len(parameters.primes), len(body))
    return head + hashlib.sha3_256(head + body).digest() + body


def blob_bytes(parameters: ParameterSet, secret: bool) -> int:
    """The length of blob()."""
    return HEADER_BYTES + 4 * parameters.ring_degree * len(parameters.primes) * (1 if secret else 2)


def write(path: Path, parameters: ParameterSet, secret: bool) -> None:
    """Writes the blob unless it is there already."""
    if not path.exists() or path.stat().st_size != blob_bytes(parameters, secret):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blob(parameters, secret))
