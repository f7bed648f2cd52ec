"""`python3 examples/three-browsers-and-a-board/board.py SHARE RESULT NUMBERS COUNT OUT`: the emulated Cortex-M4 of a holder
contributes to a sealed result.

SHARE is the file of `isopod owner move`, NUMBERS are those of the holders who answer, such as 1,2,4. COUNT stands for the two
pages of flash that keep the board's count. Paths are relative to the root of the repository."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.device.measure import generate_tables  # noqa: E402
from ports import emulate  # noqa: E402

PORT, SET, RING_DEGREE = "mps2-an386", "bfv-4096x3-sum", 4096
SYMBOL = SET.replace("-", "_")
FLAGS = f"-DHOLDER_PARAMS=isopod_{SYMBOL} -DHOLDER_TABLES=isopod_tables_{SYMBOL} -DHOLDER_N={RING_DEGREE}"


def build() -> Path:
    """The firmware of `ports/test/holder.c` with the tables of the set."""
    return emulate.build_app(PORT, "holder", ["ports/test/holder.c"], FLAGS, (str(generate_tables(SET)),))


def main(words: list[str]) -> int:
    """Runs the board; its exit status."""
    done = emulate.run(emulate.command(PORT, build(), words))
    print(done.stdout + done.stderr, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
