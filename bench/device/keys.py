"""Key blobs for measuring (spec/wire.md, section 5). They pass every check but hold random residues, so they are useless as
keys.

Costs do not depend on the residues. Without a key generator the counts repeat."""
import hashlib
import random
import struct
from array import array
from pathlib import Path

from bench.device.cases import KINDS, SPLIT_KINDS, ParameterSet, contract
from spec.model import wire_codes as wire
from spec.model.mask import mask
from spec.model.packing import pack
from spec.model.streams import CHACHA20

HEADER_BYTES = wire.KEY_BLOB_HEADER_BYTES
KEY_ID = b"benchmark key id"
WHOLE = {"split": "pk", "splitseed": "pkseed"}  # the whole key of each split kind


def payload(parameters: ParameterSet, kind: str) -> bytes:
    """The payload after the header of a blob of this kind."""
    generator = random.Random(parameters.name)
    if kind == "ternary":
        return bytes(sum(generator.randrange(3) << 2 * i for i in range(4)) for _ in range(parameters.ring_degree // 4))
    seed = generator.randbytes(32) if kind != "sym" else b""
    return seed + residues(generator, parameters, 2 if kind == "pk" else 1)


def residues(generator: random.Random, parameters: ParameterSet, polynomials: int) -> bytes:
    """Uniform residues as little-endian words: for each prime its polynomials."""
    words = array("Q")
    for prime in parameters.primes:
        words.extend(generator.randrange(prime) for _ in range(parameters.ring_degree * polynomials))
    return struct.pack(f"<{len(words)}{'Q' if parameters.has_primes64 else 'I'}", *words)


def payload_bytes(parameters: ParameterSet, kind: str) -> int:
    """The length of payload()."""
    polynomial = (8 if parameters.has_primes64 else 4) * parameters.ring_degree * len(parameters.primes)
    return {"pk": 32 + 2 * polynomial, "pkseed": 32 + polynomial, "ternary": parameters.ring_degree // 4,
            "sym": polynomial}[kind]


def sealed(parameters: ParameterSet, number: int, primes: int, body: bytes, key_id: bytes = KEY_ID) -> bytes:
    """A blob: header, digest and payload."""
    set_id = contract()[parameters.name].set_id
    head = struct.pack(wire.KEY_BLOB_HEAD, wire.KEY_BLOB_MAGIC, number, parameters.ring_degree, set_id, key_id, primes, len(body))
    return head + hashlib.sha3_256(head + body).digest() + body


def split_rows(parameters: ParameterSet, seed: bytes) -> tuple[list[list[int]], list[list[int]]]:
    """A random pk0, and pk1 as the mask of the seed, because a loader of split keys checks both."""
    generator = random.Random(parameters.name + " split")
    first = [[generator.randrange(prime) for _ in range(parameters.ring_degree)] for prime in parameters.primes]
    return first, mask(contract()[parameters.name], CHACHA20, seed)


def in_montgomery_form(parameters: ParameterSet, row: list[int], prime: int) -> bytes:
    """Residues as the words of a blob."""
    bits, form = (64, "Q") if parameters.has_primes64 else (32, "I")
    return struct.pack(f"<{len(row)}{form}", *[(value << bits) % prime for value in row])


def split_blobs(parameters: ParameterSet, kind: str) -> bytes:
    """The blobs of all primes in order."""
    seed, count = random.Random(parameters.name).randbytes(32), len(parameters.primes)
    first, second = split_rows(parameters, seed)
    digests = [hashlib.sha3_256(pack(row, prime.bit_length())).digest() for row, prime in zip(first, parameters.primes)]
    head = seed + b"".join(digests)
    set_id = contract()[parameters.name].set_id
    key_id = hashlib.sha3_256(wire.HASH_LABEL_KEY_ID + set_id + head).digest()[:wire.KEY_ID_BYTES]
    blobs = []
    for index, prime in enumerate(parameters.primes):
        rows = [first[index]] if kind == "splitseed" else [first[index], second[index]]
        body = head + b"".join(in_montgomery_form(parameters, row, prime) for row in rows)
        blobs.append(sealed(parameters, SPLIT_KINDS[kind], count + (index << wire.KEY_PRIME_SHIFT), body, key_id))
    return b"".join(blobs)


def blob(parameters: ParameterSet, kind: str) -> bytes:
    """A key of this kind. A split key is the blobs of all primes, in order."""
    if kind in SPLIT_KINDS:
        return split_blobs(parameters, kind)
    return sealed(parameters, KINDS[kind], len(parameters.primes), payload(parameters, kind))


def blob_bytes(parameters: ParameterSet, kind: str) -> int:
    """The length of blob()."""
    if kind not in SPLIT_KINDS:
        return HEADER_BYTES + payload_bytes(parameters, kind)
    count = len(parameters.primes)
    heads = count * (HEADER_BYTES + wire.MASK_SEED_BYTES + count * wire.DIGEST_BYTES)
    return heads + payload_bytes(parameters, WHOLE[kind]) - wire.MASK_SEED_BYTES


def write(path: Path, parameters: ParameterSet, kind: str) -> None:
    """Writes the blob if it is not there yet."""
    if not path.exists() or path.stat().st_size != blob_bytes(parameters, kind):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blob(parameters, kind))
