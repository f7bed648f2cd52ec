"""The record of a case of kind "contribute": a holder's contribution to one sealed result (isopod/holder.h). RAM counts all that
the board needs but share and result, which are flash, and the stack; the second count opens the result, too."""
import random
from pathlib import Path
from types import SimpleNamespace

from bench.device import keys, linked, measure
from bench.device.cases import Case, contract
from ports import emulate
from ports.emulate import BUILD, ROOT
from spec.model.owner_device import BoardShare
from spec.model.result import Claims, Grid, Provenance, result

LINK_KEY, TRANSPORT_KEY = b"a link key of 32 bytes, which is", b"the key of a board and its owner"
NONCE = b"benchmark nonce!"
BITS, SHIFT = 22, 44  # of 2 of 3 holders, 1,000 frames and 64 queries


def files(case: Case) -> tuple[Path, Path]:
    """Writes a share and a result, both of random residues, once; their paths."""
    share, sealed = (BUILD / "bench" / f"{case.name}.{kind}" for kind in ("share", "result"))
    parameters, generator = contract()[case.set.name], random.Random(1)
    rows = [[[generator.randrange(prime) for _ in range(parameters.ring_degree)] for prime in parameters.data_primes]
            for _ in range(3)]
    held = BoardShare(parameters, keys.KEY_ID, 1, 2, 3, 1000, BITS, SHIFT, 0, 64, LINK_KEY, TRANSPORT_KEY, rows[0])
    claims = Claims(1.0, Grid(0, 1, parameters.ring_degree, parameters.ring_degree), provenance=Provenance("sum"))
    (ROOT / share).write_bytes(held.blob())
    pair = SimpleNamespace(parameters=parameters, key_id=keys.KEY_ID)
    (ROOT / sealed).write_bytes(result(pair, (rows[1], rows[2]), claims, LINK_KEY, NONCE))
    return share, sealed


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    share, sealed = files(case)
    tables = measure.generate_tables(case.set.name)
    sizes = [(ROOT / path).stat().st_size for path in (share, sealed)]
    flags = measure.definitions({**measure.set_values(case), "SHARE_BYTES": sizes[0], "RESULT_BYTES": sizes[1]})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/contribute.c"], flags, (str(tables),))
    seen = measure.observe(elf, [str(share), str(sealed)], target)
    values = seen.values
    if values["wire_bytes"] <= case.set.ring_degree * BITS // 8:
        raise ValueError(f"{case.name}: {values['wire_bytes']} bytes, expected more than the values have")
    return measure.record(case, seen) | {
        "ram_bytes": values["ram_bytes"] + values["stack_bytes"],
        "flash_table_bytes": linked.table_bytes(seen.kept, tables.stem),
        "flash_key_bytes": sizes[0],
        "wire_bytes": values["wire_bytes"],
        "digests": (values["digest"],),
    }
