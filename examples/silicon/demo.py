"""`.venv/bin/python -m examples.silicon.demo [--isopod PROGRAM]`: the engine encrypts as a device and decrypts as its owner,
and SEAL computes between.

The simulated engine encrypts by the public and by the secret key. SEAL adds both frames and decrypts the sum, and the engine
decrypts the same answer. The exit status is 1 if one of the two reads a value that is off by more than the error that comes
with it."""
import argparse
import os
import sys
import tempfile
from pathlib import Path

from examples.silicon import integers, reals
from examples.silicon.parts import Isopod, run_engine


def main() -> int:
    """Runs both stories; exit status 1 if a value is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--isopod", default=f"{target}/release/isopod", metavar="PROGRAM")
    program, right = parser.parse_args().isopod, True
    run_engine("build")
    for story in (reals, integers):
        with tempfile.TemporaryDirectory() as place:
            lines, good = story.tell(Isopod(program, Path(place)))
        print("\n".join(lines), flush=True)
        right = right and good
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
