"""The command `headgate`: one file per command, in the folder `commands`."""

from __future__ import annotations

import gc
import os
import sys

from .. import __version__

#: What `--version` prints.
VERSION = f"headgate, version {__version__}"


def main() -> None:
    """Runs the command: exit code 2 for anything that the user gave wrong, 130 after Ctrl-C and 143 after SIGTERM, no traceback for any."""
    if sys.argv[1:] == ["--version"] and _printed(VERSION):
        sys.exit(0)
    from . import signals

    # All libraries are loaded here, where Ctrl-C has nothing to clean up: a half-loaded library may lose the signal.
    signals.end_at_once()
    from .group import call

    code = call()
    if code == signals.code():
        # Programs that are flow controls end with this one.
        if pipe := sys.modules.get("headgate.plugins.pipe"):
            pipe.kill_all()
        # Everything is written and cleaned up. To free the memory of a large run could take seconds, and so could its threads.
        os._exit(code)
    # What is left is freed with the process, and need not be searched for what holds itself: that takes as long as to load a library.
    gc.freeze()
    sys.exit(code)


def _printed(text: str) -> bool:
    """Prints a line without what reads the words of commands, which takes half of the time of a short one; false if it did not work."""
    try:
        return os.write(1, f"{text}\n".encode()) > len(text)
    except OSError:
        return False
