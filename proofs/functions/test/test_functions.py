"""Tests of the proofs of contracts that need no solver: `python3 -m unittest proofs.functions.test.test_functions`."""
import random
import unittest
from itertools import product
from pathlib import Path
from unittest import mock

from proofs.functions import bits, reasons
from proofs.functions.contracts import SOURCES, Contract, bare, batches, contracts, functions
from proofs.functions.faults import FAULTS
from proofs.functions.prover import Verdict, goals

POWERS = [2**power for power in (0, 7, 8, 15, 16, 30, 31, 32, 61, 64)]
EDGES = sorted({value + by for power in POWERS for value in (power, -power) for by in (-1, 0, 1)})


class Axioms(unittest.TestCase):
    """Facts about bits hold for integers."""

    def test_hold_at_the_edges_and_for_small_numbers(self) -> None:
        """All pairs of small numbers and of edges; the premises hold for some of them."""
        for name, (names, said) in bits.axioms().items():
            node = bits.parsed(said)
            numbers = range(256) if names[0] == "in0" else [*range(-9, 10), *EDGES]
            some = random.Random(name)
            drawn = (tuple(some.choice(numbers) for _ in names) for _ in range(1000))
            for values in product(numbers, repeat=len(names)) if len(names) <= 2 else drawn:
                self.assertTrue(bits.value(node, dict(zip(names, values, strict=True))), (name, values))

    def test_a_wrong_one_is_seen(self) -> None:
        """Statements that are wrong for one pair only."""
        for said, values in (("0 <= a ==> (uint8_t)a == a", {"a": 256}), ("(a ^ b) == 0 <==> a <= b", {"a": -1, "b": 1}),
                             ("0 <= a ==> (a >> 8) == a / 0x10", {"a": 16})):
            self.assertFalse(bits.value(bits.parsed(said), values), said)

    def test_quotients_of_negative_numbers_are_refused(self) -> None:
        """A bit vector's quotient has no sign."""
        with self.assertRaises(SystemExit):
            bits.parsed("(a >> 8) == a / 0x100")


class Table(unittest.TestCase):
    """Every function has a contract or a reason."""

    def test_no_function_is_left_out(self) -> None:
        """The table is that of the sources."""
        self.assertEqual(reasons.unlisted(), [])

    def test_all_reasons_are_used_and_known(self) -> None:
        """Keys of files are those of reasons."""
        self.assertEqual({reason for _, reason in reasons.listed().values()}, set(reasons.reasons()))

    def test_a_new_function_is_seen(self) -> None:
        """One more function without a contract, in a file of the table and in another."""
        known = bare()
        for path in (next(iter(known)), SOURCES / "base/new.c"):
            with mock.patch.object(reasons, "bare", return_value={**known, path: [*known.get(path, []), "added"]}):
                self.assertEqual(len(reasons.unlisted()), 1)
                self.assertIn("added", reasons.unlisted()[0])


class Contracts(unittest.TestCase):
    """Contracts are found, and mistakes belong to them."""

    def test_each_function_is_counted_once(self) -> None:
        """Functions with a contract and without make all of them."""
        self.assertEqual(len(contracts()) + sum(map(len, bare().values())), len(functions()))

    def test_names_are_there_once_in_a_batch(self) -> None:
        """Goals are told by the name of the function, and linking renames the second of a name."""
        found = batches(contracts())
        self.assertEqual(sum(map(len, found)), len(contracts()))
        for batch in found:
            self.assertEqual(len({one.function for one in batch}), len(batch))
            self.assertLessEqual(len({"64" in one.unit.name for one in batch}), 1)

    def test_what_is_admitted_is_not_proved(self) -> None:
        """A contract that only admits says no more than the absence of undefined behaviour."""
        place = Path("a.c")
        self.assertFalse(Contract("f", r"/*@ assigns \nothing; admit ensures \result == 0; */", place, place).says_more)
        self.assertTrue(Contract("f", r"/*@ assigns \nothing; ensures \result == 0; */", place, place).says_more)

    def test_mistakes_are_in_files_with_the_contract(self) -> None:
        """Each text is there once, and the function has one contract."""
        places = [(one.function, one.path) for one in contracts()]
        for fault in FAULTS:
            self.assertEqual((SOURCES / fault.path).read_text().count(fault.before), 1, fault)
            self.assertEqual(places.count((fault.function, SOURCES / fault.path)), 1, fault)


class Output(unittest.TestCase):
    """Output of Frama-C is understood, or nothing is proved."""

    TEXT = """[wp] [Qed] Goal typed_has_ensures : Valid (500ms)
[wp] [Z3 4.8.12] Goal typed_has_ensures_2 : Timeout (Qed:22ms) (1s)
[wp] Proved goals:    1 / 2
"""

    def test_verdicts(self) -> None:
        """A word and a time for each goal."""
        self.assertEqual(goals(self.TEXT), {"has_ensures": Verdict("Valid", 0.5), "has_ensures_2": Verdict("Timeout", 1.0)})

    def test_a_line_too_few_proves_nothing(self) -> None:
        """The count of proved goals is that of the lines."""
        self.assertEqual(goals(self.TEXT.replace("Proved goals:    1 / 2", "Proved goals:    1 / 3")), {})
        self.assertEqual(goals(""), {})


if __name__ == "__main__":
    unittest.main()
