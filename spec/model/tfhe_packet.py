"""Packets of TFHE (packet.md, section 9): rounded bodies of a frame whose nonce follows from the packet's name."""

from dataclasses import dataclass

from . import wire_codes as wire
from .frame import head, item
from .packet import Described, authentic, header, noise_key, packet_keys, packet_tag
from .streams import CHACHA20, Root
from .tfhe import TFHE_SECRET, TYPE_BITS, packed_blocks, packed_words, rounded, tfhe_encrypt
from .tfhe_frame import schema_item

WIDTH = 2  # bytes of a body


@dataclass(frozen=True)
class TfheContext(Described):
    """Everything that the packets of a context have in common: the fields of the item with these names."""

    pair: object
    device: int
    number: int
    schema: tuple
    columns: int = 0
    packing: bytes = b""
    naming: int = wire.NAMING_SEQUENCE
    device_bytes: int = 4
    tag_bytes: int = 8

    @property
    def description(self):
        """The bytes of the item up to the announcement."""
        columns = self.columns or sum(count for _, count in self.schema)
        first = [wire.VERSION, wire.KIND_TFHE_CONTEXT, CHACHA20, self.pair.key_id, self.device, self.number]
        last = [columns, self.packing, self.naming, self.device_bytes, self.tag_bytes]
        encoded = head(wire.CBOR_ARRAY, len(wire.TFHE_CONTEXT)) + b"".join(map(item, first))
        return encoded + schema_item(self.schema) + b"".join(map(item, last))

    @property
    def body_bytes(self):
        """The length of the bodies."""
        bits = self.pair.parameters.message_bits
        return WIDTH * sum(-(-TYPE_BITS[kind] // bits) * count for kind, count in self.schema)


def nonce_of(keys):
    """The nonce of the frame that a packet stands for."""
    return keys.mask_seed[:wire.NONCE_BYTES]


def tfhe_packet(context, sender, entropy, blocks):
    """A packet under the sender's name."""
    parameters, keys = context.pair.parameters, packet_keys(context.key(sender.device_key), sender.epoch, sender.sequence)
    nonce, secret_noise = nonce_of(keys), noise_key(keys, entropy, 0, 0, packed_blocks(blocks))
    ciphertext = tfhe_encrypt(context.pair, blocks, Root(nonce, secret_noise, nonce), TFHE_SECRET, CHACHA20)
    sealed = header(context, sender.sequence) + packed_words(rounded(parameters, ciphertext.body, WIDTH), parameters, WIDTH)
    return sealed + packet_tag(context, keys, sealed)


def open_tfhe_packet(context, device_key, window, data):
    """(sequence, nonce, bodies) of an authentic packet; Malformed for any other."""
    sequence, keys, packed = authentic(context, device_key, window, data)
    shift = context.pair.parameters.log2_modulus - 8 * WIDTH
    bodies = [int.from_bytes(packed[at:at + WIDTH], "little") << shift for at in range(0, len(packed), WIDTH)]
    return sequence, nonce_of(keys), bodies
