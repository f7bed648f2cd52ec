"""The key slot's load and its roots, doc/key_slot.md."""
import hashlib
import struct

from spec.model import wire_codes as wire
from spec.model.encryption import Ciphertext
from spec.model.mask import mask
from spec.model.ntt import ntt
from spec.model.sampling import error
from spec.model.streams import ERROR_0, Root

LABEL = b"isopod-slot-v1\0\0"
SECRET_BYTES = SEED_BYTES = 32
HEAD_BYTES = wire.KEY_BLOB_HEADER_BYTES - wire.DIGEST_BYTES


def root(secret: bytes, counter: int, seed: bytes) -> Root:
    """The root that the slot makes of software's seed."""
    given = hashlib.shake_256(LABEL + secret + struct.pack("<Q", counter) + seed).digest(64)
    return Root(given[:32], given[32:], bytes(16))


def head_of(kind: int, ring_degree: int, primes: int, size: int) -> bytes:
    """The head of a blob with a payload of so many bytes."""
    return struct.pack(wire.KEY_BLOB_HEAD, wire.KEY_BLOB_MAGIC, kind, ring_degree, bytes(8),
                       bytes(16), primes, size)


def sealed(kind: int, ring_degree: int, primes: int, payload: bytes) -> bytes:
    """A blob of these words, whatever they are."""
    head = head_of(kind, ring_degree, primes, len(payload))
    return head + hashlib.sha3_256(head + payload).digest() + payload


def key_words(secret: bytes, blob: bytes) -> list[int]:
    """The words of a load: secret, head, payload, digest."""
    head, rest = blob[:HEAD_BYTES], blob[HEAD_BYTES:]
    digest, payload = rest[:wire.DIGEST_BYTES], rest[wire.DIGEST_BYTES:]
    data = secret + head + payload + digest
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def encrypt_from(made: Root, pair, message: list[int], kind: int, suite: int) -> Ciphertext:
    """The encryption by secret key of spec/ckks.md, section 6, under a root of the slot."""
    noise = error(len(message), suite, made.noise_key, ERROR_0)
    noisy = [m + e for m, e in zip(message, noise)]
    masks, primes = mask(pair.parameters, suite, made.mask_seed), pair.parameters.data_primes
    rows = [[(b - a * s) % prime for b, a, s in zip(ntt(noisy, prime), masked, secret)]
            for prime, masked, secret in zip(primes, masks, pair.secret_ntt)]
    return Ciphertext(kind, suite, made, rows, masks)
