"""`python3 spec/compatibility/write.py VERSION`: runs the present program (ISOPOD) and writes its files into the folder
VERSION."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("ISOPOD", "target/release/isopod")
SETS = ("ckks-1024x1-sum", "bfv-1024x1-count", "ckks-2048x1-air")
KEPT = ("owner/owner.key", "owner/devices", "server/server.key", "server/replay", "server/revoked", "public/public.key",
        "device-1/frame.key")
READINGS = "a,b,c\n1,-2,3\n4,5,-6\n"


def isopod(folder: Path, *words: str) -> str:
    """Runs the command line in a folder."""
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def write(place: Path, name: str) -> None:
    """The keys, frames, results and values of one set."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "readings.csv").write_text(READINGS)
        isopod(work, "keygen", "--set", name, "--no-evaluation-keys", "--insecure-plaintext-key", "--out", "keys")
        fresh = {kept: (work / "keys" / kept).read_bytes() for kept in KEPT}
        isopod(work, "encrypt", "--keys", "keys/device-1", "--values", "readings.csv", "--rows-per-frame", "1", "--out",
               "frames.bin")
        isopod(work, "evaluate", "--keys", "keys/server", "--job", "sum", "--in", "frames.bin", "--out", "results.bin")
        values = [value["value"] for value in json.loads(isopod(work, "decrypt", "--json", "--keys", "keys/owner", "--in",
                                                               "results.bin"))["values"]]
        fresh |= {kept: (work / kept).read_bytes() for kept in ("frames.bin", "results.bin")}
        fresh["values.json"] = (json.dumps(values) + "\n").encode()
        for kept, content in fresh.items():
            (place / name / kept).parent.mkdir(parents=True, exist_ok=True)
            (place / name / kept).write_bytes(content)


def main() -> None:
    """Writes the folder, which must not exist."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    place = Path(__file__).parent / sys.argv[1]
    if place.exists():
        sys.exit(f"{place} exists; what a version wrote is never changed")
    for name in SETS:
        write(place, name)


if __name__ == "__main__":
    main()
