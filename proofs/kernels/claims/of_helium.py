"""Claims about kernels of Helium that are not claims about other processors."""
from dataclasses import replace

from proofs.kernels.claim import APART, FIRST_REGION, Address, Claim, Region, free
from proofs.kernels.claims.of_transforms import transform
from proofs.kernels.claims.of_words import prime, streams

# Bits that a rounded coefficient keeps
KEPT = 22
# Coefficients of a claim about rounded ones: three vectors, the last one with one lane
COUNT = 9


def fields_mask(modulus: int) -> Region:
    """isopod_mask, whose suite has bit fields."""
    return Region("mask", (prime(modulus), 0, 0, 0, 0, Region("suite", (Address(), Address(), Address()))))


def masked_multiply(modulus: int) -> Claim:
    """Products with the mask alone."""
    arguments = free("x", 64), fields_mask(modulus), free("key", 64, 0, modulus - 1), transform(modulus, 64)
    return Claim("isopod_rounded_multiply_mask", arguments, note=f"q = {modulus}, 64 words", prime=modulus, bound=modulus + 1,
                 stubbed=("isopod_stream_words",), has_fields=True)


def behind(region: int, words: int) -> Address:
    """The address so many words from the beginning of a region on; regions are numbered as they are placed."""
    return Address(FIRST_REGION + APART * region + 4 * words)


def rounded(modulus: int, is_short: bool) -> Claim:
    """Coefficients modulo one prime, rounded and packed, with values of 16 bits or messages of 64."""
    bits = free("out", COUNT)
    half, dropped = modulus // 2, modulus.bit_length() - KEPT
    values = free("values", COUNT if is_short else 2 * COUNT)
    of = Region("of", (free("x", COUNT, -modulus, modulus), values, free("error", COUNT), modulus, prime(modulus).words[3],
                       half // 5, 1 << dropped - 1, dropped, KEPT, 0, behind(3, COUNT), int(is_short)))
    return Claim("isopod_rounded_put_one", (Region("bits", (bits, 0x155, 11)), of), prime=modulus,
                 note=f"q = {modulus}, {'16' if is_short else '64'} bits")


def blocks() -> list[Claim]:
    """ChaCha20: one block alone, and four at once."""
    one = streams()[0]
    return [one, replace(one, arguments=(free("out", 64), *one.arguments[1:3], 4), note="4 blocks")]
