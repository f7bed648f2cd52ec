"""Claims about the kernels of x86-64, whose representatives and lengths differ from those of other processors."""
from dataclasses import replace

from proofs.kernels.claim import BYTES, SYMBOLS, Address, Claim, Function, Region, free
from proofs.kernels.claims.of_transforms import PACKING, mask, transform
from proofs.kernels.claims.of_words import encoding, pointwise, prime

# Vectors have eight words.
COUNT = 8
# Errors of the samplers, whose products with a twiddle need no reduction modulo a narrow prime.
MOST_ERROR = 21
# The smallest transform of the encoder
LOG2_DEGREE = 7
SET_ID_BYTES, READ_BEHIND = 8, 4


def residues(modulus: int) -> list[Claim]:
    """Reductions in the NTT domain. Those to a representative have another one than portable C."""
    claims = [replace(one, prime=modulus) for one in pointwise(modulus, COUNT)]
    bounds = {"isopod_reduce_all": modulus}
    names = ("isopod_reduce_all", "isopod_canonical_all", "isopod_to_montgomery_all")
    return [replace(one, bound=bounds.get(one.kernel, 0)) for one in claims if one.kernel in names]


def polynomials(modulus: int, length: int) -> list[Region]:
    """isopod_polynomial of an error, ternary with two factors, and of a message."""
    error = free("error", length // 4, -MOST_ERROR, MOST_ERROR, BYTES)
    words = {"error": free("words", 1), "message32": free("words", length, -(1 << 29), 1 << 29),
             "ternary": free("symbols", length // 16, parts=SYMBOLS)}
    return [Region(f"{kind}, factor {factor}",
                   (Function(f"isopod_load_{kind}"), words[kind], error, prime(modulus), length, factor))
            for kind, factor in (("error", 0), ("ternary", 1), ("ternary", modulus // 3), ("message32", 0))]


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
        note, packed = f"q = {modulus}, {polynomial.name}", ("x", modulus.bit_length())
        claims += [Claim(f"isopod_product_{kernel}", (free("x", length), product, other), note=note, prime=modulus,
                         stubbed=("isopod_mask_group", *PACKING), packed=packed)
                   for kernel, other in (("with", factors), ("with_mask", mask(modulus)))]
    return claims


def encodings(most: int) -> Claim:
    """Slots to the words of a message: integers, which the kernel brings to fixed point itself. Bounds of sums are those of their
    summands, which leave a word if slots are as large as they may be."""
    claim = encoding(LOG2_DEGREE)
    message, cosines, values, chosen = claim.arguments
    readings = free("readings", len(values.words[0].words), -most, most)
    values = Region("values", (readings, *values.words[1:]))
    return replace(claim, arguments=(message, cosines, values, chosen), stubbed=("isopod_value_fixed32 integer",))


def tfhe_params(log2_modulus: int, tuniform: int, message_bits: int, is_centred: int) -> Region:
    """isopod_tfhe_params: name, identifier, numbers of one byte, and no prime."""
    log2_delta = log2_modulus - message_bits - 1
    numbers = (10 | log2_modulus << 8 | 1 << 16 | tuniform << 24, message_bits | log2_delta << 8 | is_centred << 16)
    return Region("params", (Address(), *(0,) * (SET_ID_BYTES // 4), *numbers, Address()))


def tfhe_errors() -> list[Claim]:
    """Errors of TFHE, alone and added to words with and without a message."""
    errors = [Claim("isopod_error_tuniform", (free("out", 32), bound, free("words", bound + 2 + READ_BEHIND)),
                    note=f"bound 2^{bound}") for bound in (8, 17)]
    errors.append(Claim("isopod_error_gaussian", (free("out", 32), free("words", 96))))
    for log2_modulus, tuniform, drawn in ((32, 8, 10), (64, 17, 19), (32, 0, 96)):
        room, words = 32 if tuniform else 0, free("words", log2_modulus)
        random = free("random", room + drawn + READ_BEHIND)
        for is_centred in (0, 1):
            for blocks, note in ((free("blocks", 2), "with a message"), (Address(), "without")):
                params = tfhe_params(log2_modulus, tuniform, 2, is_centred)
                given = blocks if isinstance(blocks, Region) else 0
                errors.append(Claim("isopod_errors_add", (words, random, 1, given, params), scratch=("random",),
                                    note=f"{log2_modulus} bits, {tuniform or 'Gaussian'}, {note}, {is_centred}"))
    return errors


def booleans() -> list[Claim]:
    """Bytes 0 and 1 to fields of two bits."""
    return [Claim("isopod_bools_pack", (free("out", 4), free("values", 16, 0, 1, BYTES), 4), note="64 booleans")]
