"""Runs `isopod bench` on two degrees: checks its files against the schema, its page in a browser and its refusals. Compares
`isopod advise` with the records that it names. ISOPOD names the program."""
import csv
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[3]
ISOPOD = os.environ["ISOPOD"]
DEGREES = (1024, 4096)
OPERATIONS = ("fresh-secret", "send-secret", "receive", "multiply", "relinearize")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def run(*words: str) -> subprocess.CompletedProcess:
    """Runs one command."""
    return subprocess.run([ISOPOD, *words], capture_output=True, text=True, check=False, timeout=300)


def footprints() -> dict[str, dict]:
    """The records of a Cortex-M4 by name."""
    with open(ROOT / "crates/cli/src/commands/parameters/footprints.csv", newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file) if row["core"] == "cortex-m4"}


class Bench(unittest.TestCase):
    """One run, and its files."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = Path(cls.folder.name) / "first"
        done = run("bench", "--schemes", "bfv,ckks,air", "--degrees", ",".join(map(str, DEGREES)), "--operations",
                   ",".join(OPERATIONS), "--time", "1", "--out", str(cls.out))
        if done.returncode:
            raise AssertionError(done.stderr)
        cls.text = done.stdout
        cls.found = json.loads((cls.out / "bench.json").read_text())

    def test_json_is_of_the_schema(self):
        schema = json.loads((ROOT / "crates/cost/schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(self.found)
        broken = self.found | {"records": [self.found["records"][0] | {"degree": 1000}]}
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(broken)

    def test_both_sides_stand_beside_each_other(self):
        found = {(one["side"], one["scheme"], one["degree"], one["operation"]) for one in self.found["records"]}
        for side in ("isopod", "seal"):
            for scheme in ("bfv", "ckks"):
                for degree in DEGREES:
                    self.assertIn((side, scheme, degree, "send-secret"), found)
                    self.assertIn((side, scheme, degree, "receive"), found)
        self.assertIn(("isopod", "air", 2048, "send-secret"), found)
        self.assertIn(("seal", "bfv", 4096, "relinearize"), found)
        self.assertIn("relinearize of bfv at 1024", [one["what"] for one in self.found["skipped"]])
        self.assertEqual(len(self.found["peaks"]), 8)

    def test_quartiles_are_in_order(self):
        for record in self.found["records"]:
            self.assertLessEqual(record["ms"]["lower"], record["ms"]["median"])
            self.assertLessEqual(record["ms"]["median"], record["ms"]["upper"])

    def test_fewer_bytes_than_seal(self):
        size = {(one["side"], one["scheme"]): one["bytes"] for one in self.found["records"]
                if one["degree"] == 4096 and one["operation"] == "send-secret"}
        self.assertLess(size["isopod", "bfv"], 47_000)
        self.assertLess(size["isopod", "bfv"] * 1.5, size["seal", "bfv"])

    def test_table_and_csv_have_every_record(self):
        with open(self.out / "bench.csv", newline="") as file:
            self.assertEqual(len(list(csv.DictReader(file))), len(self.found["records"]))
        for operation in OPERATIONS:
            self.assertIn(operation, self.text)

    def test_no_two_lines_have_one_name(self):
        """Scheme, set, operation and side name a line, because three sets of rounded coefficients have the same degree."""
        lines = self.text.splitlines()
        head = next(at for at, line in enumerate(lines) if line.startswith("scheme"))
        names = [tuple(line.split()[:4]) for line in lines[head:] if " send-" in line]
        self.assertEqual(len(names), len(set(names)), names)
        self.assertIn(("air", "bfv-2048x2-air", "send-secret", "isopod"), names)
        self.assertIn("without HEXL", self.text)

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_page_draws_in_a_browser_with_another_machine(self):
        second = Path(self.folder.name) / "second"
        other = json.loads((self.out / "bench.json").read_text())
        other["machine"]["processor"] = "Another <script>alert(1)</script> processor"
        path = Path(self.folder.name) / "other.json"
        path.write_text(json.dumps(other))
        done = run("bench", "--schemes", "bfv", "--degrees", "1024", "--operations", "add", "--time", "1", "--out",
                   str(second), "--compare", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]
        shown = subprocess.run([*command, (second / "report.html").as_uri()], capture_output=True, text=True, check=True,
                               timeout=120).stdout
        drawn = shown[shown.index('<main id="sections">'):shown.index("<noscript>")]
        self.assertIn("Peak memory", drawn)
        self.assertGreaterEqual(len(re.findall(r'<circle class="mark"', drawn)), 4)
        self.assertIn("Another <script>", html.unescape(drawn))
        self.assertNotIn("<script>", drawn)

    def test_bad_input_is_refused_by_name(self):
        for words, message in ((("--degrees", "1000"), "allowed are 1024, 2048"), (("--operations", "divide"), "multiply-plain"),
                               (("--schemes", "bgv"), "allowed are bfv, ckks, tfhe, air"), (("--time", "0"), "1..=60000"),
                               (("--out", "x", "--compare", "/nonexistent"), "--compare /nonexistent")):
            done = run("bench", *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(message, done.stderr)


class Model(unittest.TestCase):
    """The page and cost.json compute the same known costs."""

    @unittest.skipUnless(shutil.which("node"), "no Node.js")
    def test_known_costs_in_the_page(self):
        text = (ROOT / "crates/cost/page/sections.js").read_text()
        function = text[text.index("function costs("):text.index("function experiment(")]
        known = json.loads((ROOT / "crates/cost/tests/costs.json").read_text())
        program = function + """
            const known = JSON.parse(process.argv[1]);
            console.log(JSON.stringify(known.map(({ board, link, work }) => costs(board, link,
                { ...work, local: { b: work.local }, device: { b: work.device } }, { server_factor: 1 }))));"""
        done = subprocess.run(["node", "-e", program, json.dumps(known)], capture_output=True, text=True, check=True)
        for one, found in zip(known, json.loads(done.stdout), strict=True):
            for name, wanted in one["costs"].items():
                page = found[name.removesuffix("_ms")]
                self.assertEqual(page is None, wanted is None, name)
                self.assertAlmostEqual(page or 0, wanted or 0, 9, name)


class Advise(unittest.TestCase):
    """Each advice agrees with the record that it names."""

    ASK = ("--values", "24", "--precision", "0.1", "--board", "stm32u5", "--link", "lte-m")

    def test_every_way_is_a_record_that_fits(self):
        done = run("--json", "advise", "--job", "mean", *self.ASK)
        self.assertEqual(done.returncode, 0, done.stderr)
        ways = json.loads(done.stdout)
        self.assertGreater(len(ways), 5)
        for way in ways:
            record = footprints()[way["record"]]
            self.assertEqual((way["set"], way["key"], way["layout"]), (record["set"], record["key"], record["layout"]))
            self.assertLessEqual(way["error"], 0.1)
            self.assertGreaterEqual(int(record["values"]), 24)
            self.assertLessEqual(way["bytes"], int(record["wire_bytes"]))
            # 160 MHz and 1.45 cycles an instruction, in crates/cost/tables/boards.csv.
            self.assertAlmostEqual(way["device_ms"], float(record["million_instructions"]) * 1.45 / 0.16, places=6)
        self.assertEqual([way["energy_mj"] for way in ways], sorted(way["energy_mj"] for way in ways))

    def test_more_precision_never_costs_less(self):
        energies = []
        for precision in ("1", "0.01", "0.0001"):
            done = run("--json", "advise", "--job", "mean", "--precision", precision, *self.ASK[:2], *self.ASK[4:])
            ways = json.loads(done.stdout)
            energies.append(ways[0]["energy_mj"])
        self.assertEqual(energies, sorted(energies))

    def test_bad_input_is_refused_by_name(self):
        for change, message in (({"--board": "z80"}, "allowed are raspberry-pi-4"), ({"--link": "pigeon"}, "lte-m"),
                                ({"--job": "sort"}, "allowed are sum, mean"), ({"--precision": "-1"}, "allowed is 0 or more"),
                                ({"--precision": "1e-30"}, "nothing measured")):
            asked = {"--job": "mean", **dict(zip(self.ASK[::2], self.ASK[1::2]))} | change
            done = run("advise", *(word for pair in asked.items() for word in ("=".join(pair),)))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
