"""Tests the Arduino library: its example, built by Debian's tools, runs on a simulated ATmega1284P, and the owner reads its
frame."""
import csv
import io
import re
import shutil
import subprocess
import threading
from pathlib import Path

from packages.test.support import HERE, PATHS, PROGRAM, PackageTest, run

SET = "ckks-1024x1-sum"
RAM = 16384
STACK = 2048
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
PIECE = re.compile(r"^([0-9A-F]{2,})\.*$", re.MULTILINE)
STATUS = re.compile(r"^status (-?\d+)", re.MULTILINE)
DONE = "1"
SECONDS = 200


def simulated(program: Path) -> str:
    """Runs the sketch, which never ends, until the serial line shows the status; the text of the line."""
    simulator = subprocess.Popen(["simavr", "-m", "atmega1284p", "-f", "16000000", str(program)], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
    deadline = threading.Timer(SECONDS, simulator.kill)
    deadline.start()
    said = ""
    for line in simulator.stdout:
        said += COLOURS.sub("", line)
        if STATUS.search(said):
            break
    deadline.cancel()
    simulator.kill()
    simulator.communicate()
    return said


class Arduino(PackageTest):
    """Follows the readings from the sketch to the owner."""

    def compiled(self) -> tuple[Path, int]:
        """Builds the example with the owner's keys beside it: the program, and the RAM of its variables."""
        library, sketch = self.folder / "libraries/Isopod", self.folder / "send_readings"
        shutil.copytree(self.package("arduino"), library)
        shutil.copytree(library / "examples/send_readings", sketch)
        for header in (self.folder / "keys/device-1/isopod_keys.h", self.folder / "keys/public/isopod_public_key.h",
                       HERE / "board_random.h"):
            shutil.copy(header, sketch)
        return self.sketch_built("isopod:avr:atmega1284p", sketch / "send_readings.ino")

    def test_example_sends_what_the_owner_reads(self):
        """The frame holds twenty-four temperatures."""
        self.needs("arduino-builder", "simavr", "avr-gcc")
        if not PROGRAM.exists():
            self.skipTest(f"{PROGRAM} is not built")
        secret = {"ISOPOD_PASSPHRASE": "of a test", "PATH": PATHS}
        keys = self.folder / "keys"
        run([PROGRAM, "keygen", "--set", SET, "--seeded-public-key", "--out", keys], **secret)
        program, used = self.compiled()
        self.assertLess(used, RAM - STACK)
        said = simulated(program)
        self.assertEqual(STATUS.findall(said), [DONE], said)
        frame, result = self.folder / "frame.bin", self.folder / "result.bin"
        frame.write_bytes(bytes.fromhex("".join(PIECE.findall(said))))
        job = ["--keys", keys / "server", "--job", "mean", "--unnamed-columns"]
        run([PROGRAM, "evaluate", *job, "--in", frame, "--out", result])
        rows = list(csv.DictReader(io.StringIO(self.decrypted(keys, result, secret))))
        for hour, row in enumerate(rows):
            self.assertAlmostEqual(float(row["value"]), 20 + 0.1 * hour, delta=float(row["error"]))
        self.assertEqual(len(rows), 24)

    def decrypted(self, keys: Path, result: Path, secret: dict[str, str]) -> str:
        """The owner's table, without the report before it."""
        said = run([PROGRAM, "decrypt", "--keys", keys / "owner", "--in", result], **secret)
        return said[said.index("device,"):]

    def test_library_needs_no_private_header_of_the_sketch(self):
        """The only include path is src/. The library's own two headers are the only ones directly in it."""
        headers = {path.name for path in (self.package("arduino") / "src").glob("*.h")}
        self.assertEqual(headers, {"isopod.h", "isopod_tables.h"})
