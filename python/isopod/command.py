"""The command `isopod`."""
import signal
import sys
from typing import NoReturn

from . import _isopod


def main() -> NoReturn:
    """Runs the command line of this process and ends it with the command's exit code."""
    # From here on the command handles signals itself, because it must remove unfinished files.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_isopod.run_command(["isopod", *sys.argv[1:]]))
