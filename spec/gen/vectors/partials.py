"""Records of partial states (wire.md, section 10)."""

from dataclasses import asdict, astuple
from itertools import islice
from types import SimpleNamespace

from ...model.partial import PartialHeader, State, Term, partial
from ...model.wire_codes import LAYOUT_COEFFICIENTS, LAYOUT_COEFFICIENTS_ROUNDED, LAYOUT_SLOTS
from .digest import sha3
from .inputs import counting_bytes, recurrence

KEYS = (counting_bytes(0xD0), counting_bytes(0x50, 16))
KEY_ID = counting_bytes(0x40, 16)
REQUEST, PACKING = counting_bytes(0x60), counting_bytes(0x70, 16)

FIXED = {
    "partial_state": {"link_key_start": 0xD0, "nonce_start": 0x50, "key_id_start": 0x40, "request_start": 0x60,
                      "residues": "c0 of each prime, then c1 of each prime: value i of all is x_{i+1} modulo its prime"},
}

STATES = {
    "ckks-1024x1-sum": State(PartialHeader(REQUEST, "sum", 1, 20, LAYOUT_SLOTS, 512, 512), (Term(0, 4, 1, 1),), ((1, 1, 0, 1),)),
    "ckks-4096x2-linear": State(
        PartialHeader(REQUEST, "weighted", 1, 27, LAYOUT_SLOTS, 13, 16, packing=PACKING),
        (Term(1, -3, 7, 1), Term(0, 4, -(1 << 31), 2), Term(0, -3, 1, 1)),
        ((1002, 1, 5, 8), (1001, 3, 43, 8), (1001, 3, 42, 8), (1001, 3, 45, 4))),
    "ckks-2048x2-air": State(
        PartialHeader(REQUEST, "sum", 2, 30, LAYOUT_COEFFICIENTS_ROUNDED, 30, 32, run=31, dropped_0=20, dropped_1=13),
        (Term(0, 4, 1, 1),), ((1, 1, 0, 64),)),
    "ckks-8192x3w-sum": State(PartialHeader(REQUEST, "mean", 3, 50, LAYOUT_SLOTS, 1, 2), (Term(1, 0, 1, 2),),
                              ((9, 0, 1, 1), (9, 0, 2, 1))),
    "bfv-1024x1-count": State(PartialHeader(REQUEST, "histogram", 1, 0, LAYOUT_COEFFICIENTS, 64, 64, 8, PACKING),
                              (Term(0, 1, 1, 3),), tuple((7, 2, sequence, 16) for sequence in range(3))),
}


def records(sets):
    """One record for each state."""
    for parameters in sets:
        if state := STATES.get(parameters.name):
            sealed = partial(SimpleNamespace(parameters=parameters, key_id=KEY_ID), ciphertext(parameters, state), state, KEYS)
            header = asdict(state.header) | {"request": REQUEST.hex(), "packing": state.header.packing.hex()}
            yield {"set": parameters.name, **header, "terms": list(map(astuple, state.terms)),
                   "frames": list(map(list, state.frames)), "bytes": len(sealed), "sha3": sha3(sealed), "tag": sealed[-16:].hex()}


def ciphertext(parameters, state):
    """The residues that the text FIXED describes."""
    primes = parameters.data_primes[:state.header.parts]
    states = recurrence(2 * len(primes) * parameters.ring_degree)
    return [[[x % prime for x in islice(states, parameters.ring_degree)] for prime in primes] for _ in range(2)]
