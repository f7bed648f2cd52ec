"""The measured encryptions must be the same encryption: bytes compared across targets and memory plans."""


def differences(records: list[dict]) -> list[str]:
    """One line per record whose output differs from the first with the same case, or the same secret key and suite."""
    first, complaints = {}, []
    for record in records:
        for group, digest in groups(record):
            reference = first.setdefault(group, (record, digest))
            if reference[1] != digest:
                complaints.append(f"{record['target']} {record['case']}: other bytes than "
                                  f"{reference[0]['target']} {reference[0]['case']}")
    return complaints


def groups(record: dict) -> list[tuple[tuple, object]]:
    """Under a secret key the memory plan changes nothing on the wire; under a public key it interleaves the halves."""
    same_case = (("case", record["case"]), record["digests"])
    if "-sym-" not in record["case"]:
        return [same_case]
    return [same_case, (("secret key", record["set"], record["suite"]), record["digests"])]
