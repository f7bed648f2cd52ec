"""Claims about the kernels of x86-64, whose representatives and lengths differ from those of other processors."""
from dataclasses import replace

from proofs.kernels.claim import BYTES, SYMBOLS, Address, Claim, Function, Region, free
from proofs.kernels.claims.of_transforms import PACKING, inverse, mask, transform
from proofs.kernels.claims.of_words import encoding, pointwise, prime

# Vectors have eight words.
COUNT = 8
# Errors of the samplers, whose products with a twiddle need no reduction modulo a narrow prime.
MOST_ERROR = 21


def residues(modulus: int) -> list[Claim]:
    """Reductions in the NTT domain. Those to a representative have another one than portable C."""
    claims = [replace(one, prime=modulus) for one in pointwise(modulus, COUNT)]
    bounds = {"isopod_reduce_all": modulus}
    names = ("isopod_reduce_all", "isopod_canonical_all", "isopod_to_montgomery_all")
    return [replace(one, bound=bounds.get(one.kernel, 0)) for one in claims if one.kernel in names]


def polynomials(modulus: int, length: int) -> list[Region]:
    """isopod_polynomial of an error, ternary with two factors, and of a message."""
    half, error = modulus // 2, free("error", length // 4, -MOST_ERROR, MOST_ERROR, BYTES)
    words = {"error": free("words", 1), "message32": free("words", length, -(1 << 29), 1 << 29),
             "ternary": free("symbols", length // 16, parts=SYMBOLS)}
    return [Region(f"{kind}, factor {factor}", (Function(f"isopod_load_{kind}"), words[kind], error, prime(modulus), length, factor))
            for kind, factor in (("error", 0), ("ternary", 1), ("ternary", half), ("message32", 0))]


def forward(modulus: int, length: int) -> list[Claim]:
    """Transforms of polynomials from their compact forms. Representatives below 2q may differ."""
    return [Claim("isopod_polynomial_ntt", (free("out", length), polynomial, transform(modulus, length)),
                  note=f"q = {modulus}, {polynomial.name}", prime=modulus, bound=2 * modulus)
            for polynomial in polynomials(modulus, length)]


def products(modulus: int, length: int) -> list[Claim]:
    """Transforms, products and packing, which the kernel does in one: its fields beside words of portable C."""
    claims, factors = [], free("a", length, 1 - modulus, modulus - 1)
    for polynomial in polynomials(modulus, length):
        product = Region("product", (polynomial, transform(modulus, length), free("key", length, 0, modulus - 1)))
        claims += [Claim(f"isopod_product_{kernel}", (free("x", length), product, other), note=f"q = {modulus}, {polynomial.name}",
                         prime=modulus, stubbed=("isopod_mask_group", *PACKING), packed=("x", modulus.bit_length()))
                   for kernel, other in (("with", factors), ("with_mask", mask(modulus)))]
    return claims


def encodings() -> list[Claim]:
    """Slots to the words of a message: integers, which the kernel brings to fixed point itself."""
    claims = []
    for log2_degree in (7, 8):
        claim = encoding(log2_degree)
        message, cosines, values, chosen = claim.arguments
        readings = free("readings", len(values.words[0].words), -256, 256)
        values = Region("values", (readings, *values.words[1:]))
        claims.append(replace(claim, arguments=(message, cosines, values, chosen), stubbed=("isopod_value_fixed32 integer",)))
    return claims
