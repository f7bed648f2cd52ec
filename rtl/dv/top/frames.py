"""Frames of the engine: what a part's header is, and the bytes of whole parts by the model."""
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rtl.dv.tag.test_framer import BEAT, header_pieces
from rtl.dv.top.engine import NO_ERROR, Command, Engine
from spec.model import wire_codes as wire
from spec.model.encryption import Ciphertext
from spec.model.frame import Encoding, frame, head, item, part_fields
from spec.model.keys import KeyPair
from spec.model.streams import Sender

NONCE_BYTES = 12  # of software; the number of the frame follows


@dataclass(frozen=True)
class Framed:
    """A ciphertext, and what the frame says about it."""

    pair: KeyPair
    ciphertext: Ciphertext
    sender: Sender
    encoding: Encoding

    def named(self, nonce: bytes) -> "Framed":
        """This frame under another nonce."""
        root = replace(self.ciphertext.root, nonce=nonce)
        return replace(self, ciphertext=replace(self.ciphertext, root=root))

    def headers(self) -> list[bytes]:
        """The bytes of every part before its residues, with their head."""
        start = head(wire.CBOR_ARRAY, len(wire.PART))
        return [start + b"".join(map(item, fields)) + head(wire.CBOR_BYTES, len(body))
                for *fields, body in part_fields(self.pair, self.ciphertext, self.sender,
                                                 self.encoding)]

    def parts(self) -> list[bytes]:
        """Whole parts, each to the end of a beat."""
        found = frame(self.pair, self.ciphertext, self.sender, self.encoding)
        return [part + bytes(-len(part) % BEAT) for part in found]


@dataclass(frozen=True)
class Inputs:
    """Inputs of the engine for a framed encryption."""

    command: Command
    samples: Sequence[int]
    public: Sequence[int]
    cut: int = 0


class Frames:
    """An engine that makes frames, and their number so far."""

    def __init__(self, unit: Engine):
        self.unit, self.number = unit, 0

    def begin(self, framed: Framed, inputs: Inputs) -> Framed:
        """Gives everything for the next frame; the frame that comes."""
        unit, dut, root = self.unit, self.unit.dut, framed.ciphertext.root
        self.number += 1
        first = random.randbytes(NONCE_BYTES)
        named = framed.named(first + struct.pack("<I", self.number))
        unit.forget()
        unit.set_root(root.mask_seed, root.noise_key)
        dut.tag_key_i.value = int.from_bytes(framed.sender.device_key, "little")
        dut.frame_nonce_i.value = int.from_bytes(first, "little")
        dut.frame_cut_i.value = inputs.cut
        for header in named.headers():
            unit.headers.add(header_pieces(header))
        unit.give(replace(inputs.command, framed=1), inputs.samples, inputs.public)
        return named

    async def well(self, framed: Framed, inputs: Inputs, limit: int = 2_000_000) -> int:
        """Makes a frame, whose parts must be the model's; the cycles."""
        named = self.begin(framed, inputs)
        taken = await self.unit.until_ended(limit)
        name = f"{framed.pair.parameters.name}, kind {framed.ciphertext.kind}"
        assert self.unit.error == NO_ERROR, f"{name}: error {self.unit.error}"
        assert int(self.unit.dut.frame_number_o.value) == self.number
        parts = named.parts()
        assert self.unit.polynomials() == len(parts), name
        assert self.unit.collected() == b"".join(parts), f"{name}: wrong bytes"
        return taken
