"""`python3 -m packages.release version X.Y.Z` writes the version into every file that states it. `... archives` builds the
published files."""
import sys

from packages.release import archives, version

COMMANDS = {"version": version.main, "archives": archives.main}

if __name__ == "__main__":
    if sys.argv[1:2] == [] or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
