"""Builds one TFHE case for one target, runs it and gives its record."""
from functools import cache
from pathlib import Path

from bench.device import linked, measure
from bench.device.tfhe_cases import TfheCase, TfheWay
from ports import emulate
from ports.emulate import BUILD, ROOT
from spec.base.tfhe_parameters import TfheSet
from spec.gen.vectors.ciphertexts import SEEDS
from spec.model.tfhe import TfheKeyPair, tfhe_blob


@cache
def key_file(parameters: TfheSet, blob: int) -> Path:
    """Writes a real key of the model, once per run; its path."""
    path = BUILD / "bench" / f"{parameters.name}-{blob}.key"
    (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / path).write_bytes(tfhe_blob(TfheKeyPair(parameters, SEEDS), blob))
    return path


def app_flags(case: TfheCase, way: TfheWay, key_bytes: int) -> str:
    """The definitions that tfhe_app.c asks for."""
    return measure.definitions({
        "PARAMS": f"isopod_{case.set.identifier}",
        "TABLES": f"isopod_tables_{case.set.identifier}",
        "SUITE": f"isopod_tfhe_{case.suite}",
        "OPEN": way.opener,
        "WORKSPACE": way.workspace,
        "SIZE": case.set.ring_degree if way.transforms else case.coefficients,
        "WORD": case.set.word_bytes,
        "PREPARED_DEGREE": case.set.ring_degree if way.prepares else 0,
        "U8": case.u8,
        "BOOL": case.bools,
        "KEY_BYTES": key_bytes,
        "WIRE_BYTES": case.body_bytes + 512,
    })


def check_output(case: TfheCase, values: dict[str, int]) -> None:
    """Refuses an encryption that stopped early, because it would look fast."""
    if values["residue_bytes"] != case.body_bytes or not 60 < values["wire_bytes"] - case.body_bytes < 120:
        raise ValueError(f"{case.name}: {values['residue_bytes']} bytes of bodies and {values['wire_bytes']} on the "
                         f"wire, expected {case.body_bytes} and about 80 more")


def record(case: TfheCase, target: str) -> dict:
    """One record of device.json, with the private fields."""
    way = case.way(target)
    tables, key = measure.generate_tables(case.set.name), key_file(case.set, way.blob)
    key_bytes = (ROOT / key).stat().st_size
    app = f"bench-{case.name}-{case.suite}"
    elf = emulate.build_app(measure.PORT_OF[target], app, ["bench/device/tfhe_app.c"], app_flags(case, way, key_bytes),
                            (str(tables),), case.backend)
    seen = measure.observe(elf, [str(key)], target)
    values = seen.values
    check_output(case, values)
    return measure.record(case, seen) | {
        "coefficients": case.coefficients,
        "ram_bytes": values["ram_bytes"],
        "ram_bytes_framed": values["ram_bytes"] + values["frame_bytes"],
        "flash_table_bytes": linked.read_only_bytes(seen.kept, tables.stem) if way.transforms else 0,
        "flash_key_bytes": key_bytes,
        "wire_bytes": values["wire_bytes"],
        "digests": (values["residue_digest"], values["wire_digest"]),
    }
