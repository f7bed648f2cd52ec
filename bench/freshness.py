"""Freshness of generated documents: the rule by which all `--check` options compare them with the measurements.

A number with a decimal point may differ by 2 % or by one in its last place; everything else must be equal. Sizes are
therefore written as whole numbers and measured times and instructions with a point."""
import re

TOLERANCE = 0.02
NUMBER = re.compile(r"(\d[\d,]*\.\d+)")


def stale(committed: str, fresh: str) -> list[str]:
    """One line per line that differs; a note if there are more lines in one of the two."""
    old, new = committed.splitlines(), fresh.splitlines()
    complaints = [f"there: {before}\n now: {after}" for before, after in zip(old, new) if not same(before, after)]
    if len(old) != len(new):
        complaints.append(f"there are {len(old)} lines, now {len(new)}")
    return complaints


def same(before: str, after: str) -> bool:
    """True if two lines are equal within the tolerance."""
    old, new = NUMBER.split(before), NUMBER.split(after)
    return len(old) == len(new) and all(close(*pair) if odd % 2 else pair[0] == pair[1]
                                        for odd, pair in enumerate(zip(old, new)))


def close(before: str, after: str) -> bool:
    """True if two numbers are within the tolerance."""
    last_place = 10.0 ** -len(before.rpartition(".")[2])
    old, new = (float(text.replace(",", "")) for text in (before, after))
    return abs(old - new) <= max(TOLERANCE * old, 1.001 * last_place)
