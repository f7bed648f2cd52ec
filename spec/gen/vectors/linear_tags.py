"""Records of linear tags (verify.md): keys, pads, frames of integers, and a weighted sum that its tag proves."""

from dataclasses import replace

from ...model.bfv import message, plaintext, small_message
from ...model.encryption import encrypt
from ...model.frame import Claims, Encoding, frame
from ...model.linear_tag import (
    MODULUS,
    Shape,
    column_tag,
    columns_evaluated,
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
from ...model.shapes import COEFFICIENTS, COEFFICIENTS_ROUNDED, SLOTS, SLOTS_REPEATED
from ...model.streams import BFV_KINDS, CHACHA20, KINDS
from .ciphertexts import SENDER, described, identity_of, pair_of, source_of
from .digest import sha3
from .inputs import counting_bytes, integers_of
from .rounded import DENSE, FILTER, GAPS, ROW_NAME, TEN, Plan, Rows, frame_values, message_of

MASTER = linear_master(counting_bytes(0x10))
FIXED = {"linear_master": {"payload_start": 0x10, "master": MASTER.hex()}}
PERIOD = 11
NAMES = ((0, 0), (3, 42), (1, 7), (1, 8), (4294967295, (1 << 64) - 1))  # (epoch, sequence)
SHAPES = (Shape(30, 30), Shape(10, 32, ROW_NAME, -15), Shape(2048, 2048, b"", 31), Shape(30, 30).of_columns(),
          Shape(10, 32, ROW_NAME, -15).of_columns(2))

ONE_TAG = 0  # in place of buckets
ONE_COLUMN = Rows(500, 1, 3, 2)

# Pairs (plan, buckets): frames have a second tag if buckets are 1, of columns, or more, of one-hot readings.
FRAMES = {
    "ckks-2048x1-air": ((Plan(1, FILTER, 12, 8, 5, (4, 0), "i32"), ONE_TAG),),
    "ckks-2048x2-air": ((Plan(2, DENSE, 20, 9, 6, (5, 1), "i32"), ONE_TAG), (Plan(2, DENSE, 20, 9, 6, (5, 1), "i32"), 1)),
    "bfv-1024x1-count": ((Plan(1, GAPS, 0, 0, 4, (2, 0), "s32"), ONE_TAG), (Plan(1, GAPS, 0, 0, 4, (2, 0), "s32"), 1),
                         (Plan(1, GAPS, 0, 0, 4, (2, 0), "s32"), 2)),
    "bfv-2048x2-air": ((Plan(2, DENSE, 0, 0, 20, (18, 13), "s32"), ONE_TAG), (Plan(2, TEN, 0, 0, 0, (0, 0), "u32"), ONE_TAG),
                       (Plan(2, DENSE, 0, 0, 20, (18, 13), "s32"), 2), (Plan(2, ONE_COLUMN, 0, 0, 0, (0, 0), "u32"), 1)),
}

# Frames of whole residues: (numbers, layout, count, stride, buckets).
WHOLE_FRAMES = {
    "bfv-1024x1-count": (("s32", SLOTS, 1024, 0, ONE_TAG), ("u32", SLOTS, 60, 4, 1), ("s32", COEFFICIENTS, 1024, 16, 4)),
    "bfv-4096x2-linear": (("u32", SLOTS, 4096, 32, 8), ("s32", SLOTS_REPEATED, 32, 0, 1), ("u32", COEFFICIENTS, 5, 0, ONE_TAG)),
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
    """Pads of the sender's device; `shared` is hidden by the pads of device 1002, too, as those of a further holder are added."""
    for shape in SHAPES:
        for epoch, sequence in NAMES:
            pad, other = (key_of(device).pad(shape, epoch, sequence) for device in (SENDER.device, 1002))
            yield {**shape_fields(shape), "epoch": epoch, "sequence": sequence, "pad": pad, "shared": (pad + other) % MODULUS}


def shape_fields(shape):
    """The fields of a record that give a shape."""
    return {"columns": shape.columns, "stride": shape.stride, "packing": shape.packing.hex(), "log2_unit": shape.log2_unit}


def frames(sets):
    """Frames with tags, under both kinds of key."""
    for entry in sets:
        for plan, buckets in FRAMES.get(entry.name, ()):
            for kind in KINDS if entry.scheme == "ckks" else BFV_KINDS:
                yield frame_record(pair_of(entry), (plan, buckets), kind)


def tags_of(entry, placed, shape, buckets):
    """The tags of a frame; `placed` are pairs (place, value), of which those in a row are shape.columns."""
    key = key_of(SENDER.device)
    first = linear_tag(key, entry.ring_degree, placed, shape, SENDER)
    if buckets == ONE_TAG:
        return first, b""
    rows = len({place // shape.stride for place, _ in placed})
    in_row = [(place % shape.stride, value) for place, value in placed]
    return first, column_tag(key, shape.of_columns(buckets), in_row, rows, SENDER)


def frame_record(pair, planned, kind):
    """One record; the reader found the tag again."""
    plan, buckets = planned
    entry, rows = pair.parameters, plan.rows
    values = frame_values(entry, plan)
    letter = {"i32": "i", "s32": "i", "u32": "I"}[plan.numbers]
    dropped = plan.public if kind % 2 else (plan.secret, 0)
    bound = plan.log2_bound if entry.scheme == "ckks" else entry.plain_modulus // 2
    claims = Claims(bound, rows.stride, max(buckets, 1), ROW_NAME)
    encoding = Encoding(plan.log2_scale, rows.count, 1, claims, COEFFICIENTS_ROUNDED, Rounding(rows.run, dropped))
    source = described(source_of(values, letter), identity_of(pair, kind, CHACHA20, plan.level), encoding, letter)
    ciphertext = encrypt(pair, message_of(entry, plan, spread(values, rows.places, entry.ring_degree)), source, kind, CHACHA20,
                         plan.level)
    tags = tags_of(entry, list(zip(rows.places, values)), Shape(rows.columns, rows.stride, ROW_NAME), buckets)
    part, = frame(pair, ciphertext, SENDER, encoding, b"".join(tags))
    assert parse_part(part, [entry], SENDER.device_key)["linear"] == b"".join(tags)
    return {"set": entry.name, "kind": kind, "numbers": plan.numbers, "log2_scale": plan.log2_scale,
            "log2_bound": plan.log2_bound, "level": plan.level, **vars(rows), "dropped_0": dropped[0], "dropped_1": dropped[1],
            "packing": ROW_NAME.hex(), "buckets": max(buckets, 1), **tag_fields(tags), "bytes": len(part), "sha3": sha3(part)}


def tag_fields(tags):
    """The fields of a record that give the tags of a frame."""
    return {"linear_tag": tags[0].hex(), "column_tag": tags[1].hex()}


def whole_frames(sets):
    """Frames of whole residues with tags, under both kinds of key."""
    for entry in sets:
        for plan in WHOLE_FRAMES.get(entry.name, ()):
            for kind in BFV_KINDS:
                yield whole_record(pair_of(entry), plan, kind)


def whole_record(pair, plan, kind):
    """One record; the reader found the tags again, in the last part."""
    entry, (rule, layout, count, stride, buckets) = pair.parameters, plan
    level, letter = len(entry.data_primes), {"s32": "i", "u32": "I"}[rule]
    values = integers_of(count, rule, entry.plain_modulus)
    encoding = Encoding(0, count, 1, Claims(entry.plain_modulus // 2, stride, max(buckets, 1), ROW_NAME), layout)
    source = described(source_of(values, letter), identity_of(pair, kind, CHACHA20, level), encoding, letter)
    small = message(small_message(plaintext(values, entry, layout), entry, level), entry, level)
    ciphertext = encrypt(pair, small, source, kind, CHACHA20, level)
    step = stride or count
    tags = tags_of(entry, list(enumerate(values)), Shape((count - 1) % step + 1, step, ROW_NAME), buckets)
    parts = frame(pair, ciphertext, SENDER, encoding, b"".join(tags))
    found = [parse_part(part, [entry], SENDER.device_key)["linear"] for part in parts]
    assert found == [b""] * (level - 1) + [b"".join(tags)]
    return {"set": entry.name, "kind": kind, "numbers": rule, "layout": layout, "count": count, "stride": stride,
            "packing": ROW_NAME.hex(), "buckets": max(buckets, 1), **tag_fields(tags), "bytes": sum(map(len, parts)),
            "sha3": sha3(b"".join(parts))}


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


def column_sums():
    """Sums of columns of two devices, over frames of different numbers of rows, and what their tags prove."""
    for shape, buckets in ((Shape(3, 4, ROW_NAME), 1), (Shape(1, 1), 1), (Shape(8, 8, ROW_NAME), 4)):
        yield column_sum_record(shape, buckets)


def column_sum_record(shape, buckets):
    """One record; its tag proves the sums and the number of rows, and no others."""
    columns = shape.of_columns(buckets)
    entered, tags, pads_of, total, all_rows = [], [], [], [0] * columns.columns, 0
    for device, sequence, rows in ((1001, 0, 1), (1001, 7, 5), (1002, 8, 300)):
        sender, key = replace(SENDER, device=device, sequence=sequence), key_of(device)
        values = [(number, (row * 37 + number * 11 + sequence) % 401 - 200)
                  for row in range(rows) for number in range(shape.columns)]
        for number, value in values:
            total[number % columns.columns] += value
        tags.append((column_tag(key, columns, values, rows, sender), 1))
        pads_of.append((key.pad(columns, SENDER.epoch, sequence), 1))
        entered.append([device, SENDER.epoch, sequence, rows])
        all_rows += rows
    tag, point = folded(tags), key_of(1001).point
    polynomial = columns_evaluated(point, columns, enumerate(total), all_rows)
    assert proves(tag, PERIOD, polynomial, pads_of)
    lie = columns_evaluated(point, columns, enumerate(total), all_rows + 1)
    assert proves(tag, PERIOD, lie, pads_of) == (buckets > 1)
    return {**shape_fields(columns), "period": PERIOD, "point": point, "entered": entered,
            "tags": [data.hex() for data, _ in tags], "values": total, "rows": all_rows, "linear_tag": tag.hex()}
