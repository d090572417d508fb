"""Builds the folder that `make site` makes: the documentation, and the explorer without a server, for any host of files.

    python web/make_site.py [--quick] [--documentation FOLDER] [--out FOLDER]

`--quick` is for tests: the engine is hardly optimised, and lessons have no answers. What depends on no input is computed here; the rest is
answered by the engine, which is compiled to WebAssembly (crates/browser).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from headgate import __version__, _core
from headgate.base.catalogue import catalogue
from headgate.explore.controls import with_value
from headgate.explore.front import cards
from headgate.explore.front.routes import FrontRoutes
from headgate.explore.lesson import Lesson, lessons
from headgate.explore.subject import Subject
from headgate.explore.wire import encode
from headgate.lab.conformance.controls import PATHS
from headgate.scenario.examples import RECORDED
from headgate.scenario.scenario import Scenario

ROOT = Path(__file__).resolve().parents[1]
TARGET = "wasm32-unknown-unknown"

#: What says how the target is installed, where it is missing.
MISSING = f"""The site needs Rust's target {TARGET}, which is not installed. With rustup:
  rustup target add {TARGET}
Of Rust as Debian packages it: apt install libstd-rust-dev-wasm32"""


def has_target() -> bool:
    """Whether the compiler of this machine has the standard library of the target."""
    found = subprocess.run(
        [os.environ.get("RUSTC", "rustc"), "--print", "target-libdir", "--target", TARGET],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return found.returncode == 0 and any(Path(found.stdout.strip()).glob("libcore-*.rlib"))


#: The modules, and what is in each besides runs. The page begins with the smallest, which imports nothing, and loads others when needed.
MODULES = {"headgate.wasm.gz": "", "headgate-own.wasm.gz": "own", "headgate-replay.wasm.gz": "replay"}


def module(quick: bool, features: str) -> bytes:
    """The engine as WebAssembly, compressed, with these features of crates/browser."""
    profile = "site-quick" if quick else "site"
    subprocess.run(
        [
            "cargo", "build", "--quiet", "--locked", "--package", "headgate-browser", "--target", TARGET, "--profile", profile,
            "--no-default-features", "--features", features,
        ],
        cwd=ROOT, check=True,
    )  # fmt: skip
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = (folder / TARGET / profile / "headgate_browser.wasm").read_bytes()
    if quick:
        return gzip.compress(built, 9, mtime=0)
    # Half a minute for 4 % less.
    import zopfli.gzip

    return bytes(zopfli.gzip.compress(built, numiterations=5))


def start() -> dict[str, Any]:
    """What the page begins with: the start page, as `headgate explore` without a file."""
    return {
        "version": __version__, "kind": "start", "title": "Start page", "file": None, "scenario": None, "controls": [], "other": None,
        "chosen": [], "lessons": [{"name": x.name, "title": x.title} for x in lessons().values()],
    }  # fmt: skip


def answers(lesson: Lesson) -> dict[str, Any]:
    """The answers to a lesson's question: to each of its answers at the value that the question is about, and to any other value."""
    control = _core.Control()
    changed = with_value(Scenario(lesson.scenario), lesson.change, lesson.to)
    found = [lesson.response_to(changed, at, control) for at in range(len(lesson.answers))]
    return {
        "scenario": changed.data,
        "answers": {each["text"]: told for each, told in zip(lesson.answers, found, strict=True)},
        "other": lesson.response_to(Scenario(lesson.scenario), 0, control),
    }


def neighbours() -> list[str]:
    """The flow controls that may run beside one of the page's own: first those that the tests of a flow control put there."""
    first = [flow["control"] for path in PATHS for flow in path.beside]
    return [*first, *(name for name in catalogue("flow-controls") if name not in first)]


def data(quick: bool) -> dict[str, Any]:
    """The files of the page that depend on no input, by their names."""
    examples = [each for each in cards.of_examples() if each["name"] not in RECORDED]
    known, opened = lessons(), FrontRoutes(Subject(), None)
    files: dict[str, Any] = {
        "start": start(),
        "front": {
            "builder": None, "added": [], "lessons": cards.of_lessons(known), "examples": examples, "papers": cards.of_papers(),
        },
        "front/files": {"folder": "", "files": []},
        "own-paths": {"paths": [asdict(path) for path in PATHS], "beside": neighbours()},
    }  # fmt: skip
    for name, lesson in known.items():
        files[f"lessons/{name}"] = lesson.page()
        if not quick:
            files[f"answers/{name}"] = answers(lesson)
    for each in examples:
        files[f"open/example/{each['name']}"] = opened.opened("example", each["name"])
    for each in cards.of_papers():
        # The documentation has the tables of the paper.
        files[f"open/paper/{each['name']}"] = {
            "scenario": None, "address": f"../papers/{each['name']}.html", "command": f"headgate explore {each['name']}",
        }  # fmt: skip
    return files


def explorer(folder: Path, quick: bool) -> None:
    """Builds the page in an empty folder."""
    for name, value in data(quick).items():
        file = folder / "data" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode(value))
    for name, features in MODULES.items():
        (folder / name).write_bytes(module(quick, features))
    for script in ("site", "site-own", "site-offline"):
        subprocess.run(
            ["npm", "run", "--silent", script],
            cwd=ROOT / "web",
            check=True,
            env={**os.environ, "HEADGATE_SITE": str(folder)},
        )


#: What docs/live.py hides, since it works only beside the explorer.
HIDDEN = " hidden data-explore"


def reveal(folder: Path) -> None:
    """Shows the links to the explorer and the live examples of the documentation, and adds the script of the latter."""
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        if HIDDEN not in text:
            continue
        text = text.replace(HIDDEN, "")
        if 'class="live"' in text:
            up = "../" * (len(page.relative_to(folder).parts) - 1)
            script = f'<script type="module" src="{up}explore/assets/frames.js"></script>'
            text = text.replace("</head>", f"{script}</head>", 1)
        page.write_text(text, "utf-8")


def main() -> None:
    """Builds the folder beside its place, and puts it there when it is whole."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--quick", action="store_true", help="for tests: hardly optimised, and lessons without answers"
    )
    options.add_argument("--documentation", type=Path, help="the folder of the documentation in HTML")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "site")
    given = options.parse_args()
    if not has_target():
        sys.exit(MISSING)
    out = given.out.resolve()
    new = out.with_name(f"{out.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    if given.documentation:
        shutil.copytree(given.documentation, new, ignore=shutil.ignore_patterns(".doctrees", "man", ".buildinfo"))
        reveal(new)
    (new / "explore").mkdir(parents=True)
    explorer(new / "explore", given.quick)
    # Some hosts leave out files whose names begin with _, unless they find this one.
    (new / ".nojekyll").touch()
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)
    sizes = {name: (out / "explore" / name).stat().st_size for name in MODULES}
    print(json.dumps({"folder": str(given.out), "modules": sizes}))


if __name__ == "__main__":
    main()
