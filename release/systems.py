"""Wheels on the systems that this machine can be: each is installed with the locked versions of what it needs, and tried."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import pythons
from .pythons import LeftOutError
from .wheels import ROOT

UV = ROOT / ".cache/tools/bin/uv"


class CommandError(Exception):
    """What a command said last, where it failed."""


@dataclass(frozen=True)
class System:
    """A system of a wheel: the tag in the wheel's name, uv's name of it, and the command of a Python on it."""

    tag: str
    platform: str
    python: Callable[[], list[str]]


def own() -> list[str]:
    """The Python that runs this, where it is that of the system."""
    if (platform.system(), platform.machine(), platform.libc_ver()[0]) != ("Linux", "x86_64", "glibc"):
        raise LeftOutError("this machine is another system")
    return [sys.executable]


def no_processor() -> list[str]:
    """Where two things at once would be needed: an emulated processor, and a Python of musl for it."""
    raise LeftOutError("neither Debian nor this machine has a Python of musl for aarch64; the workflow runs it")


SYSTEMS = [
    System("manylinux_2_17_x86_64", "x86_64-manylinux_2_28", own),
    System("manylinux_2_17_aarch64", "aarch64-manylinux_2_28", pythons.aarch64),
    System("musllinux_1_2_x86_64", "x86_64-unknown-linux-musl", pythons.musl),
    System("musllinux_1_2_aarch64", "aarch64-unknown-linux-musl", no_processor),
]


def run(*command: str | Path, **environment: str) -> str:
    """Runs a command in the checkout, with nothing of this one's Python; gives what it printed."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=ROOT, env=clean | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        # The last line of a traceback says what went wrong; several digests that differ have a line each.
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-5:]
        raise CommandError(f"{Path(command[0]).name} ended with {done.returncode}: " + " | ".join(last))
    return done.stdout


def install(package: Path, *where: str | Path, binary: bool = True) -> None:
    """Installs a wheel, or a source archive, with its dependencies in the locked versions and no extra."""
    with tempfile.TemporaryDirectory() as folder:
        needs = Path(folder) / "requirements.txt"
        run(
            UV,
            "export",
            "--quiet",
            "--locked",
            "--no-emit-project",
            "--format",
            "requirements-txt",
            "--output-file",
            needs,
        )
        run(UV, "pip", "install", "--quiet", "--only-binary", ":all:", "--requirement", needs, *where)
    # A source archive is built as a checkout is, in a third of the time: the wheels show what all optimisations give.
    form = ("--only-binary", ":all:") if binary else ()
    run(UV, "pip", "install", "--quiet", "--no-deps", *form, package, *where, MATURIN_PEP517_ARGS="--profile dev")


def digests(system: System, wheel: Path) -> str:
    """What the trial of the installed wheel says of its digests on a system."""
    python = system.python()
    with tempfile.TemporaryDirectory() as folder:
        if system.python is own:
            said = in_environment(wheel, Path(folder) / "environment")
        else:
            install(wheel, "--target", folder, "--python-platform", system.platform, "--python-version", "3.11")
            said = run(*python, ROOT / "tests/installed.py", "--here", PYTHONPATH=folder)
    (line,) = [line for line in said.splitlines() if "pinned digests are equal" in line]
    return line


def in_environment(package: Path, environment: Path, binary: bool = True) -> str:
    """The trial of a wheel or of a source archive in a new environment of this Python, with every command as its own process."""
    run(UV, "venv", "--quiet", "--python", sys.executable, environment)
    python = environment / "bin/python"
    install(package, "--python", python, binary=binary)
    return run(python, ROOT / "tests/installed.py")
