"""Records of decrypting and decoding integers (decryption.md, section 3): sealed results at one to three primes."""

from dataclasses import dataclass

from ...model.bfv import message, plaintext, small_message
from ...model.decode_bfv import decode_fixed, signed
from ...model.mask import mask
from ...model.result import Claims
from ...model.shapes import COEFFICIENTS, SLOTS
from ...model.streams import CHACHA20
from ...model.wire_codes import KIND_BFV_SECRET
from .digest import sha3, words
from .inputs import integers_of
from .integers import fits
from .results import MASK_SEED, grid_of, levels, provenance_of, seal, with_noise


@dataclass(frozen=True)
class Plan:
    """One result: its number of primes, layout and number rule, and the places of its values."""

    primes: int
    layout: int
    numbers: str
    first: int = 0
    rows: int = 1
    columns: int = 0
    stride: int = 0


def plans(parameters):
    """All slots, some slots across both rows, and coefficients, at the levels that leave room for noise."""
    for primes in levels(parameters):
        if not fits(parameters, primes, KIND_BFV_SECRET):
            continue
        yield Plan(primes, SLOTS, "s32")
        yield Plan(primes, SLOTS, "u32", 3, 16, 1, 61)
        yield Plan(primes, SLOTS, "s32", 1, parameters.ring_degree // 64, 5, 63)
        yield Plan(primes, COEFFICIENTS, "s32", 1, 100, 3, 5)


def records(pair):
    """The results of one key pair."""
    masks = mask(pair.parameters, CHACHA20, MASK_SEED)
    for plan in plans(pair.parameters):
        yield record(pair, plan, masks[:plan.primes])


def record(pair, plan, masks):
    """One record: the inputs, the sealed item, and the values at the places that the item names."""
    parameters = pair.parameters
    values = integers_of(parameters.ring_degree, plan.numbers, parameters.plain_modulus)
    polynomial = plaintext(values, parameters, plan.layout)
    coefficients = with_noise(message(small_message(polynomial, parameters, plan.primes), parameters, plan.primes))
    grid = grid_of(plan, parameters.ring_degree)
    claims = Claims(1.0, grid, float(parameters.plain_modulus // 2), 0.0, provenance_of(parameters.set_id))
    sealed = seal(pair, coefficients, masks, claims)
    every = decode_fixed(coefficients, parameters, plan.primes, plan.layout)
    decoded = [every[place] for place in grid.places]
    wanted = [values[place] % parameters.plain_modulus for place in grid.places]
    assert decoded == wanted
    negative = [signed(value, parameters.plain_modulus) % (1 << 32) for value in decoded]
    return {"set": parameters.name, "primes": plan.primes, "numbers": plan.numbers, "layout": plan.layout,
            **vars(grid), "bytes": len(sealed), "sha3": sha3(sealed),
            "tag": sealed[-16:].hex(), "u32_sha3": sha3(words(decoded)), "s32_sha3": sha3(words(negative))}
