"""Records of contexts and packets (packet.md), each opened and decrypted by the model before it is written."""

from dataclasses import dataclass

from ...model import wire_codes as wire
from ...model.packet import Context, Window, decrypt_packet, open_packet, packet, random_counter
from ...model.rounding import spread
from ...model.siphash import siphash
from ...model.streams import CHACHA20, Sender
from ...model.tfhe import TfheKeyPair, blocks_of, decode_blocks, phases
from ...model.tfhe_packet import TfheContext, open_tfhe_packet, tfhe_packet
from ...model.tfhe_sampling import expand_mask
from .ciphertexts import SEEDS, SENDER, SOURCE, VALUE_TYPES, pair_of
from .inputs import bytes_of, counting_bytes, integers_of, numbers_of
from .rounded import ROW_NAME, Plan, Rows, message_of
from .tfhe import values_for

SEQUENCES = (42, (1 << 16) - 1, (1 << 40) + 17)


@dataclass(frozen=True)
class PacketPlan:
    """One packet: its rows, numbers and dropped bits, and the fields of the context that give its form."""

    rows: Rows
    numbers: str
    dropped: int
    log2_scale: int = 0
    log2_unit: int = 0
    number: int = 0
    naming: int = wire.NAMING_SEQUENCE
    device_bytes: int = 4
    tag_bytes: int = 8
    sequence: int = SEQUENCES[0]
    packing: bytes = b""


ONE, TEN, ROWS = Rows(1, 1, 1, 1), Rows(1, 10, 10, 10), Rows(3, 7, 40, 9)
FEW, MANY = Rows(1, 40, 40, 40), Rows(12, 30, 34, 32)

PLANS = {
    "ckks-1024x1-sum": (
        PacketPlan(ONE, "h12", 5, 18, -11, sequence=SEQUENCES[1]),
        PacketPlan(TEN, "h12", 5, 18, -11, 63, packing=ROW_NAME),
        PacketPlan(ONE, "h12", 5, 18, -11, 1, device_bytes=2, tag_bytes=4, sequence=SEQUENCES[2]),
        PacketPlan(TEN, "i12", 0, 10, -12, 2, wire.NAMING_RANDOM, 0, 16), PacketPlan(ROWS, "i12", 3, 12, -13, 3)),
    "ckks-2048x1-air": (PacketPlan(TEN, "h12", 7, 15, -11), PacketPlan(FEW, "i12", 0, 22, -12, 5)),
    "bfv-1024x1-count": (PacketPlan(ONE, "s32", 4), PacketPlan(TEN, "u32", 4, number=9),
                         PacketPlan(ROWS, "s32", 0, tag_bytes=16)),
    "bfv-2048x1-count": (PacketPlan(TEN, "s32", 7), PacketPlan(MANY, "u32", 5, number=6, packing=ROW_NAME)),
}
LETTERS = {"h12": "h", "i12": "i", "s32": "i", "u32": "I"}


def packets(sets):
    """One record for each plan of a set."""
    for entry in sets:
        for plan in PLANS.get(entry.name, ()):
            yield record(entry, plan)


def record(entry, plan):
    """A context with its announcement, and a packet of it under the sender's epoch."""
    rows, pair = plan.rows, pair_of(entry)
    values, context = values_of(entry, plan), context_of(pair, plan)
    wanted = message(entry, plan, spread(values, rows.places, entry.ring_degree))
    counter = random_counter(SOURCE.entropy) if plan.naming else plan.sequence
    sequence = context.name_of(counter) if plan.naming else counter
    sender, letter = Sender(SENDER.device_key, SENDER.device, SENDER.epoch, sequence), LETTERS[plan.numbers]
    data = packet(context, sender, SOURCE.entropy, (VALUE_TYPES[letter], plan.log2_unit, bytes_of(values, letter)), wanted)
    check(context, sequence, data, wanted)
    return {"set": entry.name, "kind": context.frame, "numbers": plan.numbers, "log2_scale": plan.log2_scale,
            "log2_unit": plan.log2_unit, "bound": bound_of(entry), **vars(rows), "dropped": plan.dropped, "number": plan.number,
            "naming": plan.naming, "device_bytes": plan.device_bytes, "tag_bytes": plan.tag_bytes, "packing": plan.packing.hex(),
            "counter": counter, "context": context.item(SENDER.device_key, SENDER.epoch, SENDER.sequence).hex(),
            "context_key": context.key(SENDER.device_key).hex(), "packet": data.hex()}


def bound_of(entry):
    """Values of CKKS are within 1, those of BFV within t/2."""
    return entry.plain_modulus // 2


def values_of(entry, plan):
    """Integers, row after row without gaps."""
    count = plan.rows.rows * plan.rows.columns
    if entry.scheme == "bfv":
        return integers_of(count, plan.numbers, entry.plain_modulus)
    return numbers_of(count, "i32", 11)


def message(entry, plan, values):
    """The message of n values."""
    numbers = [value * 2.0 ** plan.log2_unit for value in values] if entry.scheme == "ckks" else values
    return message_of(entry, Plan(1, plan.rows, plan.log2_scale, 0, plan.dropped, (0, 0), plan.numbers), numbers)


def context_of(pair, plan):
    """The context of a plan."""
    rows, scheme = plan.rows, pair.parameters.scheme
    return Context(pair, wire.KIND_CKKS_SECRET if scheme == "ckks" else wire.KIND_BFV_SECRET, SENDER.device, plan.number,
                   plan.log2_scale, rows.count, bound_of(pair.parameters), rows.stride, rows.run, plan.dropped,
                   packing=plan.packing, naming=plan.naming, device_bytes=plan.device_bytes, tag_bytes=plan.tag_bytes)


def check(context, sequence, data, wanted):
    """Reads the packet as a server and its owner do."""
    window = Window(SENDER.epoch, sequence - 1)
    found, seed, sent = open_packet(context, SENDER.device_key, window, data)
    noisy = decrypt_packet(context, seed, sent)
    least, modulus = 21 + (1 << context.dropped >> 1), context.modulus
    differences = [(value - wanted[place]) % modulus for value, place in zip(noisy, context.places)]
    assert found == sequence and all(min(value, modulus - value) <= least for value in differences)


TFHE_PLANS = {"tfhe-2048-tfhe-rs": (((2, 16),), ((1, 3), (6, 2))), "tfhe-1024-tuniform": (((1, 9),), ((3, 1), (2, 2)))}


def tfhe_packets(sets):
    """Two records for some sets: one type of values, and two; a counter, and random bytes."""
    for entry in sets:
        for naming, schema in enumerate(TFHE_PLANS.get(entry.name, ())):
            yield tfhe_record(TfheKeyPair(entry, SEEDS), schema, naming)


def tfhe_record(pair, schema, naming):
    """A context with its announcement, and a packet of it, opened and decrypted first."""
    context = TfheContext(pair, SENDER.device, 7, schema, packing=ROW_NAME if naming else b"", naming=naming)
    counter = random_counter(SOURCE.entropy) if naming else SEQUENCES[0]
    sequence = context.name_of(counter) if naming else counter
    sender = Sender(SENDER.device_key, SENDER.device, SENDER.epoch, sequence)
    blocks = blocks_of(pair.parameters, schema, values_for(schema))
    data = tfhe_packet(context, sender, SOURCE.entropy, blocks)
    found, nonce, bodies = open_tfhe_packet(context, SENDER.device_key, Window(SENDER.epoch, sequence - 1), data)
    mask = expand_mask(pair.parameters, CHACHA20, nonce, pair.key_id)
    assert found == sequence and decode_blocks(pair.parameters, phases(pair, mask, bodies)) == blocks
    return {"set": pair.parameters.name, "schema": "+".join(f"{kind}*{count}" for kind, count in schema), "naming": naming,
            "packing": context.packing.hex(), "counter": counter,
            "context": context.item(SENDER.device_key, SENDER.epoch, SENDER.sequence).hex(),
            "context_key": context.key(SENDER.device_key).hex(), "packet": data.hex()}


def siphashes():
    """Outputs of both lengths, of counting bytes from 0."""
    key = counting_bytes(0, 16)
    return [{"length": length, "sip64": siphash(key, counting_bytes(0, length)).hex(),
             "sip128": siphash(key, counting_bytes(0, length), 16).hex()} for length in (0, 1, 7, 8, 9, 15, 16, 63, 257)]
