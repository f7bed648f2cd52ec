"""The functions that are not proved free of undefined behaviour, by file: unproved.toml says how many a file has, and why.

A function is proved by its contract, or without one by Eva (proofs/values/free.toml)."""
import tomllib
from collections import Counter
from pathlib import Path

from proofs.functions.contracts import SOURCES, bare, contracts
from proofs.values import free
from proofs.values.instances import definitions

TABLE = Path(__file__).with_name("unproved.toml")


def listed() -> dict[str, tuple[int, str]]:
    """The number of functions and the key of the reason, by file."""
    return {file: (count, reason) for reason, files in tomllib.loads(TABLE.read_text())["files"].items()
            for file, count in files.items()}


def reasons() -> dict[str, str]:
    """The reasons by key."""
    return tomllib.loads(TABLE.read_text())["reasons"]


def unproved() -> dict[str, list[str]]:
    """The functions with neither a contract nor a place in the table of Eva, by file."""
    found = {}
    for path, names in bare().items():
        file = str(path.relative_to(SOURCES))
        left = Counter(names) - Counter({name: definitions(file, name) for name in free.listed().get(file, [])})
        if left:
            found[file] = list(left.elements())
    return found


def proved() -> int:
    """How many functions have a contract."""
    return len(contracts())


def unlisted() -> list[str]:
    """A line for each file of which the table does not name as many functions as are not proved."""
    table, found = listed(), unproved()
    known = {file: table[file][0] if file in table else 0 for file in found}
    wrong = [f"{file}: {len(names)} functions not proved, {known[file]} in {TABLE.name}: {', '.join(names)}"
             for file, names in found.items() if known[file] != len(names)]
    return wrong + [f"{file}: in {TABLE.name}, but every function is proved" for file in table if file not in found]
