"""Records of pads (pad.md): packets, each opened by the model before it is written, and sums with the keys that open them."""

from dataclasses import replace
from functools import partial

from ...model.packet import Window
from ...model.pad import (
    LAST,
    PadContext,
    Run,
    device_pad_key,
    grant,
    open_pad_packet,
    open_sum,
    pad,
    pad_from,
    pad_key_id,
    pad_packet,
    range_key,
    reduced,
    sum_fields,
)
from .ciphertexts import SENDER
from .inputs import counting_bytes, integers_of
from .rounded import ROW_NAME

MASTER = counting_bytes(0x20)
KEY = device_pad_key(MASTER, SENDER.device)
FIXED = {"pad_master": {"pad_master_start": 0x20}}
TEN = PadContext(pad_key_id(MASTER), SENDER.device, 0, 2, 10, 2047, device_bytes=2)
# Contexts, with the sequences of their packets: the first, inside of sixteen, at their end, at that of 4,096, the last of all.
PLANS = (
    (TEN, (0, 42, 15, 4095, LAST)),
    (replace(TEN, number=63, columns=1, bound=32767, device_bytes=0, tag_bytes=4), (1, 65535)),
    (replace(TEN, number=1, width=3, bound=8388607, packing=ROW_NAME, device_bytes=4, tag_bytes=16), (1 << 20,)),
    (replace(TEN, number=2, width=4, columns=33, bound=2147483647, ratchet=1), (42, (1 << 28) - 1)),
)


def values(context):
    """Integers within the bound."""
    return integers_of(context.columns, "s32", 2 * context.bound + 1)


def fields(context):
    """The fields of a record that give the context."""
    names = ("number", "width", "columns", "bound", "ratchet", "device_bytes", "tag_bytes")
    return {**{name: getattr(context, name) for name in names}, "packing": context.packing.hex()}


def packets():
    """Contexts with their announcements, and packets under the sender's epoch."""
    for context, sequences in PLANS:
        root = context.root(KEY, SENDER.epoch)
        for sequence in sequences:
            sender = replace(SENDER, sequence=sequence)
            data, window = pad_packet(context, sender, root, values(context)), Window(SENDER.epoch, sequence - 1)
            found, sums = open_pad_packet(context, SENDER.device_key, window, data)
            run = Run(SENDER.epoch, sequence, sequence)
            assert found == sequence and open_sum(context, sums, [run], partial(pad, context, root)) == values(context)
            item = context.item(SENDER.device_key, SENDER.epoch, SENDER.sequence)
            yield {**fields(context), "counter": sequence, "key": context.key_id.hex(), "pad_key": KEY.hex(),
                   "context": item.hex(), "context_key": context.key(SENDER.device_key).hex(), "root": root.hex(),
                   "packet": data.hex()}


def sums():
    """Sums of runs with two weights, the packets they are of, and the range key that opens them."""
    context, epoch = replace(TEN, columns=3, bound=100), SENDER.epoch
    root = context.root(KEY)
    runs, total, true, sent = [Run(epoch, 250, 273, 3), Run(epoch, 275, 277, -2)], [0] * 3, [0] * 3, []
    for run in runs:
        for sequence in range(run.first, run.last + 1):
            numbers = [sequence % 101, -(sequence % 50), 100]
            data = pad_packet(context, replace(SENDER, sequence=sequence), root, numbers)
            _, hidden = open_pad_packet(context, SENDER.device_key, Window(epoch, sequence - 1), data)
            total = reduced(context, [value + run.weight * c for value, c in zip(total, hidden)])
            true = [value + run.weight * m for value, m in zip(true, numbers)]
            sent.append(data)
    entries = range_key(context, root, epoch, 250, 278)
    opened = open_sum(context, total, runs, partial(pad_from, context, entries))
    assert opened == true
    link = counting_bytes(0x60)
    yield {**fields(context), "epoch": epoch, "runs": [[run.first, run.last, run.weight] for run in runs],
           "packets": "".join(data.hex() for data in sent), "total": total, "first": 250, "last": 278, "range_key": [
               [node.depth, node.number, node.data.hex()] for node in entries], "true": true, "link": link.hex(),
           "grant": grant(context, link, epoch, entries, (250, 278)).hex(), "sum": sum_fields(context, runs, total).hex()}
