"""Claims about transforms and what is joined with them, whose words are compared as residues of the prime."""
from proofs.kernels.claim import Address, Claim, Function, Region, free
from proofs.kernels.claims.of_words import prime

KINDS = ("error", "ternary", "message32")
PACKING = ("isopod_pack_in_place", "isopod_pack_group")


def masked(modulus: int) -> Claim:
    """Products with a mask of any residues."""
    return Claim("isopod_multiply_add_mask", (free("x", 32), mask(modulus), free("key", 32, 0, modulus - 1), 32),
                 note=f"q = {modulus}", prime=modulus, stubbed=("isopod_mask_group",))


def mask(modulus: int) -> Region:
    """isopod_mask, whose suite has no bit fields."""
    suite = Region("suite", (Address(), Address(), Address(1)))
    return Region("mask", (prime(modulus), 0, 0, 0, 0, suite))


def fields(modulus: int) -> Claim:
    """A mask from bit fields of a stream that are all below the prime: replacements are not followed."""
    return Claim("isopod_mask_fields_group", (Region("mask", (prime(modulus), 0, 0, 0, 0, Address())), free("out", 32)),
                 note=f"q = {modulus}", prime=modulus, stubbed=("isopod_stream_words",), has_fields=True)


def transform(modulus: int, length: int) -> Region:
    """isopod_ntt of one chunk, with twiddles of any value."""
    half = modulus // 2
    twiddles = free("twiddles", length, -half, half)
    return Region(f"ntt_{modulus}_{length}", (prime(modulus), twiddles, Address(), length, 1, Address()))


def layers(modulus: int, length: int) -> Claim:
    """The layers of a transform. Representatives below 2q may differ."""
    return Claim("isopod_ntt_layers", (free("x", length), transform(modulus, length)), note=f"q = {modulus}, {length} words",
                 prime=modulus, bound=2 * modulus)


def polynomial(modulus: int, kind: str, length: int) -> Region:
    """isopod_polynomial of one of the kinds."""
    words = free("words", length, -(1 << 29), 1 << 29)
    half = modulus // 2
    load, error = Function(f"isopod_load_{kind}"), free("error", length // 4)
    return Region(f"polynomial_{kind}", (load, words, error, prime(modulus), length, None), -half, half)


def polynomials(modulus: int, length: int) -> list[Claim]:
    """Transforms of polynomials from their compact forms."""
    return [Claim("isopod_polynomial_ntt", (free("out", length), polynomial(modulus, kind, length), transform(modulus, length)),
                  note=f"q = {modulus}, {kind}, {length} words", prime=modulus, bound=2 * modulus)
            for kind in KINDS]


def product_of(modulus: int, kind: str, length: int) -> Region:
    """isopod_product."""
    return Region("product", (polynomial(modulus, kind, length), transform(modulus, length), free("key", length, 0, modulus - 1)))


def product(modulus: int, length: int) -> list[Claim]:
    """Transforms, products and canonical residues; packing is another claim."""
    factors = free("a", length, 1 - modulus, modulus - 1)
    return [Claim("isopod_product_with", (free("x", length), product_of(modulus, kind, length), factors),
                  note=f"q = {modulus}, {kind}, {length} words", prime=modulus, stubbed=PACKING) for kind in KINDS]


def product_with_mask(modulus: int, length: int) -> list[Claim]:
    """Transforms and products with a mask of any residues."""
    return [Claim("isopod_product_with_mask", (free("x", length), product_of(modulus, kind, length), mask(modulus)),
                  note=f"q = {modulus}, {kind}, {length} words", prime=modulus, stubbed=("isopod_mask_group", *PACKING))
            for kind in KINDS[2:]]


def inverse(modulus: int, length: int) -> Claim:
    """The inverse transform, times a factor that is listed."""
    return Claim("isopod_inverse_ntt", (free("x", length, -modulus, modulus), transform(modulus, length), modulus // 3),
                 note=f"q = {modulus}, {length} words", prime=modulus, bound=modulus)


def transforms(modulus: int, length: int) -> list[Claim]:
    """Claims about whole transforms."""
    return [layers(modulus, length), layers(modulus, 2 * length), *polynomials(modulus, length), *product(modulus, length),
            *product_with_mask(modulus, length)]
