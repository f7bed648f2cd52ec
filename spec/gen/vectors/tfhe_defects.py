"""Malformed TFHE frames, each with one named defect. The tag is right for the bytes before it, unless the tag is the defect."""

from dataclasses import replace

from ...model.frame import head, item, seal_part
from ...model.streams import derive_tfhe_root
from ...model.tfhe import TFHE_PUBLIC, TFHE_SECRET, TfheKeyPair, blocks_of, packed_words, tfhe_encrypt
from ...model.tfhe_frame import schema_item
from ...model.wire_codes import CBOR_ARRAY, DOMAIN_TFHE_FRAME, TFHE_FRAME
from ...model.wire_codes import VERSION as VERSION_NUMBER
from .ciphertexts import SEEDS, SENDER, SOURCE
from .inputs import counting_bytes

SET_NAME, OTHER_NAME = "tfhe-1024-tuniform", "tfhe-2048-tfhe-rs"
VERSION, KIND, SUITE, KEY, EPOCH, SEQUENCE, NONCE, WIDTH, SCHEMA, COLUMNS, PACKING, BODIES = map(TFHE_FRAME.index, (
    "version", "kind", "suite", "key", "epoch", "sequence", "nonce", "width", "schema", "columns", "packing", "bodies"))
ONE_BYTE = ((2, 1),)
STRANGER = replace(SENDER, device_key=counting_bytes(0x10))
PART_DOMAIN = 0


class Frames:
    """Builds variants of one good frame, a single u8 under a secret key."""

    def __init__(self, parameters):
        pair = TfheKeyPair(parameters, SEEDS)
        root = derive_tfhe_root(SOURCE, 1, TFHE_SECRET, pair.key_id, parameters.set_id)
        ciphertext = tfhe_encrypt(pair, blocks_of(parameters, ONE_BYTE, [0xA5]), root, TFHE_SECRET, 1)
        bodies = packed_words(ciphertext.body, parameters)
        numbers = [VERSION_NUMBER, TFHE_SECRET, 1, pair.key_id, SENDER.device, SENDER.epoch, SENDER.sequence, root.nonce]
        self.width = parameters.word_bytes
        self.values = [*numbers, self.width, ONE_BYTE, 1, b"", bodies]
        self.good = self.frame()

    def frame(self, changes=None, encodings=None, array=None, sender=SENDER, domain=DOMAIN_TFHE_FRAME):
        """The frame with some fields changed, some fields encoded as given bytes, or another array head."""
        values = list(self.values)
        for index, value in (changes or {}).items():
            values[index] = value
        items = [schema_item(value) if index == SCHEMA else item(value) for index, value in enumerate(values)]
        for index, encoded in (encodings or {}).items():
            items[index] = encoded
        encoded = (array or head(CBOR_ARRAY, len(TFHE_FRAME))) + b"".join(items)
        return seal_part(encoded, self.values[NONCE], domain, sender.device_key)


def truncated(frames):
    for length in (0, 1, 20, 60, len(frames.good) - 1):
        yield f"only the first {length} bytes", frames.good[:length]


def trailing(frames):
    yield "one more byte", frames.good + b"\0"
    yield "the frame twice", 2 * frames.good


def wrong_type(frames):
    yield "packing as text", frames.frame(encodings={PACKING: b"\x60"})


def not_canonical(frames):
    values = frames.values
    yield "version in two bytes", frames.frame(encodings={VERSION: b"\x18\x02"})
    yield "sequence in nine bytes", frames.frame(encodings={SEQUENCE: b"\x1b" + values[SEQUENCE].to_bytes(8, "big")})
    yield "length of the bodies in four bytes", frames.frame(encodings={BODIES: b"\x5a" + len(values[BODIES]).to_bytes(4, "big")
                                                                       + values[BODIES]})
    yield "schema of indefinite length", frames.frame(encodings={SCHEMA: b"\x9f\x02\x01\xff"})
    yield "a count of the schema in two bytes", frames.frame(encodings={SCHEMA: b"\x82\x02\x18\x01"})
    yield "columns in two bytes", frames.frame(encodings={COLUMNS: b"\x18\x01"})
    yield "array length in two bytes", frames.frame(array=b"\x98" + bytes([len(TFHE_FRAME)]))
    sealed = frames.good
    yield "tag length in two bytes", sealed[:-17] + b"\x58\x10" + sealed[-16:]


def unknown(frames):
    yield "unknown_version", "version 0", frames.frame({VERSION: 0})
    yield "unknown_version", "version 1", frames.frame({VERSION: 1})
    yield "unknown_version", "version 3", frames.frame({VERSION: 3})
    yield "unknown_kind", "kind 7", frames.frame({KIND: 7})
    yield "unknown_suite", "suite 0", frames.frame({SUITE: 0})
    yield "unknown_suite", "suite 3", frames.frame({SUITE: 3})
    yield "unknown_suite", "suite 5", frames.frame({SUITE: 5})


def lengths(frames):
    bodies = frames.values[BODIES]
    yield "key of fifteen bytes", frames.frame({KEY: frames.values[KEY][:15]})
    yield "nonce of seventeen bytes", frames.frame({NONCE: frames.values[NONCE] + b"\0"})
    yield "bodies one byte short", frames.frame({BODIES: bodies[:-1]})
    yield "bodies one byte long", frames.frame({BODIES: bodies + b"\0"})
    yield "packing of fifteen bytes", frames.frame({PACKING: bytes(15)})
    yield "packing of seventeen bytes", frames.frame({PACKING: bytes(17)})
    yield "no bodies", frames.frame({BODIES: b""})
    yield "half of the width, whole bodies", frames.frame({WIDTH: frames.width // 2})
    yield "public key, without a mask", frames.frame({KIND: TFHE_PUBLIC})
    yield "a schema of three numbers", frames.frame(encodings={SCHEMA: b"\x83\x02\x01\x01"})
    yield "no schema", frames.frame({SCHEMA: ()})
    yield "nine runs", frames.frame({SCHEMA: tuple((1 + run % 2, 1) for run in range(9))})
    yield "one coefficient more than the ring has", frames.frame({SCHEMA: ((1, 1025),), BODIES: bytes(1025 * frames.width)})


def ranges(frames):
    yield "columns 0", frames.frame({COLUMNS: 0})
    yield "two columns of one value", frames.frame({COLUMNS: 2})
    yield "width 0", frames.frame({WIDTH: 0})
    yield "width 3", frames.frame({WIDTH: 3})
    yield "epoch 2^32", frames.frame({EPOCH: 1 << 32})
    yield "type 0", frames.frame({SCHEMA: ((0, 1),)})
    yield "type 10", frames.frame({SCHEMA: ((10, 1),)})
    yield "count 0", frames.frame({SCHEMA: ((2, 0),)})
    yield "count 2^16", frames.frame({SCHEMA: ((2, 1 << 16),)})
    yield "two neighbours of one type", frames.frame({SCHEMA: ((1, 4), (1, 4))})


def wrong_tag(frames):
    good = frames.good
    yield "last bit of the tag flipped", good[:-1] + bytes([good[-1] ^ 1])
    yield "one bit of the bodies flipped", good[:-30] + bytes([good[-30] ^ 1]) + good[-29:]
    untagged = frames.frame({SEQUENCE: SENDER.sequence + 1})
    yield "replayed under another sequence", untagged[:-17] + good[-17:]
    untagged = frames.frame({SUITE: 4})
    yield "another suite", untagged[:-17] + good[-17:]
    yield "under another device's key", frames.frame(sender=STRANGER)
    yield "sealed as a part", frames.frame(domain=PART_DOMAIN)


def duplicates(frames):
    yield "replayed", frames.good
    yield "other bodies under the same name", frames.frame({BODIES: bytes(len(frames.values[BODIES]))})


def tfhe_defect_records(sets):
    """{set, error, defect, hex} of every malformed frame. The set belongs to the key under which the frame is read."""
    frames, others = (Frames(next(entry for entry in sets if entry.name == name)) for name in (SET_NAME, OTHER_NAME))
    named = {"truncated": truncated, "trailing_bytes": trailing, "wrong_type": wrong_type, "not_canonical": not_canonical,
             "length": lengths,
             "out_of_range": ranges, "tag": wrong_tag, "duplicate": duplicates}
    found = [(SET_NAME, error, *defect) for error, defects in named.items() for defect in defects(frames)]
    found += [(SET_NAME, *defect) for defect in unknown(frames)]
    found.append((SET_NAME, "out_of_range", f"a frame of {OTHER_NAME}", others.good))
    found.append((OTHER_NAME, "length", f"a frame of {SET_NAME}", frames.good))
    return [{"set": name, "error": error, "defect": defect, "hex": data.hex()} for name, error, defect, data in found]


def tfhe_good_record(sets):
    """The frame from which the defects start. It is accepted before they come."""
    parameters = next(entry for entry in sets if entry.name == SET_NAME)
    return {"set": SET_NAME, "hex": Frames(parameters).good.hex()}
