"""What must hold for a release, where looking at files is enough. Each rule gives the faults it found, a sentence each.

Rules that build or run something stand in `check.py` and `systems.py`.
"""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path

from tests.installed import LICENSES

from .wheels import ROOT, TARGETS, sha256

#: No wheel is larger, in bytes.
LARGEST = 12_000_000
#: An action of GitHub: a tag of a foreign repository can be moved to other code, a digest cannot. The version is for people.
ACTION = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
#: An image of a container, as a key of a job or as a variable.
IMAGE = re.compile(r"\bimage: *(\S+)", re.IGNORECASE)
#: Files that repeat the version of the workspace, and where; those of the second list only where they are.
REPEATED = {"CITATION.cff": r"^version: (\S+)$", "web/package.json": r'^  "version": "(.*)"'}
MAYBE_REPEATED = {".zenodo.json": r'"version": "(.*)"', "codemeta.json": r'"version": "(.*)"'}
#: Lock files that hold the workspace's own crates.
LOCKS = ("Cargo.lock", "fuzz/Cargo.lock")


def version(root: Path) -> str:
    """The version of the workspace, from which maturin takes that of the package."""
    return str(tomllib.loads((root / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"])


def versions(root: Path) -> list[str]:
    """Places that name another version than the workspace has."""
    due, faults = version(root), []
    optional = {name: at for name, at in MAYBE_REPEATED.items() if (root / name).exists()}
    for name, at in (REPEATED | optional).items():
        found = re.search(at, (root / name).read_text("utf-8"), re.MULTILINE)
        if found is None or found[1] != due:
            faults.append(
                f"{name}: its version is {found[1] if found else 'missing'}; expected {due}, as in Cargo.toml"
            )
    for name in LOCKS:
        for crate in tomllib.loads((root / name).read_text("utf-8"))["package"]:
            # What is not from a registry is of this checkout.
            ours = crate["name"].startswith("headgate-") and "source" not in crate and crate["name"] != "headgate-fuzz"
            if ours and crate["version"] != due:
                faults.append(f"{name}: {crate['name']} has the version {crate['version']}; expected {due}")
    return faults


def changelog(root: Path, dated: bool) -> list[str]:
    """Whether CHANGELOG.md has a section of the version that says something, and, for a release, when it was."""
    text, due = (root / "CHANGELOG.md").read_text("utf-8"), version(root)
    found = re.search(rf"^## {re.escape(due)}(?: \((.*)\))?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        return [f"CHANGELOG.md: expected a section `## {due}`"]
    if not re.search(r"^- \S", found[2], re.MULTILINE):
        return [f"CHANGELOG.md: the section of {due} has no change"]
    if dated and not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1] or ""):
        return [f"CHANGELOG.md: the section of {due} has ({found[1] or ''}); expected a date such as (2026-11-29)"]
    return []


def workflows(root: Path) -> list[str]:
    """Actions and images that are not pinned by a digest."""
    faults = []
    for file in sorted((root / ".github/workflows").glob("*.yml")):
        text = file.read_text("utf-8")
        for action in re.findall(r"^\s*(?:- )?uses: *(.*)$", text, re.MULTILINE):
            if not ACTION.fullmatch(action):
                faults.append(f"{file.name}: {action}; expected a digest of 40 digits, and # with the version")
        for image in IMAGE.findall(text):
            if not re.search(r"@sha256:[0-9a-f]{64}$", image):
                faults.append(f"{file.name}: {image}; expected a digest, @sha256: and 64 digits")
    return faults


def _listed(text: str, key: str) -> list[str]:
    """The items of the list `key` of a file of YAML, where each has a line."""
    found = re.search(rf"^( *){key}:\n((?:\1  - .*\n)+)", text, re.MULTILINE)
    return [line.strip().removeprefix("- ") for line in found[2].splitlines()] if found else []


def recipe(root: Path) -> list[str]:
    """Whether the conda recipe asks for what the package asks for, and names the source archive that is in `dist`."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    given = (root / "release/conda/recipe.yaml").read_text("utf-8")
    due = {
        f"python {project['requires-python']}",
        *(re.sub(r"(?=[<>=])", " ", d, count=1) for d in project["dependencies"]),
    }
    faults = [
        f"release/conda/recipe.yaml: {name}; expected as pyproject.toml has it"
        for name in due ^ {*_listed(given, "run")}
    ]
    if {Path(name).name for name in _listed(given, "license_file")} != {Path(name).name for name in LICENSES}:
        faults.append(f"release/conda/recipe.yaml: license_file; expected {', '.join(LICENSES)}")
    archive, written = root / f"dist/headgate-{version(root)}.tar.gz", root / "dist/conda/recipe.yaml"
    if not (archive.exists() and written.exists()):
        return [*faults, f"dist: expected {archive.name} and conda/recipe.yaml; run `make sdist`"]
    text = written.read_text("utf-8")
    for what, value in (("version", version(root)), ("sha256", sha256(archive))):
        if f'{what}: "{value}"' not in text:
            faults.append(f"dist/conda/recipe.yaml: expected {what} {value}; run `make sdist`")
    return faults


def wheel_names(root: Path) -> list[str]:
    """The wheels for Linux that a release has, by the tag that says the C library's version."""
    return [
        f"headgate-{version(root)}-cp311-abi3-{library}_{target.partition('-')[0]}"
        for target, library in TARGETS.items()
    ]


def wheels(root: Path, sources: str) -> list[str]:
    """Whether each wheel is there, small, with all licences, without what is of the machine, and from the sources of this digest."""
    there = {file.name: file for file in (root / "dist").glob("*.whl")}
    built = json.loads(file.read_text("utf-8")) if (file := root / "dist/sources.json").exists() else {}
    faults = []
    for name in wheel_names(root):
        # The last part of a name has all tags that hold, in any order: manylinux2014 is manylinux_2_17.
        begin, _, tag = name.rpartition("-")
        found = [
            file
            for other, file in there.items()
            if other.startswith(f"{begin}-") and tag in other.removesuffix(".whl").rpartition("-")[2].split(".")
        ]
        if not found:
            faults.append(f"dist/{name}.whl is not there; run `make wheels`")
            continue
        (file,) = found
        there.pop(file.name)
        if built.get(file.name) != sources:
            faults.append(f"dist/{file.name} was built from other sources than those here; run `make wheels`")
        if (size := file.stat().st_size) > LARGEST:
            faults.append(f"dist/{file.name} has {size / 1e6:.1f} MB; expected at most {LARGEST / 1e6:.0f} MB")
        faults += [f"dist/{file.name}: {fault}" for fault in contents(file)]
    return faults + [f"dist/{name}: not a wheel of this release; remove it" for name in sorted(there)]


def contents(wheel: Path) -> list[str]:
    """What is wrong inside a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        faults = [
            f"lacks {text}" for text in LICENSES if not any(n.endswith(f".dist-info/licenses/{text}") for n in names)
        ]
        faults += [
            f"{name} is no part of a release" for name in names if "__pycache__" in name or name.endswith(".pth")
        ]
        engines = [name for name in names if re.fullmatch(r"headgate/_core\.(abi3\.so|pyd)", name)]
        if len(engines) != 1:
            return [*faults, f"expected one engine, found {len(engines)}"]
        machine = {str(ROOT), str(Path.home() / ".cargo")}
        engine = archive.read(engines[0])
        return faults + [f"{engines[0]} holds the path {p}" for p in sorted(machine) if p.encode() in engine]


def older(name: str, audited: str) -> str:
    """What is wrong where auditwheel (what it printed) finds that a wheel needs a newer system than its name promises."""
    form = r"(manylinux|musllinux)_(\d+)_(\d+)"
    promised, found = re.search(form, name), re.search(rf'platform tag: "{form}', audited.replace("\n", " "))
    if promised is None or found is None or promised[1] != found[1]:
        return f"{name}: auditwheel says: {audited.strip()}"
    if [int(part) for part in found.groups()[1:]] > [int(part) for part in promised.groups()[1:]]:
        return f"{name}: auditwheel finds that it needs {found[0].partition(chr(34))[2]}"
    return ""
