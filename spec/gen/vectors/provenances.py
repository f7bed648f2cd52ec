"""Records of packings of columns, of requests and of manifests (wire.md, sections 1 and 3)."""

from ...model.provenance import Columns, encoded, manifest, origin, request_digest
from .inputs import counting_bytes

COLUMNS = (
    Columns(("radius",)),
    Columns(("radius", "texture"), (14.125, 19.25), (3.5, 4.25)),
    Columns(("temperature",), edges=(-10.0, 0.0, 10.0, 20.0)),
    Columns(("\u00e4", "")),
)
REQUESTS = (
    ("mean", ()),
    ("model", (0.5, -1.25, 3.0, "radius", "texture")),
    ("histogram", (4, b"\0\1")),
)
FRAMES = (
    ((1, 1, 0, 1),),
    ((1001, 3, 44, 4), (1001, 3, 42, 4), (1001, 3, 43, 4), (1001, 3, 46, 4)),
    ((2, 1, 0, 3), (1, 2, 1, 3), (1, 1, 7, 3), (1, 1, 8, 5), (1, 1, 9, 5)),
    (((1 << 64) - 1, (1 << 32) - 1, (1 << 64) - 1, (1 << 32) - 1),),
)


def packings():
    for columns in COLUMNS:
        yield {**{name: list(value) for name, value in vars(columns).items()}, "packing": columns.packing.hex()}


def requests():
    set_id = counting_bytes(0x30, 8)
    for job, parameters in REQUESTS:
        yield {"set_id": set_id.hex(), "job": job, "encoded": encoded([set_id, job, *parameters]).hex(),
               "digest": request_digest(set_id, job, parameters).hex()}


def manifests():
    for frames in FRAMES:
        listed = manifest(frames)
        yield {"frames": list(map(list, frames)), "manifest": listed.hex(), "origin": origin(listed).hex()}
