"""Limits of the records."""


def complaints(records: list[dict]) -> list[str]:
    """A line for every limit that a record misses."""
    return [complaint for record in records for complaint in complaints_of(record)]


def complaints_of(record: dict) -> list[str]:
    """Bytes and error against their limits, predictions, and time against SEAL's."""
    name = record["case"]
    missed = [f"{name}: {what} {value:.4g}, at most {record[limit]:g}"
              for what, value, limit in (("bytes", limited_bytes(record), "limit"), ("error", record.get("error"), "error_limit"))
              if limit in record and value > record[limit]]
    if record.get("flips"):
        missed.append(f"{name}: {record['flips']} predictions changed")
    if not record.get("within_limit", True):
        missed.append(f"{name} {record['set']}: {record['ratio_to_seal']:.2f} of the time of SEAL without HEXL")
    return missed


def limited_bytes(record: dict) -> float | None:
    """Bytes in the unit of the limit: of a reading of a sum, of a row, or of a whole file without rows."""
    return record.get("bytes_per_reading" if record["case"].startswith("sum-") else "bytes_per_row", record.get("bytes"))
