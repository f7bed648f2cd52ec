"""Results, wire.md section 3, which a server seals for the owner of the key."""

import struct
from dataclasses import dataclass

from .authentication import tag
from .frame import head, item
from .packing import pack
from .wire_codes import CBOR_ARRAY, CBOR_TEXT, DOMAIN_RESULT, KIND_RESULT, RESULT, VERSION


@dataclass(frozen=True)
class Claims:
    """The places of a result's values: slots first + step * i, i < count, at this scale."""

    job: str
    scale: float
    first: int
    step: int
    count: int


def result(pair, ciphertext, claims, link_key, nonce):
    """The sealed item. ciphertext = (c0, c1), residues in NTT order per remaining prime."""
    primes = pair.parameters.data_primes[:len(ciphertext[0])]
    job = claims.job.encode()
    fields = [item(VERSION), item(KIND_RESULT), item(pair.parameters.set_id), item(pair.key_id), item(nonce),
              head(CBOR_TEXT, len(job)) + job, item(len(primes)), b"\xfb" + struct.pack(">d", claims.scale),
              item(claims.first), item(claims.step), item(claims.count)]
    for rows in ciphertext:
        fields.append(item(b"".join(pack(row, prime.bit_length()) for row, prime in zip(rows, primes))))
    encoded = head(CBOR_ARRAY, len(RESULT)) + b"".join(fields)
    return encoded + item(tag(link_key, nonce, DOMAIN_RESULT, encoded))
