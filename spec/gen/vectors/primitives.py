"""Records of the primitives below a ciphertext: streams, samples, masks, encodings, transforms."""

from ...model.authentication import device_key, tag
from ...model.encode import Precision, encode_packed
from ...model.mask import mask
from ...model.ntt import ntt
from ...model.receipt import OUTCOMES, receipt
from ...model.sampling import error, ternary
from ...model.streams import (
    CHACHA20,
    ERROR_0,
    ERROR_1,
    KINDS,
    SEAL_SHAKE256,
    SECRET,
    SHAKE256,
    SUITES,
    TERNARY,
    Sender,
    Source,
    derive_root,
    stream_bytes,
)
from .digest import digest, sha3
from .inputs import LARGEST_DEGREE, PATTERNS, counting_bytes, recurrence, values_of

DEGREES = (1024, 2048, 4096, 8192, 16384)
# (number rule, log2 scale, log2 bound): both widths, from their middle to their limit.
PRECISIONS = (("f32", 27, 0), ("f32", 20, 10), ("f64", 31, 0), ("f64", 40, 3), ("i32", 14, 16), ("i32", 33, 24))
LARGEST = (("f32", 30, 0), ("f64", 57, 0))


def streams():
    for suite in (CHACHA20, SHAKE256):
        for domain in range(1, 8):
            for index in (0, 12) if domain <= 2 else (0,):
                data = stream_bytes(suite, counting_bytes(domain), domain, index, 1000)
                yield {"suite": suite, "key_start": domain, "domain": domain, "index": index, "length": len(data),
                       "first_32": data[:32].hex(), "sha3": sha3(data)}


# (epoch, sequence, length of the hedged bytes) of roots.
HEDGED = ((0, 0, 0), (1, 7, 0), (0xFFFFFFFF, 0x0123456789ABCDEF, 1000))


def roots(sets):
    for entry, (epoch, sequence, length) in zip(sets, HEDGED):
        source = Source(counting_bytes(0), Sender(counting_bytes(0x40), 0, epoch, sequence), counting_bytes(0, length))
        for suite in SUITES:
            for kind in KINDS:
                root = derive_root(source, suite, kind, counting_bytes(0x10, 16), entry.set_id)
                yield {"suite": suite, "kind": kind, "entropy_start": 0, "device_key_start": 0x40, "epoch": epoch,
                       "sequence": sequence, "hedge": source.hedge.hex(), "key_id_start": 0x10, "set": entry.name,
                       "mask_seed": root.mask_seed.hex(), "noise_key": root.noise_key.hex(), "nonce": root.nonce.hex()}


def hedges():
    for epoch, sequence, length in ((0, 0, 0), (1, 7, 1), (3, 42, 16), (0xFFFFFFFF, 0x0123456789ABCDEF, 1000)):
        source = Source(counting_bytes(0), Sender(counting_bytes(0x40), 0, epoch, sequence), counting_bytes(0, length))
        yield {"device_key_start": 0x40, "epoch": epoch, "sequence": sequence, "length": length, "hedge": source.hedge.hex()}


def tags():
    for length, domain in ((0, 0), (1, 1), (16, 12), (63, 1 << 32), (1000, 1 << 33)):
        value = tag(counting_bytes(0x20), counting_bytes(0x50, 16), domain, counting_bytes(0, length))
        yield {"key_start": 0x20, "nonce_start": 0x50, "domain": domain, "length": length, "tag": value.hex()}


def device_keys():
    for device in (0, 1001, (1 << 64) - 1):
        key = device_key(counting_bytes(0xC0), device)
        yield {"master_start": 0xC0, "device": device, "key": key.hex()}


def receipts():
    for outcome in OUTCOMES:
        for device, epoch, sequence in ((0, 1, 0), (1001, 3, 42), ((1 << 64) - 1, 0xFFFFFFFF, 0x0123456789ABCDEF)):
            sender = Sender(counting_bytes(0x40), device, epoch, sequence)
            data = receipt(counting_bytes(0x10, 16), sender, outcome)
            yield {"device_key_start": 0x40, "key_id_start": 0x10, "device": device, "epoch": epoch, "sequence": sequence,
                   "outcome": outcome, "hex": data.hex()}


def sampling():
    for suite in SUITES:
        for ring_degree in (1024, 4096, 16384):
            for domain in (ERROR_0, ERROR_1, TERNARY, SECRET):
                sampler = error if domain in (ERROR_0, ERROR_1) else ternary
                sample = sampler(ring_degree, suite, counting_bytes(0x30), domain)
                yield {"suite": suite, "ring_degree": ring_degree, "domain": domain, "key_start": 0x30,
                       **digest(sample, 8)}


def masks(sets):
    for entry in sets:
        for suite in SUITES:
            seed = counting_bytes(0x80, 64 if suite == SEAL_SHAKE256 else 32)
            for index, values in enumerate(mask(entry, suite, seed)):
                yield {"set": entry.name, "suite": suite, "prime": index, "seed_start": 0x80,
                       **digest(values, entry.word_bits)}


def encodings():
    for ring_degree in DEGREES:
        for precision in PRECISIONS:
            for pattern in ("random", "short"):
                yield encoding(ring_degree, precision, pattern)
        for precision in LARGEST:
            for pattern in PATTERNS:
                yield encoding(ring_degree, precision, pattern)
    for precision in (("f32", 20, 10), *LARGEST):
        yield encoding(LARGEST_DEGREE, precision, "random")


def encoding(ring_degree, declared, pattern):
    """One record of an encoding; declared = (number rule, log2 scale, log2 bound)."""
    numbers, log2_scale, log2_bound = declared
    precision = Precision(ring_degree, log2_scale, log2_bound)
    values = values_of(pattern, numbers, ring_degree, log2_bound)
    return {"ring_degree": ring_degree, "log2_scale": log2_scale, "log2_bound": log2_bound, "numbers": numbers,
            "pattern": pattern, "count": len(values), "width": precision.width,
            **digest(encode_packed(values, precision), precision.width)}


def transforms(sets):
    primes = {(entry.ring_degree, prime): root for entry in sets for prime, root in zip(entry.data_primes, entry.roots)}
    for (ring_degree, prime), root in sorted(primes.items()):
        values = [(state >> 1) - (1 << 30) for state in recurrence(ring_degree)]
        yield {"ring_degree": ring_degree, "modulus": prime, "root": root, **digest(ntt(values, prime))}
