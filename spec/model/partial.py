"""Partial states of aggregates (wire.md, section 10). A server seals them for itself and for other servers of the key."""

from dataclasses import astuple, dataclass

from .authentication import tag
from .frame import head, item
from .packing import pack
from .provenance import encoded, manifest
from .wire_codes import CBOR_ARRAY, DOMAIN_PARTIAL, KIND_PARTIAL, PARTIAL, VERSION


@dataclass(frozen=True)
class PartialHeader:
    """The fields that all frames of an aggregate share, from `request` to `dropped_1`."""

    request: bytes
    job: str
    parts: int
    log2_scale: int
    layout: int
    columns: int
    stride: int
    buckets: int = 1
    packing: bytes = b""
    run: int = 0
    dropped_0: int = 0
    dropped_1: int = 0


@dataclass(frozen=True, order=True)
class Term:
    """Frames of one bound that entered with one weight, and their number; secret is 1 under the secret key, else 0."""

    secret: int
    bound: int
    weight: int
    frames: int


@dataclass(frozen=True)
class State:
    """The description of an aggregate: terms in any order, and frames (device, epoch, sequence, rows)."""

    header: PartialHeader
    terms: tuple
    frames: tuple

    @property
    def fields(self):
        """The fields from `request` to `manifest`."""
        terms = encoded([number for term in sorted(self.terms) for number in astuple(term)])
        return [*astuple(self.header), terms, manifest(self.frames)]


def partial(pair, ciphertext, state, keys, linear=b""):
    """The sealed item. ciphertext = (c0, c1), residues in NTT order per prime; keys = (link key, nonce); `linear` is the folded
    tag, if all frames had one."""
    link_key, nonce = keys
    fields = [VERSION, KIND_PARTIAL, pair.parameters.set_id, pair.key_id, nonce, *state.fields]
    for rows in ciphertext:
        fields.append(b"".join(pack(row, prime.bit_length()) for row, prime in zip(rows, pair.parameters.data_primes)))
    fields[-1] += linear
    sealed = head(CBOR_ARRAY, len(PARTIAL)) + b"".join(map(encoded, fields))
    return sealed + item(tag(link_key, nonce, DOMAIN_PARTIAL, sealed))
