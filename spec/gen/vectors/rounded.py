"""Records of rounded coefficients (coefficients.md): frames and sealed results, in both schemes."""

import struct
from dataclasses import dataclass
from math import prod

from ...model import wire_codes as wire
from ...model.bfv import message, plaintext, round_plain, small_message
from ...model.decode_bfv import round_fixed, signed
from ...model.decode_fixed import DeclaredCoefficients, coefficient_word, value_of
from ...model.encode import Precision
from ...model.encryption import encrypt
from ...model.frame import Claims, Encoding, frame
from ...model.keys import blob
from ...model.mask import mask
from ...model.parse import parse_part
from ...model.result import Claims as ResultClaims
from ...model.result import Grid, result
from ...model.rounding import Lifted, Rounding, coefficients, decrypt_frame, decrypt_lifted, rounded, sent_places, spread
from ...model.shapes import COEFFICIENTS_ROUNDED, encode
from ...model.streams import BFV_KINDS, CHACHA20, KINDS, SUITES
from .ciphertexts import SENDER, described, identity_of, pair_of, source_of
from .digest import sha3, words
from .inputs import counting_bytes, integers_of, numbers_of
from .results import LINK_KEY, MASK_SEED, NONCE, body, provenance_of, value_digests_of, with_noise

ROW_NAME = counting_bytes(0x70, 16)


@dataclass(frozen=True)
class Rows:
    """Rows of a number of columns, their stride, and the number of coefficients that each sends."""

    rows: int
    columns: int
    stride: int
    run: int

    @property
    def count(self):
        """The field `count`."""
        return (self.rows - 1) * self.stride + self.columns

    @property
    def places(self):
        """The coefficients that hold values, in their order."""
        return sent_places(self.count, self.stride, self.columns)


@dataclass(frozen=True)
class Plan:
    """One frame: its level, rows, scale and bound (0 in BFV), and the bits dropped under a secret and under a public key."""

    level: int
    rows: Rows
    log2_scale: int
    log2_bound: int
    secret: int
    public: tuple
    numbers: str = "f32"


DENSE, GAPS, TEN, FILTER = Rows(68, 30, 30, 30), Rows(32, 30, 32, 30), Rows(1, 10, 10, 10), Rows(1, 2000, 2048, 2048)

FRAMES = {
    "ckks-1024x1-sum": (Plan(1, GAPS, 13, 3, 4, (4, 1)), Plan(1, Rows(1, 7, 7, 7), 18, 0, 0, (0, 0))),
    "ckks-2048x1-air": (Plan(1, DENSE, 15, 4, 7, (7, 3)), Plan(1, TEN, 15, 4, 7, (7, 3)),
                        Plan(1, FILTER, 12, 8, 5, (4, 0), "i32"),
                        Plan(1, Rows(64, 30, 32, 32), 16, 4, 7, (7, 3))),
    "ckks-2048x2-air": (Plan(2, DENSE, 30, 4, 20, (18, 13)), Plan(1, TEN, 16, 2, 1, (1, 0)), Plan(2, TEN, 44, 6, 0, (0, 0))),
    "ckks-4096x2-linear": (Plan(2, Rows(136, 30, 30, 30), 30, 4, 20, (18, 13)),),
    "bfv-1024x1-count": (Plan(1, GAPS, 0, 0, 4, (2, 0), "s32"),),
    "bfv-2048x1-count": (Plan(1, DENSE, 0, 0, 7, (7, 3), "u32"),),
    "bfv-2048x2-air": (Plan(2, DENSE, 0, 0, 20, (18, 13), "s32"), Plan(2, FILTER, 0, 0, 0, (0, 0), "u32")),
}


def rounded_frames(sets):
    """Frames under both kinds of key; the first plan has every suite."""
    for entry in sets:
        for index, plan in enumerate(FRAMES.get(entry.name, ())):
            for suite in SUITES if index == 0 else (CHACHA20,):
                for kind in KINDS if entry.scheme == "ckks" else BFV_KINDS:
                    yield frame_record(pair_of(entry), plan, kind, suite)


def frame_record(pair, plan, kind, suite):
    """One record. The frame was parsed and decrypted first."""
    entry, rows = pair.parameters, plan.rows
    values = frame_values(entry, plan)
    wanted = message_of(entry, plan, spread(values, rows.places, entry.ring_degree))
    letter = {"f32": "f", "i32": "i", "s32": "i", "u32": "I"}[plan.numbers]
    dropped = plan.public if kind % 2 else (plan.secret, 0)
    bound = plan.log2_bound if entry.scheme == "ckks" else entry.plain_modulus // 2
    rounding, claims = Rounding(rows.run, dropped), Claims(bound, rows.stride, 1, ROW_NAME)
    encoding = Encoding(plan.log2_scale, rows.count, 1, claims, COEFFICIENTS_ROUNDED, rounding)
    source = described(source_of(values, letter), identity_of(pair, kind, suite, plan.level), encoding, letter)
    ciphertext = encrypt(pair, wanted, source, kind, suite, plan.level)
    part, = frame(pair, ciphertext, SENDER, encoding)
    noise = noise_of(pair, parse_part(part, [entry], SENDER.device_key), wanted)
    return {"set": entry.name, "kind": kind, "suite": suite, "numbers": plan.numbers, "log2_scale": plan.log2_scale,
            "log2_bound": plan.log2_bound, "level": plan.level, **vars(rows), "dropped_0": dropped[0], "dropped_1": dropped[1],
            "packing": ROW_NAME.hex(), "bytes": len(part), "largest_noise": noise, "sha3": sha3(part)}


def frame_values(entry, plan):
    """The values, row after row without gaps."""
    count = plan.rows.rows * plan.rows.columns
    if entry.scheme == "bfv":
        return integers_of(count, plan.numbers, entry.plain_modulus)
    return numbers_of(count, plan.numbers, plan.log2_bound)


def message_of(entry, plan, values):
    """The message of n values."""
    if entry.scheme == "ckks":
        return encode(values, Precision(entry.ring_degree, plan.log2_scale, plan.log2_bound), COEFFICIENTS_ROUNDED)
    polynomial = plaintext(values, entry, COEFFICIENTS_ROUNDED)
    return message(small_message(polynomial, entry, plan.level), entry, plan.level)


def noise_of(pair, fields, wanted):
    """The largest difference from the message at the coefficients of c0 that were sent. In BFV all values must come out right."""
    entry, places = pair.parameters, sent_places(fields["count"], fields["stride"], fields["run"])
    read, modulus = decrypt_frame(pair, fields), entry.at_level(fields["parts"]).modulus
    if entry.scheme == "bfv":
        integers = round_plain(read, entry, fields["parts"]), round_plain(wanted, entry, fields["parts"])
        assert all(integers[0][place] == integers[1][place] for place in places)
    return max(abs((read[place] - wanted[place] + modulus // 2) % modulus - modulus // 2) for place in places)


@dataclass(frozen=True)
class ResultPlan:
    """One result: its number of primes, the places of the answers, scale (times 9/8) and bound, and the dropped bits."""

    primes: int
    grid: Grid
    log2_scale: int
    log2_bound: int
    dropped: tuple
    numbers: str = "f32"

    @property
    def scale(self):
        """9/8 * 2^log2_scale; 1 in BFV."""
        return 9 / 8 * 2.0 ** self.log2_scale if self.log2_scale else 1.0


SCORES, SOME = Grid(29, 68, 1, 30), Grid(0, 3, 5, 100)

RESULTS = {
    "ckks-1024x1-sum": (ResultPlan(1, SOME, 14, 2, (3, 2)), ResultPlan(1, SOME, 12, 11, (0, 0))),
    "ckks-2048x1-air": (ResultPlan(1, SCORES, 24, 3, (16, 12)), ResultPlan(1, Grid(2047, 1, 1, 1), 10, 0, (0, 0))),
    "ckks-2048x2-air": (ResultPlan(2, SCORES, 44, 5, (26, 24)), ResultPlan(1, SOME, 20, 0, (8, 3)),
                        ResultPlan(2, SOME, 40, 10, (0, 0))),
    "ckks-4096x2-linear": (ResultPlan(2, Grid(0, 1, 4096, 4096), 44, 13, (1, 0)),),
    "bfv-1024x1-count": (ResultPlan(1, SOME, 0, 0, (5, 0), "s32"),),
    "bfv-2048x2-air": (ResultPlan(2, SCORES, 0, 0, (23, 16), "s32"), ResultPlan(2, Grid(0, 1, 2048, 2048), 0, 0, (0, 0), "u32")),
}


# Sets whose first result is given as a whole.
ITEMS = ("ckks-1024x1-sum", "ckks-2048x2-air", "bfv-1024x1-count")


def rounded_results(sets, scheme):
    """The results of the sets of one scheme."""
    for entry in sets:
        for plan in RESULTS.get(entry.name, ()) if entry.scheme == scheme else ():
            yield result_record(pair_of(entry), plan)


def rounded_items(sets):
    """The first result of some sets in full: key, item and values."""
    for entry in sets:
        if entry.name in ITEMS:
            yield item_record(pair_of(entry), RESULTS[entry.name][0])


def item_record(pair, plan):
    """One record: everything that an owner needs to read the result, and the values that the owner reads."""
    sealed, answers = sealed_result(pair, plan)
    return {"set": pair.parameters.name, "log2_bound": plan.log2_bound, "secret": blob(pair, wire.KEY_KIND_SECRET_TERNARY).hex(),
            "link_key": LINK_KEY.hex(), "item": sealed.hex(), **values_of_answers(pair.parameters, plan, answers)}


def values_of_answers(entry, plan, answers):
    """float64 patterns, or integers."""
    if entry.scheme == "bfv":
        return {"s32": [signed(value, entry.plain_modulus) for value in round_fixed(answers, entry, plan.primes)]}
    declared = DeclaredCoefficients(entry.ring_degree, plan.scale, plan.log2_bound)
    read = [value_of(coefficient_word(answer, declared), declared, "f64") for answer in answers]
    return {"f64_bits": [struct.pack(">d", value).hex() for value in read]}


def result_record(pair, plan):
    """One record: the inputs, the sealed item, and its values as the owner reads them."""
    entry = pair.parameters
    sealed, answers = sealed_result(pair, plan)
    return {"set": entry.name, "primes": plan.primes, "numbers": plan.numbers, "log2_scale": plan.log2_scale,
            "log2_bound": plan.log2_bound, **vars(plan.grid), "dropped_0": plan.dropped[0], "dropped_1": plan.dropped[1],
            "bytes": len(sealed), "sha3": sha3(sealed), **digests_of(entry, plan, answers)}


def sealed_result(pair, plan):
    """The item, and its coefficients as the owner reads them."""
    entry, primes = pair.parameters, pair.parameters.data_primes[:plan.primes]
    masks = mask(entry, CHACHA20, MASK_SEED)[:plan.primes]
    c0 = body(pair, with_noise(message_of_result(entry, plan)), masks)
    bound = 2.0 ** plan.log2_bound if entry.scheme == "ckks" else float(entry.plain_modulus // 2)
    claims = ResultClaims(plan.scale, plan.grid, bound, 2.0 ** -10 if entry.scheme == "ckks" else 0.0,
                          provenance_of(entry.set_id), plan.dropped)
    return result(pair, (c0, masks), claims, LINK_KEY, NONCE), decrypted(pair, primes, (c0, masks), plan)


def message_of_result(entry, plan):
    """The message m of n values."""
    if entry.scheme == "ckks":
        values = numbers_of(entry.ring_degree, "f32", plan.log2_bound)
        return [round(value * plan.scale) for value in values]
    polynomial = plaintext(integers_of(entry.ring_degree, plan.numbers, entry.plain_modulus), entry, COEFFICIENTS_ROUNDED)
    return message(small_message(polynomial, entry, plan.primes), entry, plan.primes)


def decrypted(pair, primes, ciphertext, plan):
    """m plus noise at the places of the answers, after both polynomials were rounded."""
    modulus = prod(primes)
    c0, c1 = ([rounded(value, modulus, bits) << bits for value in coefficients(rows, primes)]
              for rows, bits in zip(ciphertext, plan.dropped))
    answers = spread([c0[place] for place in plan.grid.places], plan.grid.places, len(c0))
    read = decrypt_lifted(pair, primes, Lifted(answers, c1))
    return [read[place] for place in plan.grid.places]


def digests_of(entry, plan, answers):
    """The values in every type of the scheme."""
    if entry.scheme == "bfv":
        integers = round_fixed(answers, entry, plan.primes)
        negative = [signed(value, entry.plain_modulus) % (1 << 32) for value in integers]
        return {"u32_sha3": sha3(words(integers)), "s32_sha3": sha3(words(negative))}
    declared = DeclaredCoefficients(entry.ring_degree, plan.scale, plan.log2_bound)
    assert declared.magnitude <= prod(entry.data_primes[:plan.primes]).bit_length() - 2, "a result that owners refuse"
    read = [coefficient_word(answer, declared) for answer in answers]
    return value_digests_of([[value_of(word, declared, form) for word in read] for form in ("f32", "f64", "int")])
