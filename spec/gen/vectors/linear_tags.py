"""Records of linear tags (verify.md): keys, pads, frames of integers, and a weighted sum that its tag proves."""

from dataclasses import replace

from ...model.encryption import encrypt
from ...model.frame import Claims, Encoding, frame
from ...model.linear_tag import (
    Shape,
    device_secret,
    evaluated,
    folded,
    group_secret,
    linear_master,
    linear_tag,
    proves,
    tag_key,
)
from ...model.parse import parse_part
from ...model.rounding import Rounding, spread
from ...model.shapes import COEFFICIENTS_ROUNDED
from ...model.streams import BFV_KINDS, CHACHA20, KINDS
from .ciphertexts import SENDER, described, identity_of, pair_of, source_of
from .digest import sha3
from .inputs import counting_bytes
from .rounded import DENSE, FILTER, GAPS, ROW_NAME, TEN, Plan, frame_values, message_of

MASTER = linear_master(counting_bytes(0x10))
FIXED = {"linear_master": {"payload_start": 0x10, "master": MASTER.hex()}}
PERIOD = 11
NAMES = ((0, 0), (3, 42), (1, 7), (1, 8), (4294967295, (1 << 64) - 1))  # (epoch, sequence)
SHAPES = (Shape(30, 30), Shape(10, 32, ROW_NAME, -15), Shape(2048, 2048, b"", 31))

FRAMES = {
    "ckks-2048x1-air": (Plan(1, FILTER, 12, 8, 5, (4, 0), "i32"),),
    "ckks-2048x2-air": (Plan(2, DENSE, 20, 9, 6, (5, 1), "i32"),),
    "bfv-1024x1-count": (Plan(1, GAPS, 0, 0, 4, (2, 0), "s32"),),
    "bfv-2048x2-air": (Plan(2, DENSE, 0, 0, 20, (18, 13), "s32"), Plan(2, TEN, 0, 0, 0, (0, 0), "u32")),
}


def key_of(device, period=PERIOD):
    """The keys of a device of group 0."""
    return tag_key(group_secret(MASTER, 0, period), device_secret(MASTER, device, period), period)


def keys():
    """Secrets and keys of groups, devices and periods."""
    for group, device, period in ((0, 1001, 0), (0, 1001, PERIOD), (0, 1002, PERIOD), (7, (1 << 64) - 1, 1)):
        secrets = group_secret(MASTER, group, period), device_secret(MASTER, device, period)
        key = tag_key(*secrets, period)
        yield {"group": group, "device": device, "period": period, "group_secret": secrets[0].hex(),
               "device_secret": secrets[1].hex(), "point": key.point, "pad_key": key.pad_key.hex()}


def pads():
    """Pads of the sender's device."""
    for shape in SHAPES:
        for epoch, sequence in NAMES:
            pad = key_of(SENDER.device).pad(shape, epoch, sequence)
            yield {**shape_fields(shape), "epoch": epoch, "sequence": sequence, "pad": pad}


def shape_fields(shape):
    """The fields of a record that give a shape."""
    return {"columns": shape.columns, "stride": shape.stride, "packing": shape.packing.hex(), "log2_unit": shape.log2_unit}


def frames(sets):
    """Frames with tags, under both kinds of key."""
    for entry in sets:
        for plan in FRAMES.get(entry.name, ()):
            for kind in KINDS if entry.scheme == "ckks" else BFV_KINDS:
                yield frame_record(pair_of(entry), plan, kind)


def frame_record(pair, plan, kind):
    """One record; the reader found the tag again."""
    entry, rows = pair.parameters, plan.rows
    values = frame_values(entry, plan)
    letter = {"i32": "i", "s32": "i", "u32": "I"}[plan.numbers]
    dropped = plan.public if kind % 2 else (plan.secret, 0)
    bound = plan.log2_bound if entry.scheme == "ckks" else entry.plain_modulus // 2
    encoding = Encoding(plan.log2_scale, rows.count, 1, Claims(bound, rows.stride, 1, ROW_NAME), COEFFICIENTS_ROUNDED,
                        Rounding(rows.run, dropped))
    source = described(source_of(values, letter), identity_of(pair, kind, CHACHA20, plan.level), encoding, letter)
    ciphertext = encrypt(pair, message_of(entry, plan, spread(values, rows.places, entry.ring_degree)), source, kind, CHACHA20,
                         plan.level)
    shape = Shape(rows.columns, rows.stride, ROW_NAME)
    tag = linear_tag(key_of(SENDER.device), entry.ring_degree, list(zip(rows.places, values)), shape, SENDER)
    part, = frame(pair, ciphertext, SENDER, encoding, tag)
    assert parse_part(part, [entry], SENDER.device_key)["linear"] == tag
    return {"set": entry.name, "kind": kind, "numbers": plan.numbers, "log2_scale": plan.log2_scale,
            "log2_bound": plan.log2_bound, "level": plan.level, **vars(rows), "dropped_0": dropped[0], "dropped_1": dropped[1],
            "packing": ROW_NAME.hex(), "linear_tag": tag.hex(), "bytes": len(part), "sha3": sha3(part)}


def sums():
    """Weighted sums of two devices, and what their tags prove."""
    for degree, shape in ((1024, Shape(3, 4, ROW_NAME)), (2048, Shape(5, 5, b"", -3))):
        yield sum_record(degree, shape)


def sum_record(degree, shape):
    """One record; its tag proves the values and no others."""
    entered, total, tags, pads_of = [], {}, [], []
    places = [shape.stride * row + column for row in range(2) for column in range(shape.columns)]
    for device, sequence, weight in ((1001, 0, 1), (1001, 7, 3), (1001, 8, -2), (1002, 8, 2147483647)):
        sender, key = replace(SENDER, device=device, sequence=sequence), key_of(device)
        values = [(place, (place * 37 + sequence * 11) % 401 - 200) for place in places]
        for place, value in values:
            total[place] = total.get(place, 0) + weight * value
        tags.append((linear_tag(key, degree, values, shape, sender), weight))
        pads_of.append((key.pad(shape, SENDER.epoch, sequence), weight))
        entered.append([device, SENDER.epoch, sequence, weight])
    tag, point = folded(tags), key_of(1001).point
    assert proves(tag, PERIOD, evaluated(point, degree, total.items()), pads_of)
    assert not proves(tag, PERIOD, evaluated(point, degree, {**total, 0: total[0] + 1}.items()), pads_of)
    return {**shape_fields(shape), "ring_degree": degree, "period": PERIOD, "point": point, "entered": entered,
            "tags": [data.hex() for data, _ in tags], "values": [total[place] for place in places], "rows": 2,
            "linear_tag": tag.hex()}
