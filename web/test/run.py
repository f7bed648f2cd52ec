"""`python3 web/test/run.py`: builds the module, the package and the page, checks types, and tests under Node and in both
browsers."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Prints the log of Node's test runner and a last line with counts. The exit status is 1 if a test failed."""
    for command in ([sys.executable, "web/build.py"], ["node", "web/node_modules/typescript/bin/tsc", "-p", "web/page"]):
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            return 1
    tests = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "web/test").glob("*.test.mjs"))
    command = ["node", "--test", "--test-reporter=tap", *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    passed, failed, skipped = (sum(map(int, re.findall(rf"^# {word} (\d+)$", done.stdout, re.MULTILINE)))
                               for word in ("pass", "fail", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if done.returncode == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
