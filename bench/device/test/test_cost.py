"""Tests of the tables of costs and of their freshness."""
import csv
import io
import unittest

from bench import document, freshness
from bench.device import calls, cost, footprint
from bench.device.cases import BOARDS, ROUNDED_SETS, SETS, all_cases, parameter_sets, rounded, rounded_integers
from bench.device.cases import calls as call_cases
from bench.device.run import budgets
from bench.device.tfhe_cases import tfhe_cases

RECORD = {"target": "cortex-m4", "flash_table_bytes": 1000, "flash_key_bytes": 234, "wire_bytes": 61_598}


def record(case: str, ram: int, instructions: int, **others) -> dict:
    """One record of device.json, as far as the table needs it."""
    return {**RECORD, "case": case, "ram_bytes": ram, "instructions": instructions,
            "instructions_framed": instructions * 11 // 10, "est_cycles_framed": 2 * instructions, **others}


RECORDS = [record(f"{prefix}-{kind}-{plan}", ram, ram * 100) for prefix in SETS for kind in ("pk", "sym")
           for plan, ram in (("fast", 50_000), ("small", 25_000))]
RECORDS += [record(case.name, 8_000, 290_000) for case in (*rounded(), *rounded_integers(), *tfhe_cases())]
RECORDS += [record("ckks-4096x2-pk-fast", 1, 1, target="rv32im"), record("ckks-4096x3-sym-fast-shake256", 2, 2)]


class Calls(unittest.TestCase):
    """Rows of docs/measurements/tables/calls.md."""

    def test_time_and_energy_of_a_call(self):
        """A second at 3.3 mA and 3 V draws 9.9 mJ; 225 mAh are 2,430 J."""
        self.assertEqual(calls.row("a", "b", "c", 64_000_000), ("a", "b", "c", "1000.00", "9900.0", "0.2"))

    def test_a_row_of_every_call(self):
        """A packet is one call; a frame is opened, begun and taken."""
        found = {case.name: {"wire_bytes": 18, "est_cycles": 64_000, "open_cycles": 1, "begin_cycles": 1, "piece_cycles": 1}
                 for case in all_cases()}
        lines = calls.table(found, call_cases()).splitlines()[2:]
        self.assertEqual(len(lines), 4 + 4 * len(call_cases()))
        self.assertIn("| 1 reading, 18 bytes | ckks-1024x1-sum | `isopod_packet_encrypt` | 1.00 | 9.9 | 245.5 |", lines)
        del found["calls-air-2048x1"]["piece_cycles"]
        with self.assertRaises(KeyError):
            calls.table(found, call_cases())


class Table(unittest.TestCase):
    """Rows of the tables and their place."""

    def test_a_row_of_every_set_for_each_kind(self):
        """Other targets and the extra suite are left out."""
        rows = [line for line in cost.tables(cost.by_case(RECORDS)).splitlines() if line.startswith("| ckks")]
        self.assertEqual(len(rows), 28 + len(rounded()))
        figures = "25,000 | 50,000 | 1,000 | 234 | 61,598 | 2.50 | 5.00 | 2.75 | 5.50 | 78.1 | 156.2 |"
        self.assertIn(f"| ckks-4096x2-linear | 128 | {figures}", rows)

    def test_a_row_of_every_tfhe_case(self):
        """A row lists the values that it holds."""
        rows = [line for line in cost.tables(cost.by_case(RECORDS)).splitlines() if line.startswith("| tfhe")]
        self.assertEqual(len(rows), len(tfhe_cases()))
        figures = "8,000 | 1,000 | 234 | 61,598 | 0.29 | 0.32 | 9.1 |"
        self.assertIn(f"| tfhe-2048-sym | tfhe-2048-tfhe-rs | 128 | 256 u8, 1,024 bits | {figures}", rows)

    def test_a_row_of_every_rounded_case(self):
        """Rows of thirty readings fill the ring but for a few coefficients."""
        rows = cost.tables(cost.by_case(RECORDS))
        figures = "2,040 | 8,000 | 1,000 | 234 | 61,598 | 0.29 | 0.32 | 9.1 |"
        for wanted in ("ckks-2048x1-air | public, small", "ckks-2048x2-air | secret", "bfv-2048x2-air | public, small"):
            self.assertIn(f"| {wanted} | {figures}", rows)

    def test_the_summary(self):
        """A row of every measured set of label 128, those that end in -air first."""
        rows = cost.summary(cost.by_case(RECORDS)).splitlines()
        secure = [name for name in (*SETS.values(), *ROUNDED_SETS.values()) if parameter_sets()[name].label == "128"]
        self.assertEqual(len(rows), 2 + len(secure) + len(cost.TFHE_PAIRS))
        self.assertIn("-air", rows[2])
        for wanted in ("| 2,048 real numbers | ckks-4096x2-linear | 25,000 | 25,000 | 61,598 | 61,598 | 2.75 | 2.75 |",
                       "| 2,040 integers | bfv-2048x2-air | 8,000 | 8,000 | 61,598 | 61,598 | 0.32 | 0.32 |"):
            self.assertIn(wanted, rows)

    def test_every_air_set_is_measured(self):
        """A new set that ends in -air needs cases."""
        self.assertEqual(sorted(ROUNDED_SETS.values()), sorted(name for name in parameter_sets() if name.endswith("-air")))

    def test_the_selection(self):
        """Each selected set has a row."""
        text = cost.selection(cost.by_case(RECORDS))
        self.assertEqual(len(text.splitlines()), 2 + len(cost.SELECTION) + len(cost.TFHE_SELECTION))
        for wanted in ("| 2,040 real numbers | ckks-2048x1-air | secret | 8,000 | 61,598 | 0.29 | 0.32 | 9.1 |",
                       "| 2,048 real numbers | ckks-4096x2-linear | public | 25,000 | 61,598 | 2.50 | 2.75 | 78.1 |",
                       "| 4,096 integers | bfv-4096x3-sum | public | 25,000 | 61,598 | 2.50 | 2.75 | 78.1 |",
                       "| 16 u8 | tfhe-2048-tfhe-rs | secret, streamed | 8,000 | 61,598 | 0.29 | 0.32 | 9.1 |"):
            self.assertIn(wanted, text)

    def test_missing_case(self):
        """A missing case is an error."""
        with self.assertRaises(KeyError):
            cost.tables(cost.by_case(RECORDS[1:]))
        with self.assertRaises(KeyError):
            cost.tables(cost.by_case([entry for entry in RECORDS if entry["case"] != "tfhe-1024-pk"]))

    def test_replaces_only_what_is_between_the_marks(self):
        """A second replacement changes nothing."""
        once = document.with_table(f"before {document.BEGIN} old {document.END} after", "| new |")
        self.assertEqual(once, f"before {document.BEGIN}\n\n| new |\n\n{document.END} after")
        self.assertEqual(document.with_table(once, "| new |"), once)

    def test_missing_mark(self):
        """A missing mark is an error."""
        with self.assertRaises(ValueError):
            document.with_table(f"{document.BEGIN} without an end", "")


class Footprint(unittest.TestCase):
    """The table of `isopod params --board`."""

    RECORDS = [{**RECORD, "target": core, "case": case.name, "set": case.set.name, "chunks": getattr(case, "chunks", 1),
                "ram_bytes": 1, "ram_bytes_framed": 97, "stack_bytes": 3, "text_bytes": 4, "instructions_framed": 1_234_567}
               for core in BOARDS for case in all_cases()]

    def test_a_line_of_every_encryption_of_a_board(self):
        """Points of the memory dial once; neither modules nor decryptions nor other suites."""
        rows = list(csv.DictReader(io.StringIO(footprint.table(self.RECORDS))))
        points = [tuple(row[name] for name in ("core", "set", "key", "layout", "chunks", "case")) for row in rows]
        self.assertEqual(len(set(points)), len(rows))
        self.assertEqual({row["core"] for row in rows}, set(BOARDS))
        others = ("module", "decrypt", "keygen", "shake", "lean", "portable")
        self.assertEqual([row["case"] for row in rows if any(word in row["case"] for word in others)], [])
        pieces = {row["case"]: row for row in rows if row["core"] == "cortex-m4"}
        self.assertEqual(list(pieces["bfv-4096x2-pk-small"].values())[5:],
                         ["4", "4096", "1", "16384", "96", "3", "4", "1000", "234", "61598", "1.23"])
        self.assertEqual(pieces["air-2048x1-sym"]["layout"], "rounded")
        self.assertEqual(pieces["tfhe-2048-sym-stream"]["values_ram"], "16")

    def test_missing_case(self):
        """A missing case is an error."""
        with self.assertRaises(KeyError):
            footprint.table(self.RECORDS[1:])


class Freshness(unittest.TestCase):
    """Sizes are exact; numbers with a decimal point may differ by 2 %."""

    def test_tolerance(self):
        """Values just within and just beyond the tolerance."""
        for before, after, expected in (("a 5.00 b", "a 5.10 b", True), ("a 5.00 b", "a 5.11 b", False),
                                        ("0.10", "0.11", True), ("0.10", "0.12", False), ("1,000.0", "1,021.0", False),
                                        ("x 50,000 y", "x 50,001 y", False), ("a 5.00", "b 5.00", False)):
            with self.subTest(before=before, after=after):
                self.assertEqual(freshness.stale(before, after) == [], expected)

    def test_lines(self):
        """A missing line is noticed."""
        self.assertEqual(len(freshness.stale("a\nb", "a")), 1)


class Committed(unittest.TestCase):
    """The committed table of sizes beside the committed budgets."""

    def test_sizes_are_those_that_budgets_accept(self):
        """RAM, stack, code and tables to the byte; cases at other points of the dial have no budget."""
        accepted = {(port.target, case): sizes for port in budgets() for case, sizes in port.accepted.items()}
        lines = [line for line in csv.DictReader(io.StringIO(footprint.FILE.read_text()))
                 if (line["core"], line["case"]) in accepted]
        self.assertGreater(len(lines), 50)
        for line in lines:
            with self.subTest(core=line["core"], case=line["case"]):
                sizes = accepted[line["core"], line["case"]]
                wanted = [sizes[field] for field in ("ram_bytes", "stack_bytes", "text_bytes", "flash_table_bytes")]
                self.assertEqual([int(line[name]) for name in ("library_ram", "stack", "code", "tables")], wanted)
