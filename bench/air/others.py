"""Encrypts the same readings with other libraries: Microsoft SEAL, with the zstd compression that TenSEAL brings, and TenSEAL."""
import random
import tempfile
from importlib import metadata
from pathlib import Path

import tenseal
from tenseal import sealapi as seal

FEATURES = 30
# Slots that a row takes where SEAL rotates; then degrees, and bits of primes.
STRIDE = 32
SCORES = (4096, (30, 30, 49))
SUMS = (2048, (54,))
SUM_BITS = 20
TENSEAL = (8192, (60, 40, 40, 60))
TENSEAL_SCALE = 2.0 ** 40
SEED = [1, 2, 3, 4, 5, 6, 7, 8]


class Seal:
    """SEAL's encryptor and decryptor of one set."""

    def __init__(self, scheme, ring: tuple[int, tuple[int, ...]], plain=None):
        parameters = seal.EncryptionParameters(scheme)
        parameters.set_poly_modulus_degree(ring[0])
        parameters.set_coeff_modulus(seal.CoeffModulus.Create(ring[0], list(ring[1])))
        if plain is not None:
            parameters.set_plain_modulus(plain)
        # With a seed every run gives the errors that documents quote.
        parameters.set_random_generator(seal.Blake2xbPRNGFactory(SEED))
        self.context = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
        generator, public = seal.KeyGenerator(self.context), seal.PublicKey()
        generator.create_public_key(public)
        self.secret = generator.secret_key()
        self.encryptor = seal.Encryptor(self.context, public, self.secret)

    def sizes(self, plaintext) -> tuple[int, int, "seal.Plaintext"]:
        """Bytes of the compressed ciphertext by public key and, with a seed, by secret key; and the decrypted first one."""
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "ciphertext"
            ciphertext, back = seal.Ciphertext(), seal.Plaintext()
            self.encryptor.encrypt(plaintext, ciphertext)
            ciphertext.save(str(path))
            public = path.stat().st_size
            self.encryptor.encrypt_symmetric(plaintext).save(str(path))
            seal.Decryptor(self.context, self.secret).decrypt(ciphertext, back)
            return public, path.stat().st_size, back


def scores() -> list[dict]:
    """Rows as CKKS slots, under the primes of our set for slots. The error is that of a single reading."""
    degree, bits = SCORES
    public, secret, error = reals(SCORES, 2.0 ** 27)
    name = f"SEAL, CKKS, n = {degree}, {'+'.join(map(str, bits[:-1]))} bits"
    return [rows("rows-seal-seeded", name, secret, degree // 2, error, "secret"),
            rows("rows-seal-compressed", name, public, degree // 2, error, "public")]


def reals(ring: tuple[int, tuple[int, ...]], scale: float) -> tuple[int, int, float]:
    """Bytes of slots of CKKS by public key and by secret key, and the largest error of a reading."""
    library = Seal(seal.SCHEME_TYPE.CKKS, ring)
    encoder, plaintext = seal.CKKSEncoder(library.context), seal.Plaintext()
    values = uniform(ring[0] // 2)
    encoder.encode(values, scale, plaintext)
    public, secret, back = library.sizes(plaintext)
    return public, secret, largest(encoder.decode_double(back), values)


def vectors() -> dict:
    """Rows in one vector of TenSEAL, at the parameters of its tutorials.

    TenSEAL takes no seed, so the error of a reading is measured with the same calls of SEAL."""
    degree, bits = TENSEAL
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=list(bits))
    context.global_scale = TENSEAL_SCALE
    vector = tenseal.ckks_vector(context, uniform(degree // 2))
    name = f"TenSEAL, CKKS, n = {degree}, {'+'.join(map(str, bits[:-1]))} bits"
    return rows("rows-tenseal", name, len(vector.serialize()), degree // 2, reals(TENSEAL, TENSEAL_SCALE)[2], "public")


def sums() -> list[dict]:
    """Integers as BFV slots, with room for a sum of 100 readings of 12 bits."""
    degree, bits = SUMS
    library = Seal(seal.SCHEME_TYPE.BFV, SUMS, seal.PlainModulus.Batching(degree, SUM_BITS))
    encoder, plaintext = seal.BatchEncoder(library.context), seal.Plaintext()
    values = [at * 2 - degree for at in range(degree)]
    encoder.encode(values, plaintext)
    public, secret, back = library.sizes(plaintext)
    error = largest(encoder.decode_int64(back), values)
    name = f"SEAL, BFV, n = {degree}, {bits[0]} bits"
    return [reading("sum-seal-seeded", name, secret, degree, error, "secret"),
            reading("sum-seal-compressed", name, public, degree, error, "public")]


def uniform(count: int) -> list[float]:
    """Random readings within the demonstration's bound."""
    numbers = random.Random("bench-air")
    return [numbers.uniform(-4, 4) for _ in range(count)]


def largest(found: list[float], clear: list[float]) -> float:
    """The largest error."""
    return float(max(abs(a - b) for a, b in zip(found, clear, strict=True)))


def rows(case: str, name: str, size: int, slots: int, error: float, key: str) -> dict:
    """The record of a ciphertext full of rows."""
    each = size * STRIDE / slots
    return {"case": case, "set": name, "key": key, "bytes": size, "bytes_per_row": each,
            "bytes_per_reading": each / FEATURES, "error": error}


def reading(case: str, name: str, size: int, slots: int, error: float, key: str) -> dict:
    """The record of a ciphertext full of single readings."""
    return {"case": case, "set": name, "key": key, "bytes": size, "bytes_per_reading": size / slots, "error": error}


def records() -> list[dict]:
    """The records of both libraries."""
    return [*scores(), vectors(), *sums()]


def version() -> str:
    """TenSEAL's version."""
    return f"TenSEAL {metadata.version('tenseal')}"
