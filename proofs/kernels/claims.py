"""The claims that are proved: kernels against portable C, on all contents of what they are given.

Lengths and primes are those listed. A longer call repeats the same loop on the next words; that the loop keeps nothing but
pointers and counts between its turns is seen by reading it, not proved here."""
from proofs.kernels.claim import Claim, Region, free

# One prime of each width that has kernels of its own, and one of another width.
PRIMES = (67084289, 134176769, 536690689, 1073692673)
TURNS = (4, 8)


def prime(modulus: int) -> Region:
    """isopod_prime; the root of unity is not read by kernels."""
    inverse = pow(modulus, -1, 1 << 32)
    barrett, square = ((1 << 33) // modulus + 1) // 2, pow(2, 64, modulus)
    return Region(f"prime_{modulus}", (modulus, 0, -inverse % (1 << 32), barrett, square, modulus.bit_length()))


def pointwise(modulus: int, count: int) -> list[Claim]:
    """Products and reductions in the NTT domain."""
    words, factors, key = free("x", count), free("a", count, 1 - modulus, modulus - 1), free("key", count, 0, modulus - 1)
    of, note = prime(modulus), f"q = {modulus}, {count} words"
    return [
        Claim("isopod_reduce_all", (words, count, of), note=note),
        Claim("isopod_canonical_all", (words, count, of), note=note),
        Claim("isopod_to_montgomery_all", (words, count, of), note=note),
        Claim("isopod_multiply_add", (words, factors, key, count, of), note=note),
        # Left modulo q: the multiple -2^31 has no negative, so that portable C adds the prime once more.
        Claim("isopod_rounded_multiply", (words, factors, key, count, of), modulus=modulus, note=note),
    ]


def packed(modulus: int) -> list[Claim]:
    """Residues as they travel."""
    bits, of = modulus.bit_length(), prime(modulus)
    return [
        *(Claim("isopod_pack_in_place", (free("residues", count, 0, modulus - 1), count, bits), result=(31, 0),
                note=f"{bits} bits, {count} words") for count in (32, 64)),
        Claim("isopod_unpack", (free("x", 32), free("packed", bits), 32, of), result=(31, 31), note=f"q = {modulus}"),
    ]


def memory() -> list[Claim]:
    """Copies and wiping, of every length up to 24 bytes and some longer ones."""
    lengths = (*range(25), 31, 32, 33, 63, 64, 65)
    copies = [Claim("isopod_copy", (free("out", 20), free("in", 20), length), note=f"{length} bytes") for length in lengths]
    return copies + [Claim("isopod_wipe", (free("out", 20), length), note=f"{length} bytes") for length in lengths]


def streams() -> list[Claim]:
    """ChaCha20, and Poly1305's setup."""
    blocks = [Claim("isopod_chacha20_blocks", (free("out", 16 * count), free("key", 8), free("input", 4), count),
                    note=f"{count} blocks") for count in (1, 2)]
    return [*blocks, Claim("isopod_poly1305_start", (free("accumulator", 5), free("multiplier", 4), free("r", 4)))]


def cortex_m4() -> list[Claim]:
    """All claims about the Cortex-M4."""
    return [*(claim for modulus in PRIMES for count in TURNS for claim in pointwise(modulus, count)),
            *(claim for modulus in PRIMES for claim in packed(modulus)), *memory(), *streams()]
