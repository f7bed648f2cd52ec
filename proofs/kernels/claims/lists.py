"""The claims about each processor."""
from proofs.kernels.claim import Claim, free
from proofs.kernels.claims import of_long
from proofs.kernels.claims.of_helium import blocks, masked_multiply, rounded
from proofs.kernels.claims.of_transforms import fields, inverse, layers, masked, polynomials, transforms
from proofs.kernels.claims.of_words import (
    PRIMES,
    TURNS,
    absorbed,
    encoding,
    fold,
    key_products,
    loads,
    memory,
    message,
    packed,
    pointwise,
    samples,
    streams,
)
from proofs.kernels.claims.of_x86 import booleans, encodings, forward, products, residues, tfhe_errors

# Primes of so many bits and fewer have room for sums without reductions.
LAZY_BITS = 27


def of_all() -> list[Claim]:
    """Claims about kernels that all processors have."""
    return [*streams(), *(claim for modulus in PRIMES for claim in loads(modulus)), *message()]


def of_arm() -> list[Claim]:
    """Claims about both cores of profile M."""
    narrow = [modulus for modulus in PRIMES if modulus.bit_length() <= LAZY_BITS]
    return [*(claim for modulus in PRIMES for count in TURNS for claim in pointwise(modulus, count)),
            *(claim for modulus in PRIMES for claim in (*packed(modulus), *key_products(modulus))), *memory(),
            Claim("isopod_poly1305_start", (free("accumulator", 5), free("multiplier", 4), free("r", 4))),
            Claim("isopod_poly1305_finish", (free("tag", 4), free("accumulator", 5), free("s", 4))),
            *(claim for modulus in PRIMES for claim in (*fold(modulus), masked(modulus), fields(modulus))),
            *(inverse(modulus, 64) for modulus in narrow)]


def cortex_m4() -> list[Claim]:
    """All claims about the Cortex-M4."""
    return [*of_arm(), *of_all(), *(claim for modulus in PRIMES for claim in transforms(modulus, 64))]


def cortex_m55() -> list[Claim]:
    """All claims about the Cortex-M55 with Helium. Its products pack as they go: they are no claim."""
    widths = [claim for modulus in PRIMES for claim in (layers(modulus, 64), layers(modulus, 128), *polynomials(modulus, 64))]
    return [*of_arm(), *widths, *(claim for modulus in PRIMES for claim in loads(modulus)), *message(), *blocks(),
            *(claim for modulus in PRIMES
              for claim in (masked_multiply(modulus), rounded(modulus, True), rounded(modulus, False)))]


def rv32im() -> list[Claim]:
    """All claims about RV32IM. It leaves sums unreduced under primes of up to 27 bits, where portable C reduces them: no claim
    is made of those."""
    packing = [claim for modulus in PRIMES for claim in packed(modulus) if claim.kernel == "isopod_pack_in_place"]
    folds = [claim for modulus in PRIMES if modulus.bit_length() > LAZY_BITS for claim in fold(modulus)]
    return [*packing, *of_all(), *folds, *samples(64), *absorbed(),
            *(claim for modulus in PRIMES for claim in (fields(modulus), *transforms(modulus, 64)))]


def aarch64() -> list[Claim]:
    """All claims about AArch64 with NEON."""
    words = [claim for modulus in PRIMES for count in TURNS for claim in pointwise(modulus, count)
             if claim.kernel != "isopod_rounded_multiply"]
    packing = [claim for modulus in PRIMES for claim in packed(modulus) if claim.kernel == "isopod_pack_in_place"]
    folds = [claim for modulus in PRIMES for claim in fold(modulus)]
    return [*words, *packing, *of_all(), *folds, *samples(128), encoding(6), encoding(7), *absorbed(),
            *(claim for modulus in PRIMES for claim in (masked(modulus), fields(modulus), *transforms(modulus, 64)))]


def x86_64() -> list[Claim]:
    """All claims about x86-64 with AVX2."""
    return [*memory(), *samples(256), *absorbed(), encodings(64), *tfhe_errors(), *booleans(),
            *(claim for modulus in PRIMES
              for claim in (*residues(modulus), masked(modulus), fields(modulus), *forward(modulus, 64), *products(modulus, 64)))]


def x86_64_avx512() -> list[Claim]:
    """All claims about x86-64 with AVX-512: words of 64 bits."""
    pointwise_and_packed = [claim for modulus in of_long.PRIMES
                            for claim in (*of_long.residues(modulus), *of_long.unpacked(modulus))]
    return [*pointwise_and_packed, of_long.layers(of_long.PRIMES[0], 64)]
