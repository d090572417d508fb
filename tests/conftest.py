from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# One profile for every property: how fast a machine is decides no test, and where CI is set the same examples are tried each time.
settings.register_profile(
    "headgate",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("headgate")

# A shell without job control starts background jobs with SIGINT ignored, which the programs under test would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the command in an empty folder."""

    def run(*args: object) -> subprocess.CompletedProcess[str]:
        code = "from headgate.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, cwd=tmp_path, timeout=120
        )

    return run


def dumbbell(queue: object = None, flows: object = None, **more: object) -> dict[str, object]:
    """Two hosts behind a gateway, one line of 80 kbit/s."""
    return {
        "duration": "140s",
        "interval": "20s",
        "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "k", "kind": "host"}],
        "links": [
            {"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s"},
            {"name": "slow", "from": "g", "to": "k", "rate": "80kbit/s", "queue": queue or {"kind": "fcfs"}},
        ],
        "flows": flows or [{"name": "ftp", "from": "s", "to": "k", "control": {"kind": "generic", "window": 5}}],
        **more,
    }
