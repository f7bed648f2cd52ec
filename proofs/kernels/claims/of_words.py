"""The claims that are proved: kernels against portable C, on all contents of what they are given.

Lengths and primes are those listed. A longer call repeats the same loop on the next words; that the loop keeps nothing but
pointers and counts between its turns is seen by reading it, not proved here."""
from math import cos, pi

from proofs.kernels.claim import Address, Claim, Region, free

# isopod_value_type
INT32 = 3
# One prime of each width that has kernels of its own, and one of another width.
PRIMES = (67084289, 134176769, 536690689, 1073692673)
TURNS = (4, 8)
# Primes of so many bits and fewer have room for sums without reductions.
LAZY_BITS = 27


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
        Claim("isopod_multiply_add", (words, factors, key, count, of), note=note, prime=modulus),
        # Left modulo q: the multiple -2^31 has no negative, so that portable C adds the prime once more.
        Claim("isopod_rounded_multiply", (words, factors, key, count, of), prime=modulus, bound=modulus + 1, note=note),
    ]


def key_products(modulus: int) -> list[Claim]:
    """Products of key generation, and their sums with the error."""
    of, note = prime(modulus), f"q = {modulus}"
    mask, secret = free("a", 4, 0, modulus - 1), free("b", 4, 1 - 2 * modulus, 2 * modulus - 1)
    error, product = free("a", 4, 1 - 2 * modulus, 2 * modulus - 1), free("b", 4, -modulus, modulus)
    return [Claim("isopod_key_products", (mask, secret, 4, of), prime=modulus, bound=modulus + 1, note=note),
            Claim("isopod_key_sums", (error, product, 4, of), prime=modulus, note=note)]


def packed(modulus: int) -> list[Claim]:
    """Residues as they travel. Behind them packing may leave anything in the words that it took."""
    bits, of = modulus.bit_length(), prime(modulus)
    return [
        *(Claim("isopod_pack_in_place", (free("residues", count, 0, modulus - 1), count, bits), result=(31, 0),
                note=f"{bits} bits, {count} words", read=(("residues", count * bits // 32),)) for count in (32, 64)),
        Claim("isopod_unpack", (free("x", 32), free("packed", bits), 32, of), result=(31, 31), note=f"q = {modulus}"),
    ]


def memory() -> list[Claim]:
    """Copies and wiping, of every length up to 24 bytes and some longer ones."""
    lengths = (*range(25), 31, 32, 33, 63, 64, 65)
    copies = [Claim("isopod_copy", (free("out", 20), free("in", 20), length), note=f"{length} bytes") for length in lengths]
    return copies + [Claim("isopod_wipe", (free("out", 20), length), note=f"{length} bytes") for length in lengths]


def streams() -> list[Claim]:
    """ChaCha20."""
    blocks = [Claim("isopod_chacha20_blocks", (free("out", 16 * count), free("key", 8), free("input", 4), count),
                    note=f"{count} blocks") for count in (1, 2)]
    return [*blocks, Claim("isopod_hchacha20", (free("out", 8), free("key", 8), free("nonce", 4)))]


def absorbed() -> list[Claim]:
    """Bytes into a sponge, up to the end of a block: the permutation behind it is no part of the claim."""
    claims = []
    for position in (0, 3, 8, 101):
        for length in (*range(18), 31, 32, 33):
            sponge = Region("sponge", (*(None,) * 50, position, 0))
            claims.append(Claim("isopod_keccak_absorb", (sponge, free("in", 10), length), note=f"{length} bytes at {position}"))
    return claims


def loads(modulus: int) -> list[Claim]:
    """Sixteen coefficients of a polynomial from its compact forms, at both ends of one of 64 coefficients."""
    half, claims = modulus // 2, []
    for first in (0, 48):
        # isopod_polynomial: no function, words, error, prime, n, and the factor.
        of = Region("polynomial", (Address(), free("words", 64), free("error", 16), prime(modulus), 64, None), -half, half)
        note, out = f"q = {modulus}, from {first} on", free("out", 16)
        claims += [Claim(f"isopod_load_{kind}", (of, first, out), note=note) for kind in ("error", "ternary", "message32")]
    return claims


def fold(modulus: int) -> list[Claim]:
    """A part times its weight; weights are listed."""
    out, part, half = free("out", 16, -(1 << 29), 1 << 29), free("part", 16), modulus // 2
    return [Claim("isopod_ntt_fold", (out, part, weight & 0xFFFFFFFF, prime(modulus)), note=f"q = {modulus}, weight {weight}")
            for weight in (1, -half, half, 12345)]


def encoding(log2_degree: int) -> Claim:
    """Slots to the words of a message: values of any size in fixed point, and the cosines of the degree."""
    degree, log2_bound, log2_scale = 1 << log2_degree, 8, 14
    cosines = Region("cosines", tuple(round(cos(pi * at / degree) * (1 << 30)) & 0xFFFFFFFF for at in range(degree // 2 + 1)))
    values = Region("values", (free("readings", degree // 2), degree // 2, INT32))
    chosen = Region("encoding", (log2_degree | log2_scale << 8 | log2_bound << 16, degree // 2, degree // 2 - 1, Address()))
    return Claim("isopod_encode32", (free("message", degree // 2), cosines, values, chosen), note=f"degree {degree}",
                 stubbed=("isopod_value_fixed32",))


def message() -> list[Claim]:
    """Coefficients of a packed message, added."""
    words, out = free("message", 64), free("out", 16)
    return [Claim("isopod_message32_add", (words, 64, first, out), note=f"from {first} on") for first in (0, 16, 32, 48)]


def samples(count: int) -> list[Claim]:
    """Errors from words of a stream, of any value."""
    return [Claim("isopod_sample_error", (free("out", count // 4), count, free("stream", 1)), note=f"{count} samples",
                  stubbed=("isopod_stream_words",))]
