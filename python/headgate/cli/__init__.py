"""The command `headgate`: one file per command, in the folder `commands`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command: exit code 2 for anything that the user gave wrong, 130 after Ctrl-C and 143 after SIGTERM, no traceback for any."""
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
    sys.exit(code)
