"""Checks that encryptions give the same bytes on all targets, with all backends and memory plans."""


def differences(records: list[dict]) -> list[str]:
    """One line per record whose output differs from that of the first record of its group."""
    first, complaints = {}, []
    for record in records:
        reference = first.setdefault(group(record), record)
        if reference["digests"] != record["digests"]:
            complaints.append(f"{record['target']} {record['case']}: other bytes than "
                              f"{reference['target']} {reference['case']}")
    return complaints


def group(record: dict) -> tuple[str, ...]:
    """The key of records that must agree. With a public key the memory plan decides how c0 and c1 alternate in the frame."""
    if record["kind"] in ("sym", "ternary") and not record["case"].startswith("air-"):
        return record["kind"], record["set"], record["suite"]
    return record["kind"], record["case"].removesuffix("-portable").removesuffix("-lean").removesuffix("-total")
