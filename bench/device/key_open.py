"""Opening a key in flash: the record of the case of kind "open"."""
import struct

from bench.device import keys, measure
from bench.device.cases import Case
from ports import emulate
from ports.emulate import BUILD, ROOT
from spec.model import wire_codes as wire
from spec.model.authentication import tag


def sealed(blob: bytes, generation: int = 1) -> bytes:
    """A key and its seal (spec/wire.md, section 5)."""
    nonce = wire.HASH_LABEL_KEY_SEAL + struct.pack("<Q", generation)
    digest = blob[wire.KEY_BLOB_HEAD_BYTES:wire.KEY_BLOB_HEADER_BYTES]
    return blob + nonce + tag(digest, nonce, wire.DOMAIN_KEY_SEAL, blob)


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields. The framed instructions do the full check."""
    blob_bytes = keys.blob_bytes(case.set, "pk")
    path = BUILD / "bench" / f"{case.set.name}-sealed.key"
    (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / path).write_bytes(sealed(keys.blob(case.set, "pk")))
    flags = measure.definitions({"PARAMS": f"isopod_{case.set.symbol}", "KEY_BYTES": blob_bytes})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/key_open.c"], flags)
    seen = measure.observe(elf, [str(path)], target)
    return measure.record(case, seen) | {
        "chunks": case.chunks,
        "ram_bytes": seen.values["ram_bytes"],
        "flash_table_bytes": 0,
        "flash_key_bytes": blob_bytes + wire.KEY_SEAL_BYTES,
        "wire_bytes": 0,
        "digests": (),
    }
