"""Claims about words of 64 bits, whose kernels have AVX-512."""
import random

from proofs.kernels.claim import LONG, Address, Claim, Region, free

# Primes near the most bits that a prime of 64-bit words has, of a size between, and of few bits
PRIMES = (1152921504606748673, 18014398508400641, 1099510890497)
# Vectors have eight words.
COUNT = 8
GROUP = 32
# Transforms start with words within this.
MOST_START = 1 << 62


def words(name: str, count: int, least: int | None = None, most: int | None = None) -> Region:
    """Words of 64 bits of any value within the bounds."""
    return free(name, count, least, most, LONG)


def prime(modulus: int) -> Region:
    """isopod_prime64; the root of unity is not read by kernels."""
    inverse, barrett = pow(modulus, -1, 1 << 64), ((1 << 65) // modulus + 1) // 2
    return Region(f"prime_{modulus}", (modulus, 0, inverse, barrett, pow(2, 128, modulus), modulus.bit_length()), parts=LONG)


def residues(modulus: int) -> list[Claim]:
    """Reductions and products in the NTT domain. The kernel reduces to canonical residues where portable C may leave others."""
    x, of, note = words("x", COUNT), prime(modulus), f"q = {modulus}"
    factors, key = words("a", COUNT, 1 - modulus, modulus - 1), words("key", COUNT, 0, modulus - 1)
    return [Claim("isopod64_reduce_all", (x, COUNT, of), prime=modulus, bound=modulus, note=note),
            *(Claim(f"isopod64_{kernel}", (x, COUNT, of), prime=modulus, note=note)
              for kernel in ("canonical_all", "to_montgomery_all")),
            Claim("isopod64_multiply_add", (x, factors, key, COUNT, of), prime=modulus, note=note)]


def unpacked(modulus: int) -> list[Claim]:
    """Residues as they arrive, and their products."""
    packed, of, note = free("packed", modulus.bit_length()), prime(modulus), f"q = {modulus}"
    x, key = words("x", GROUP, 0, modulus), words("key", GROUP, 0, modulus - 1)
    return [Claim("isopod64_unpack", (words("x", GROUP), packed, GROUP, of), result=(31, 31), note=note),
            Claim("isopod64_unpack_multiply", (x, packed, key, GROUP, of), result=(31, 31), prime=modulus, bound=modulus,
                  note=note)]


def transform(modulus: int, length: int) -> Region:
    """isopod_ntt of one chunk with drawn twiddles, in Montgomery form and, for the kernel, as they are with their quotients."""
    draw, half = random.Random(modulus), modulus // 2
    plain = [draw.randrange(1, modulus) for _ in range(length)]
    centred = [(word << 64) % modulus for word in plain]
    twiddles = Region(f"twiddles_{modulus}", tuple(word - modulus if word > half else word for word in centred), parts=LONG)
    table = Region(f"table_{modulus}", (*plain, *((word << 64) // modulus for word in plain)), parts=LONG)
    return Region(f"ntt_{modulus}", (prime(modulus), twiddles, table, length, 1, Address()))


def layers(modulus: int, length: int) -> Claim:
    """The layers of a transform with drawn twiddles. Representatives differ: those of the kernel have no sign."""
    start = words("x", length, -MOST_START, MOST_START)
    return Claim("isopod64_ntt_layers", (start, transform(modulus, length)), prime=modulus, bound=1 << 63,
                 note=f"q = {modulus}, {length} words")
