"""Builds the wheels for Linux, and the source archive with its conda recipe, into `dist`: `make wheels` and `make sdist`.

    python -m release.wheels                  all wheels
    python -m release.wheels TARGET ...       those of some of Rust's targets
    python -m release.wheels --sdist          the source archive, and the recipe that names its digest

Zig is the C compiler and the linker: it has the libraries of all systems, those of an old glibc included. dist/sources.json keeps
of which source archive each wheel is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
#: For each wheel, the digest of the source archive that has what it was built from.
SOURCES = DIST / "sources.json"
RECIPE = ROOT / "release/conda/recipe.yaml"
#: For each target of Rust, the oldest C library that its wheel runs with, as wheels name it.
TARGETS = {
    "x86_64-unknown-linux-gnu": "manylinux_2_17",
    "aarch64-unknown-linux-gnu": "manylinux_2_17",
    "x86_64-unknown-linux-musl": "musllinux_1_2",
    "aarch64-unknown-linux-musl": "musllinux_1_2",
}


def environment() -> dict[str, str]:
    """The environment of a build: zig is that of this Python, and neither a time nor a path of this machine gets into a file."""
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    # An error of the engine names the line of its source: from its folder, wherever that is.
    places = {cargo / "registry/src": "crates.io", ROOT: "headgate"}
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in places.items()]
    ours = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
    }
    return {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"} | ours


def installed_targets() -> set[str]:
    """The targets whose standard library is installed for the compiler that builds."""
    asked = ["rustc", "--print", "sysroot"]
    root = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    return {folder.name for folder in (root / "lib/rustlib").iterdir() if (folder / "lib").is_dir()}


def maturin(*words: str, quiet: bool = False) -> None:
    """Runs maturin in the checkout; ends the program where it fails. `quiet` shows what it says only then."""
    command = [str(Path(sys.executable).with_name("maturin")), *words]
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=False, capture_output=quiet, text=True)
    if done.returncode:
        sys.exit(f"maturin {words[0]} failed: {done.stderr if quiet else 'see above.'}")


def sdist(folder: Path) -> Path:
    """Builds the source archive: the same bytes from the same sources, whenever it is."""
    maturin("sdist", "--out", str(folder), quiet=True)
    (archive,) = folder.glob("headgate-*.tar.gz")
    return archive


def sha256(file: Path) -> str:
    """The digest of a file, in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def sdist_and_recipe() -> None:
    """Builds the source archive into `dist`, and writes the conda recipe there with its version and its digest."""
    for old in DIST.glob("headgate-*.tar.gz"):
        old.unlink()
    archive = sdist(DIST)
    recipe = RECIPE.read_text("utf-8")
    recipe = recipe.replace("@VERSION@", archive.name.removeprefix("headgate-").removesuffix(".tar.gz"))
    recipe = recipe.replace("@SHA256@", sha256(archive))
    (DIST / "conda").mkdir(exist_ok=True)
    (DIST / "conda/recipe.yaml").write_text(recipe, "utf-8")


def build(target: str) -> None:
    """Builds the wheel of one target in place of an earlier one; maturin refuses what its tag does not allow."""
    library, machine = TARGETS[target], target.partition("-")[0]
    for old in DIST.glob(f"headgate-*{library}_{machine}*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        sources = sha256(sdist(Path(folder)))
    maturin("build", "--release", "--locked", "--zig", "--target", target, "--compatibility", library, "--auditwheel", "check",
            "--out", str(DIST))  # fmt: skip
    (wheel,) = DIST.glob(f"headgate-*{library}_{machine}*.whl")
    known = json.loads(SOURCES.read_text("utf-8")) if SOURCES.exists() else {}
    SOURCES.write_text(json.dumps(known | {wheel.name: sources}, indent=2, sort_keys=True) + "\n", "utf-8")


def main() -> None:
    """Builds what the command line asks for."""
    parser = argparse.ArgumentParser(description="Builds the wheels for Linux, and the source archive, into dist.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all if none is given")
    parser.add_argument("--sdist", action="store_true", help="build the source archive and its conda recipe instead")
    asked = parser.parse_args()
    targets = asked.targets or list(TARGETS)
    if unknown := [target for target in targets if target not in TARGETS]:
        parser.error(f"{unknown[0]}: expected one of {', '.join(TARGETS)}")
    if asked.sdist:
        sdist_and_recipe()
        return
    if missing := sorted(set(targets) - installed_targets()):
        sys.exit(f"The compiler lacks the targets {', '.join(missing)}: rustup target add {' '.join(missing)}")
    for target in targets:
        build(target)


if __name__ == "__main__":
    main()
