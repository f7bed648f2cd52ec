"""The limits that records must keep."""


def complaints(records: list[dict]) -> list[str]:
    """A line for every limit that a record misses."""
    return [complaint for record in records for complaint in complaints_of(record)]


def complaints_of(record: dict) -> list[str]:
    """Compares bytes and error with their limits, counts changed predictions, and compares the time with SEAL's."""
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
    """The bytes that the limit is about: per reading in a sum, per row, or the whole file if there are no rows."""
    return record.get("bytes_per_reading" if record["case"].startswith("sum-") else "bytes_per_row", record.get("bytes"))
