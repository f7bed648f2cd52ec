"""Tests a holder on the emulated Cortex-M4: it contributes to a real evaluation, and the command line opens the answer.

    ISOPOD=PROGRAM python3 -m unittest ports.test.test_holder"""
import csv
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from bench.device.measure import generate_tables
from ports import emulate

PROGRAM = emulate.ROOT / os.environ.get("ISOPOD", "no-program")
BOARD, SET = "mps2-an386", "bfv-4096x3-sum"
HOLDERS = ("alice", "bob", "carol")
QUERIES = 5
ANSWERING, LEVEL, AUTHENTICATION, COUNTER, KEY_FORMAT = 39, 33, 31, 27, 11  # of status.toml, without the sign


@unittest.skipUnless(PROGRAM.is_file(), "ISOPOD names no program")
class Holder(unittest.TestCase):
    """Carol's share is on a board; two of three open."""

    @classmethod
    def setUpClass(cls) -> None:
        symbol = SET.replace("-", "_")
        flags = f"-DHOLDER_PARAMS=isopod_{symbol} -DHOLDER_TABLES=isopod_tables_{symbol} -DHOLDER_N=4096"
        cls.elf = emulate.build_app(BOARD, "holder", ["ports/test/holder.c"], flags, (str(generate_tables(SET)),))

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        begin = f"--holders {','.join(HOLDERS)} --threshold 2 --frames 3 --queries {QUERIES} --insecure-plaintext-key"
        self.isopod(f"owner begin {begin} --out alice")
        for name in HOLDERS[1:]:
            self.isopod(f"owner join --invitation alice/invitation --as {name} --out {name} --insecure-plaintext-key")
        for kinds in (("announcement",), ("announcement", "opening")):
            for name in HOLDERS:
                others = [f"{other}/{kind}-{other}" for other in HOLDERS for kind in kinds if other != name]
                self.isopod(f"owner finish --keys {name} --in {' '.join(others)}")
        self.isopod("owner devices 1-4 --keys alice --out fleet")
        for device in range(1, 5):
            rows = "\n".join(str((row - 32) * device) for row in range(64))
            (self.folder / "rows.csv").write_text(f"a\n{rows}\n")
            self.isopod(f"encrypt --keys fleet/device-{device} --values rows.csv --out frame-{device} --bound-bits 8")
        self.isopod("evaluate --keys fleet/server --job sum --in frame-1 frame-2 frame-3 --out sum")
        self.isopod("owner move --keys carol --to share")

    def isopod(self, line: str) -> str:
        """The output of a command line."""
        done = self.run_isopod(line)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuses(self, line: str, message: str) -> None:
        """Checks that a command line is refused with this message."""
        done = self.run_isopod(line)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(message, done.stderr)

    def run_isopod(self, line: str) -> subprocess.CompletedProcess:
        surroundings = os.environ | {"XDG_STATE_HOME": str(self.folder / "state")}
        return subprocess.run([PROGRAM, *line.split()], cwd=self.folder, env=surroundings, capture_output=True, text=True,
                              check=False, timeout=120)

    def board(self, share: str = "share", result: str = "sum", numbers: str = "1,3", out: str = "out") -> int:
        """Runs the board; the number of its status, without the sign."""
        paths = [str(self.folder / name) for name in (share, result, "count", out)]
        done = emulate.run(emulate.command(BOARD, self.elf, [*paths[:2], numbers, *paths[2:]]))
        name, _, number = done.stderr.strip().partition(" -")
        self.assertEqual((name, done.returncode), ("status", 0 if number == "0" else 2), done.stderr)
        return int(number)

    def test_board_and_folder_open_a_sum(self) -> None:
        self.assertEqual(self.board(), 0)
        self.isopod("owner contribute --keys carol --in sum --with alice,carol --agree --from-board out --out from-carol")
        self.isopod("owner contribute --keys alice --in sum --with alice,carol --agree --out from-alice")
        for name in ("alice", "carol"):
            text = self.isopod(f"owner combine --keys {name} --in sum --contribution from-alice from-carol")
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual([int(row["value"]) for row in rows], [(row - 32) * 6 for row in range(64)])

    def test_folder_has_the_share_no_longer(self) -> None:
        key = (self.folder / "carol/holder.key").read_bytes()
        self.assertLess(len(key), 2000)
        answer = "owner contribute --keys carol --in sum --with alice,carol --agree --out x"
        self.refuses(answer, "the share of this folder is on a board")
        self.refuses("owner move --keys carol --to again", "the share of this folder is on a board")
        self.assertEqual(self.board(), 0)
        self.refuses("owner contribute --keys alice --in sum --with alice,carol --agree --from-board out --out x",
                     "the share is in this folder")

    def test_board_refuses_what_does_not_belong_to_it(self) -> None:
        for numbers in ("1,2", "3", "3,1", "1,1", "1,2,3", "3,4"):
            self.assertEqual(self.board(numbers=numbers), ANSWERING, numbers)
        cut = (self.folder / "sum").read_bytes()
        (self.folder / "cut").write_bytes(cut[:-1])
        (self.folder / "changed").write_bytes(cut[:-9000] + bytes([cut[-9000] ^ 1]) + cut[-8999:])
        for name in ("cut", "changed"):
            self.assertEqual(self.board(result=name), AUTHENTICATION)
        (self.folder / "fleet/server/invitation").unlink()  # then the server drops primes
        self.isopod("evaluate --keys fleet/server --job sum --in frame-1 frame-2 --out small --again")
        self.assertEqual(self.board(result="small"), LEVEL)
        share = (self.folder / "share").read_bytes()
        (self.folder / "damaged").write_bytes(share[:-1] + bytes([share[-1] ^ 1]))
        self.assertEqual(self.board(share="damaged"), KEY_FORMAT)

    def test_folder_refuses_what_the_board_did_not_make_for_it(self) -> None:
        self.isopod("evaluate --keys fleet/server --job sum --in frame-1 frame-2 frame-3 --out sum2 --again")
        self.assertEqual(self.board(result="sum2", out="of-sum2"), 0)
        self.assertEqual(self.board(numbers="2,3", out="for-bob"), 0)
        self.assertEqual(self.board(), 0)
        out = (self.folder / "out").read_bytes()
        (self.folder / "changed").write_bytes(out[:-100] + bytes([out[-100] ^ 1]) + out[-99:])
        (self.folder / "cut").write_bytes(out[:-1])
        answer = "owner contribute --keys carol --in sum --with alice,carol --agree --out from-carol --from-board"
        for name, message in (("of-sum2", "another result"), ("for-bob", "for other holders"), ("changed", "or changed"),
                              ("cut", ""), ("out out", "one for each of the 1 results")):
            self.refuses(f"{answer} {name}", message)
        self.isopod(f"{answer} out")

    def test_count_is_kept_in_two_places(self) -> None:
        answer = "owner contribute --keys carol --in sum --with alice,carol --agree --from-board"
        self.assertEqual(self.board(), 0)
        self.isopod(f"{answer} out --out first")
        self.refuses(f"{answer} out --out twice", "counted before")
        flash = (self.folder / "count").read_bytes()
        self.assertEqual(self.board(out="second"), 0)
        self.isopod(f"{answer} second --out second-sealed")
        (self.folder / "count").write_bytes(flash)  # the board's count is set back
        self.assertEqual(self.board(out="third"), 0)
        self.refuses(f"{answer} third --out third-sealed", "count was not set back")
        # One query is the move; the others are the board's.
        for _ in range(QUERIES - 3):
            self.assertEqual(self.board(out="last"), 0)
        self.isopod(f"{answer} last --out last-sealed")
        self.assertEqual(self.board(), COUNTER)
