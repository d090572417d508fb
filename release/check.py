"""The checklist of a release, item by item, and the tag: `make release-check` and `make release`.

`python -m release.check` prints the table, and ends with 1 where an item fails. With `--tag` it also looks at what a tag needs, and sets
the tag, only if no item fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from . import rules, systems
from .pythons import LeftOutError
from .systems import CommandError, run
from .wheels import DIST, ROOT, sdist, sdist_and_recipe, sha256

BIN = Path(sys.executable).parent
#: What an item gives: faults, or a sentence of what was found where there are none.
Found = list[str] | str


def tool(name: str, *words: str | Path) -> str:
    """Runs a program of the dependency group `release`."""
    return run(BIN / name, *words)


def workflows() -> Found:
    """Actions are pinned, and zizmor finds nothing that others could misuse."""
    if faults := rules.workflows(ROOT):
        return faults
    tool("zizmor", "--offline", "--quiet", ".github/workflows")
    return "all actions and images have digests; zizmor finds nothing"


def archive() -> Found:
    """The source archive builds, and what is built from it works."""
    sdist_and_recipe()
    (file,) = DIST.glob("headgate-*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        systems.in_environment(file, Path(folder) / "environment", binary=False)
    return f"{file.stat().st_size / 1e6:.1f} MB; it builds, installs and runs"


def recipe() -> Found:
    """The conda recipe is what conda's builder can read, and names the archive."""
    import rattler_build

    if faults := rules.recipe(ROOT):
        return faults
    # What conda-forge decides for all of its packages.
    chosen = rattler_build.VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})
    rattler_build.Stage0Recipe.from_file(DIST / "conda/recipe.yaml").render(chosen)
    return "rattler-build renders it; it has the digest of the source archive"


def wheels() -> Found:
    """The wheels are there, and run on all systems that their names promise."""
    with tempfile.TemporaryDirectory() as folder:
        faults = rules.wheels(ROOT, sha256(sdist(Path(folder))))
    if faults:
        return faults
    files = sorted(DIST.glob("*.whl"))
    for file in files:
        if fault := rules.older(file.name, tool("auditwheel", "show", file)):
            faults.append(fault)
        tool("abi3audit", "--strict", file)
    sizes = [file.stat().st_size / 1e6 for file in files]
    return (
        faults
        or f"{len(files)} wheels of {min(sizes):.1f} to {max(sizes):.1f} MB; auditwheel and abi3audit agree with their tags"
    )


def digests(system: systems.System) -> Callable[[], Found]:
    """The item of a system: the pinned digests come out of its wheel there."""

    def item() -> Found:
        files = list(DIST.glob(f"headgate-*{system.tag}*.whl"))
        return (
            systems.digests(system, files[0]) if files else [f"dist has no wheel for {system.tag}; run `make wheels`"]
        )

    return item


def licences() -> Found:
    """The texts of licences are of the crates and libraries that are used."""
    tool("pytest", "tests/whole/test_licenses.py", "--no-header")
    return "the texts of all crates and libraries are those of the lock files"


def site() -> Found:
    """The site builds, and its module is no larger and no slower than a page may have it."""
    run("make", "site")
    return "`make site` builds it; " + run("make", "bench-site").splitlines()[-1]


def clean() -> Found:
    """What is tagged is what is committed, on the branch main, and the tag is a new one."""
    faults = []
    if run("git", "status", "--porcelain"):
        faults.append("there are changes that are not committed")
    if (branch := run("git", "branch", "--show-current").strip()) != "main":
        faults.append(f"the branch is {branch}; expected main")
    if run("git", "tag", "--list", f"v{rules.version(ROOT)}"):
        faults.append(f"the tag v{rules.version(ROOT)} is there already")
    return faults or "everything is committed, on main"


def items(tag: bool) -> Iterator[tuple[str, Callable[[], Found]]]:
    """The checklist, what takes long last."""
    if tag:
        yield "git", clean
    yield "versions", lambda: rules.versions(ROOT) or f"{rules.version(ROOT)} everywhere"
    yield "changelog", lambda: rules.changelog(ROOT, dated=tag) or "it has a section of this version"
    yield "workflows", workflows
    yield "licences", licences
    yield "source archive", archive
    yield "conda recipe", recipe
    yield "wheels", wheels
    for system in systems.SYSTEMS:
        yield f"digests, {system.tag}", digests(system)
    yield "site", site


def judged(item: Callable[[], Found]) -> tuple[str, list[str]]:
    """Whether an item holds, fails or is left out, and sentences on it."""
    try:
        found = item()
    except LeftOutError as why:
        return "left out", [str(why)]
    except CommandError as why:
        return "fails", [str(why)]
    return ("holds", [found]) if isinstance(found, str) else ("fails", found) if found else ("holds", [])


def table(tag: bool) -> tuple[list[str], bool]:
    """Prints the checklist as it goes; gives its lines, and whether no item fails."""
    lines, good = [], True
    for name, item in items(tag):
        verdict, sentences = judged(item)
        good = good and verdict != "fails"
        for k, sentence in enumerate(sentences or [""]):
            lines.append(f"{'' if k else name:30}{'' if k else verdict:10}{sentence}".rstrip())
            print(lines[-1], flush=True)
    return lines, good


def main() -> None:
    """Runs the checklist, and sets the tag where that is asked for."""
    parser = argparse.ArgumentParser(description="Runs the checklist of a release.")
    parser.add_argument("--tag", action="store_true", help="set the tag of the version, if no item fails")
    asked = parser.parse_args()
    lines, good = table(asked.tag)
    if not good:
        sys.exit("An item fails: nothing was tagged." if asked.tag else "An item fails.")
    if asked.tag:
        name = f"v{rules.version(ROOT)}"
        message = "\n".join([f"headgate {name}", "", *lines])
        subprocess.run(["git", "tag", "--annotate", name, "--message", message], cwd=ROOT, check=True)
        print(
            f"The tag {name} is set here, and nothing was pushed. `git push origin {name}` publishes: see release/README.md."
        )


if __name__ == "__main__":
    main()
