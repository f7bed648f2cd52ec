"""Results (wire.md, section 3), which a server seals for the owner of the key."""

from dataclasses import dataclass, field
from math import prod

from . import wire_codes as wire
from .authentication import tag
from .frame import head, item
from .packing import pack
from .provenance import encoded, manifest, origin
from .rounding import coefficients, packed


@dataclass(frozen=True)
class Provenance:
    """The item's place in its evaluation, the request, and the frames (device, epoch, sequence, rows) that entered."""

    job: str
    run: bytes = bytes(wire.RUN_BYTES)
    sequence: int = 0
    index: int = 0
    total: int = 1
    challenge: bytes = b""
    request: bytes = bytes(wire.DIGEST_BYTES)
    frames: tuple = ((0, 0, 0, 1),)
    packing: bytes = b""
    with_manifest: bool = True

    @property
    def fields(self):
        """The fields from `run` to `packing`."""
        listed = manifest(self.frames)
        return [self.run, self.sequence, self.index, self.total, self.challenge, self.request, self.job, len(self.frames),
                origin(listed), listed if self.with_manifest else b"", self.packing]


@dataclass(frozen=True)
class Grid:
    """The places of a result's values: row r, column c lies at first + stride * r + c."""

    first: int
    rows: int
    columns: int
    stride: int

    @property
    def places(self):
        """The places, in the order of the values."""
        return [self.first + self.stride * row + column for row in range(self.rows) for column in range(self.columns)]


@dataclass(frozen=True)
class Claims:
    """A result's claims about its values: scale, bound, error and places. `dropped` counts the bits dropped from c0 and c1 if
    they are rounded coefficients; `linear` is the folded tag, if all frames had one."""

    scale: float
    grid: Grid
    bound: float = 1.0
    error: float = 0.0
    provenance: Provenance = field(default_factory=lambda: Provenance("benchmark"))
    dropped: tuple | None = None
    linear: bytes = b""

    @property
    def layout_fields(self):
        """The fields from `layout` to `dropped_1`."""
        grid, layout = self.grid, wire.LAYOUT_SLOTS if self.dropped is None else wire.LAYOUT_COEFFICIENTS_ROUNDED
        return [layout, grid.first, grid.rows, grid.columns, grid.stride, *(self.dropped or (0, 0))]


def result(pair, ciphertext, claims, link_key, nonce):
    """The sealed item. ciphertext = (c0, c1), residues in NTT order per remaining prime."""
    primes = pair.parameters.data_primes[:len(ciphertext[0])]
    fields = [wire.VERSION, wire.KIND_RESULT, pair.parameters.set_id, pair.key_id, nonce, *claims.provenance.fields, claims.bound,
              claims.error, len(primes), claims.scale, *claims.layout_fields, *polynomials(ciphertext, primes, claims)]
    fields[-1] += claims.linear
    sealed = head(wire.CBOR_ARRAY, len(wire.RESULT)) + b"".join(map(encoded, fields))
    return sealed + item(tag(link_key, nonce, wire.DOMAIN_RESULT, sealed))


def polynomials(ciphertext, primes, claims):
    """The fields c0 and c1."""
    if claims.dropped is None:
        return [b"".join(pack(row, prime.bit_length()) for row, prime in zip(rows, primes)) for rows in ciphertext]
    c0, c1 = (coefficients(rows, primes) for rows in ciphertext)
    answers = [c0[place] for place in claims.grid.places]
    return [packed(values, prod(primes), bits) for values, bits in zip((answers, c1), claims.dropped)]
