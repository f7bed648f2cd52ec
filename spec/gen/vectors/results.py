"""Records of decrypting and decoding (decryption.md): sealed results of every CKKS set at its last primes."""

import struct
from dataclasses import dataclass

from ...model.decode_fixed import Declared, decode_words, value_of
from ...model.encode import Precision, encode, slot_positions
from ...model.mask import mask
from ...model.ntt import ntt
from ...model.provenance import request_digest
from ...model.result import Claims, Grid, Provenance, result
from ...model.streams import CHACHA20
from .digest import sha3, words
from .inputs import LARGEST_DEGREE, counting_bytes, recurrence, values_of

LINK_KEY = counting_bytes(0xD0)
NONCE = counting_bytes(0x50, 16)
MASK_SEED = counting_bytes(0x80)
JOB = "mean of readings"
NOISE = 20
PRIMES = 3

FIXED = {
    "result_key": {"link_key_start": 0xD0, "nonce_start": 0x50, "mask_seed_start": 0x80, "job": JOB,
                   "provenance": "run_start 0x11, sequence 9, index 1, total 3, challenge_start 0x22, request of [set_id, job, "
                                 "2, 0.5], frames (device, epoch, sequence, rows) (1001, 3, 42 43 44 47, 4) (1002, 1, 0, 5), "
                                 "packing_start 0x70; bound 2^log2_bound (BFV: floor(t/2)), error 2^-10 (BFV: 0)"},
    "message": "m = encoding of the pattern (number rule f32) at log2_scale and log2_bound, coefficient i plus x_{i+1} mod 41 "
               "- 20 of the recurrence; where raised is not 0, (m * 2^40 + x_{i+1} - 2^31) * 2^(raised - 40), and the scale is "
               "2^raised times as large; BFV: the message of all n slots or coefficients by the rule of numbers, plus the same "
               "noise; c1 = mask of suite 1 under the mask seed, c0 = NTT(m) - c1*NTT(s)",
}


@dataclass(frozen=True)
class Plan:
    """One result: its number of primes and encoding, and the scale and bound that it declares."""

    primes: int
    pattern: str
    log2_scale: int
    log2_bound: int
    numerator: int = 8
    first: int = 0
    rows: int = 1
    columns: int = 0
    stride: int = 0
    raised: int = 0

    @property
    def scale(self):
        """numerator / 8 * 2^(log2_scale + raised). A scale is no power of two after rescaling."""
        return self.numerator / 8 * 2.0 ** (self.log2_scale + self.raised)


def plans(parameters):
    """Results of one to three primes: the largest message that fits, common messages, and some for the 64-bit decoder."""
    for primes in levels(parameters):
        room = sum(prime.bit_length() for prime in parameters.data_primes[:primes]) - 2
        yield Plan(primes, "random", min(room, 57), 0)
        yield Plan(primes, "square", min(room, 40) - 4, 3, 7)
        if parameters.ring_degree <= 4096:
            yield Plan(primes, "short", min(room, 30) - 9, 2, 9, 3, 8, 1, 61)
            yield Plan(primes, "random", min(room, 30) - 9, 2, 9, 3, 9, 5, 7)
            yield Plan(primes, "signs", min(room, 57) - 1, 1)
        if parameters.has_primes64 and primes > 1:
            yield Plan(primes, "random", 50, 0, 9, raised=min(room, 118) - 51)


def grid_of(plan, places):
    """The places of the plan. By default they begin at the first one, in one row."""
    columns = plan.columns or places - plan.first
    return Grid(plan.first, plan.rows, columns, plan.stride or columns)


def provenance_of(set_id):
    """The second of three items, computed from frames of two devices."""
    frames = [(1001, 3, sequence, 4) for sequence in (42, 43, 44, 47)] + [(1002, 1, 0, 5)]
    return Provenance(JOB, counting_bytes(0x11, 16), 9, 1, 3, counting_bytes(0x22, 16), request_digest(set_id, JOB, [2, 0.5]),
                      tuple(frames), counting_bytes(0x70, 16))


def levels(parameters):
    """The numbers of primes in a result: one to three, but only three at the largest ring degree."""
    most = min(PRIMES, len(parameters.data_primes))
    return range(most if parameters.ring_degree == LARGEST_DEGREE else 1, most + 1)


def records(pair):
    """The results of one key pair."""
    masks = mask(pair.parameters, CHACHA20, MASK_SEED)
    for plan in plans(pair.parameters):
        coefficients = message(pair.parameters.ring_degree, plan)
        yield record(pair, plan, coefficients, masks)


def message(ring_degree, plan):
    """The message m that the text FIXED describes."""
    precision = Precision(ring_degree, plan.log2_scale, plan.log2_bound)
    encoded = encode(values_of(plan.pattern, "f32", ring_degree, plan.log2_bound), precision)
    if plan.raised:
        states = recurrence(ring_degree)
        return [(value << 40) + state - (1 << 31) << plan.raised - 40 for value, state in zip(encoded, states)]
    return with_noise(encoded)


def with_noise(coefficients):
    """The coefficients plus the small noise that the text FIXED describes."""
    return [value + state % (2 * NOISE + 1) - NOISE for value, state in zip(coefficients, recurrence(len(coefficients)))]


def record(pair, plan, coefficients, masks):
    """One record: the inputs, the sealed item, and every slot that the item names."""
    grid = grid_of(plan, pair.parameters.ring_degree // 2)
    claims = Claims(plan.scale, grid, 2.0 ** plan.log2_bound, 2.0 ** -10, provenance_of(pair.parameters.set_id))
    sealed = seal(pair, coefficients, masks[:plan.primes], claims)
    declared = Declared(pair.parameters.ring_degree, plan.scale, plan.log2_bound)
    return {"set": pair.parameters.name, "primes": plan.primes, "pattern": plan.pattern, "log2_scale": plan.log2_scale,
            "log2_bound": plan.log2_bound, "raised": plan.raised, "scale_bits": bits_of(plan.scale), **vars(grid),
            "bytes": len(sealed), "sha3": sha3(sealed), "tag": sealed[-16:].hex(),
            **value_digests(coefficients, declared, claims)}


def seal(pair, coefficients, masks, claims):
    """The sealed item of m + noise under these masks."""
    return result(pair, (body(pair, coefficients, masks), masks), claims, LINK_KEY, NONCE)


def body(pair, coefficients, masks):
    """c0 of m + noise under these masks."""
    rows = zip(pair.parameters.data_primes, masks, pair.secret_ntt)
    return [[(m - a * s) % prime for m, a, s in zip(ntt(coefficients, prime), masked, secret)] for prime, masked, secret in rows]


def bits_of(value):
    """The bit pattern of a float64."""
    return int.from_bytes(struct.pack("<d", value), "little")


def value_digests(coefficients, declared, claims):
    """The values in every type: as float32, as float64, as int32."""
    decoded, positions = decode_words(coefficients, declared), slot_positions(declared.ring_degree)
    chosen = [decoded[positions[place]] for place in claims.grid.places]
    forms = [[value_of(word, declared, form) for word in chosen] for form in ("f32", "f64", "int")]
    return {"width": declared.width, **value_digests_of(forms)}


def value_digests_of(forms):
    """The digests of values as float32, as float64 and as int32."""
    single, double, whole = forms
    return {"first_values": double[:4],
            "f32_sha3": sha3(struct.pack(f"<{len(single)}f", *single)),
            "f64_sha3": sha3(struct.pack(f"<{len(double)}d", *double)), "i32_sha3": sha3(words([*whole, -1])[:-4])}
