"""bench/out/owner.json: one record for each case, whoever measured it, and the limits of those that have one."""
import json
from pathlib import Path

from ports.emulate import ROOT

OUT = ROOT / "bench/out/owner.json"
# Largest value of a case; a case that is not here is for comparison.
LIMITS = {
    "browser-decrypt-ratio": 1.6,
    "bytes-per-weight": 6.5,
    "python-decrypt-overhead": 1.1,
    "wasm-bytes-gzip-all": 90_000,
    "wasm-bytes-gzip-decrypt": 50_000,
    "wheel-mb": 8,
}


def write(records: list[dict], out: Path = OUT) -> None:
    """Puts the records in place of older ones of the same cases; all others stay."""
    known = json.loads(out.read_text()) if out.exists() else []
    cases = {record["case"] for record in records}
    kept = [record for record in known if record["case"] not in cases]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(sorted([*kept, *records], key=lambda record: record["case"]), indent=1) + "\n")


def complaints(records: list[dict]) -> list[str]:
    """Cases beyond their limits."""
    return [f"{record['case']}: {record['value']}; allowed is at most {LIMITS[record['case']]}" for record in records
            if record["value"] > LIMITS.get(record["case"], float("inf"))]
