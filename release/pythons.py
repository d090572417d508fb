"""Pythons of other systems on this one, from Debian's packages: nothing is installed outside `.cache/release`.

For aarch64 it is Debian's own, which qemu's emulation of a processor runs. For musl there is none, so that its source is compiled with
musl's compiler. On a system without apt a release leaves out what needs them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .wheels import ROOT

FOLDER = ROOT / ".cache/release"
#: Python, and the libraries that it and wheels load.
AARCH64 = ["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "zlib1g", "libexpat1", "libgcc-s1", "libstdc++6",
           "libffi8", "libssl3", "libbz2-1.0", "liblzma5", "libuuid1", "libsqlite3-0"]  # fmt: skip
#: Debian 12 has Python 3.11. Its musl 1.2.3 cannot load the libraries in wheels of others, which have relocations of a newer form (RELR);
#: that of Debian 13 can.
PYTHON_FROM, MUSL_FROM = "bookworm", "trixie"
ARCHIVE = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian"


class LeftOutError(Exception):
    """What cannot be checked on this machine, and why: a sentence."""


def _need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise LeftOutError(f"{program} is not installed")


def _apt(suite: str, machine: str, folder: Path, *words: str) -> None:
    """Runs apt-get with lists and caches of its own, in the folder."""
    state = FOLDER / f"apt-{suite}-{machine}"
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (state / "sources.list").write_text(f"deb {ARCHIVE} {suite} main\ndeb-src {ARCHIVE} {suite} main\n", "utf-8")
    options = {
        "APT::Architecture": machine, "APT::Architectures": machine, "APT::Sandbox::User": "", "Dir::State": state,
        "Dir::State::status": state / "status", "Dir::Cache": state / "cache", "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "-",
    }  # fmt: skip
    _run(
        "apt-get",
        "-qq",
        *(part for name, value in options.items() for part in ("-o", f"{name}={value}")),
        *words,
        folder=folder,
    )


def _run(*command: str | Path, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise LeftOutError(f"{Path(command[0]).name} failed: {''.join(last)}")


def aarch64() -> list[str]:
    """The command of a Python on an emulated processor."""
    _need("qemu-aarch64-static", "apt-get", "dpkg-deb")
    root = FOLDER / "aarch64"
    if not root.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        half = FOLDER / f"aarch64.{os.getpid()}"
        (half / "packages").mkdir(parents=True)
        try:
            _apt(PYTHON_FROM, "arm64", half / "packages", "update")
            _apt(PYTHON_FROM, "arm64", half / "packages", "download", *AARCH64)
            for package in sorted((half / "packages").glob("*.deb")):
                _run("dpkg-deb", "-x", package, half, folder=half)
            half.rename(root)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    return ["qemu-aarch64-static", "-L", str(root), str(root / "usr/bin/python3.11")]


def musl() -> list[str]:
    """The command of a Python of musl on this processor; to compile it takes minutes, once."""
    _need("musl-gcc", "apt-get", "dpkg-deb", "make")
    root = FOLDER / "musl"
    if not root.exists():
        half, sources = FOLDER / f"musl.{os.getpid()}", FOLDER / f"musl-sources.{os.getpid()}"
        sources.mkdir(parents=True)
        try:
            _apt(PYTHON_FROM, "amd64", sources, "update")
            _apt(PYTHON_FROM, "amd64", sources, "source", "--download-only", "python3.11", "zlib")
            _run("bash", ROOT / "release/musl-python", sources, half, folder=sources)
            _apt(MUSL_FROM, "amd64", sources, "update")
            _apt(MUSL_FROM, "amd64", sources, "download", "musl")
            (package,) = sources.glob("musl_*.deb")
            _run("dpkg-deb", "-x", package, half, folder=half)
            half.rename(root)
        finally:
            shutil.rmtree(half, ignore_errors=True)
            shutil.rmtree(sources, ignore_errors=True)
    return [str(root / "usr/lib/x86_64-linux-musl/libc.so"), str(root / "bin/python3.11")]
