"""Installs the other implementations into .cache/oracles, runs them, and compares what they say with the gold files, or writes these."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gold
import queues

HERE = Path(__file__).parent
CACHE = HERE.parent.parent / ".cache" / "oracles"
LIBRARIES = ("traffic-control", "internet", "network", "core")


def do(*command: str | Path, where: Path = HERE) -> str:
    """Runs a command and gives its output."""
    done = subprocess.run([str(part) for part in command], cwd=where, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def pip(*words: str | Path) -> Path:
    """Runs pip in a virtual environment of the cache; gives its interpreter."""
    python = CACHE / "python" / "bin" / "python"
    if not python.exists():
        do(sys.executable, "-m", "venv", CACHE / "python")
    do(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words)
    return python


def aioquic() -> list[str]:
    """The command that drives aioquic."""
    return [str(pip("install", "aioquic==1.7.2")), str(HERE / "drive_aioquic.py")]


def ns3(name: str) -> list[str]:
    """The wheel of ns-3, unpacked, and a program of this folder built with it."""
    folder, program = CACHE / "ns3", CACHE / name
    if not folder.exists():
        wheel = ["--no-deps", "--only-binary=:all:", "--python-version=3.11", "--implementation=cp", "ns3==3.44.post0"]
        pip("download", "--dest", CACHE, *wheel)
        shutil.unpack_archive(next(CACHE.glob("ns3-*.whl")), folder, "zip")
    lib = folder / "ns3" / "lib64"
    link = [f"-L{lib}", *(f"-lns3.44-{name}" for name in LIBRARIES), "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,{lib}"]
    do("g++", "-std=c++20", f"-I{folder / 'ns3' / 'include'}", f"{name}.cc", *link, "-o", program)
    return [str(program)]


def s2n() -> list[str]:
    """The program of s2n/."""
    target = CACHE / "s2n"
    do("cargo", "build", "--quiet", "--release", "--locked", "--target-dir", target, where=HERE / "s2n")
    return [str(target / "release" / "drive-s2n")]


def noq() -> list[str]:
    """The program of noq/."""
    target = CACHE / "noq"
    do("cargo", "build", "--quiet", "--release", "--locked", "--target-dir", target, where=HERE / "noq")
    return [str(target / "release" / "drive-noq")]


def gvisor() -> str:
    """What gVisor's TCP does in the cases."""
    program = CACHE / "drive-gvisor"
    do("go", "build", "-o", program, where=HERE / "gvisor")
    return do(program, "cases.json", where=HERE / "gvisor")


def main() -> int:
    """0 if all is as it was, 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="Write the gold files instead of comparing with them.")
    write = parser.parse_args().write
    for tool in ("g++", "cargo", "go"):
        if shutil.which(tool, path=os.environ.get("PATH")) is None:
            print(f"expected {tool} in the PATH", file=sys.stderr)
            return 2
    CACHE.mkdir(parents=True, exist_ok=True)
    said = {HERE / "gvisor" / "gold.jsonl": gvisor()}
    said |= gold.run({"aioquic": aioquic(), "ns3": ns3("drive_ns3"), "s2n": s2n(), "noq": noq()})
    said |= queues.run(ns3("drive_ns3_queue"))
    differ = []
    for path, text in said.items():
        if write:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            differ.append(path)
    for path in differ:
        print(f"{path.relative_to(HERE)}: it says something else now")
    print(f"{len(said)} files, {len(differ)} differ" if not write else f"{len(said)} files written")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
