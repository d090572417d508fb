"""The checklist of a release: it holds for this checkout where files are enough, and each planted fault makes an item fail."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from release import check, pythons, rules, systems, wheels

from ..conftest import ROOT
from ..installed import LICENSES

FILES = ["Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock", "CITATION.cff", "web/package.json", "CHANGELOG.md", "pyproject.toml",
         "release/conda/recipe.yaml", ".github/workflows/ci.yml", ".github/workflows/wheels.yml"]  # fmt: skip
VERSION = rules.version(ROOT)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of the files that rules read, with a source archive of a few bytes and its recipe."""
    for name in [*FILES, *(name for name in rules.MAYBE_REPEATED if (ROOT / name).exists())]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)

    def maturin(*words: str, quiet: bool) -> None:
        (Path(words[-1]) / f"headgate-{VERSION}.tar.gz").write_bytes(b"sources")

    (tmp_path / "dist").mkdir()
    monkeypatch.setattr(wheels, "maturin", maturin)
    monkeypatch.setattr(wheels, "DIST", tmp_path / "dist")
    wheels.sdist_and_recipe()
    return tmp_path


def wheel(root: Path, name: str, engine: bytes = b"\x7fELF", without: str = "", extra: str = "") -> Path:
    """A wheel with what rules look at."""
    file = root / f"dist/{name}.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("headgate/_core.abi3.so", engine)
        for text in {*LICENSES} - {without}:
            archive.writestr(f"headgate-{VERSION}.dist-info/licenses/{text}", "text")
        if extra:
            archive.writestr(extra, "")
    return file


def all_wheels(root: Path) -> list[Path]:
    """The wheels of a release, with the names that maturin gives, from sources of the digest "0"."""
    made = []
    for name in rules.wheel_names(root):
        begin, _, tag = name.rpartition("-")
        older = tag.replace("manylinux_2_17", "manylinux2014")
        made.append(wheel(root, name if older == tag else f"{begin}-{older}.{tag}"))
    (root / "dist/sources.json").write_text(json.dumps(dict.fromkeys([file.name for file in made], "0")))
    return made


def test_the_files_of_this_checkout_hold(root: Path) -> None:
    assert rules.versions(root) == []
    assert rules.changelog(root, dated=False) == []
    assert rules.workflows(ROOT) == []
    assert rules.recipe(root) == []


DIGEST = "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"


@pytest.mark.parametrize(
    ("rule", "file", "good", "bad", "says"),
    [
        (rules.versions, "CITATION.cff", rf"(?m)^version: {VERSION}$", "version: 9.9.9",
         f"CITATION.cff: its version is 9.9.9; expected {VERSION}, as in Cargo.toml"),
        (rules.versions, "CITATION.cff", r"(?m)^version: .*\n", "", "CITATION.cff: its version is missing"),
        (rules.versions, "web/package.json", VERSION, "0.0.1", "web/package.json: its version is 0.0.1"),
        (rules.versions, "fuzz/Cargo.lock", rf'"headgate-sim"\nversion = "{VERSION}"', '"headgate-sim"\nversion = "0.0.1"',
         "fuzz/Cargo.lock: headgate-sim has the version 0.0.1"),
        (rules.versions, "Cargo.toml", rf'version = "{VERSION}"', 'version = "9.9.9"', "expected 9.9.9, as in Cargo.toml"),
        (lambda r: rules.changelog(r, dated=False), "CHANGELOG.md", rf"## {VERSION}", "## 9.9.9",
         f"CHANGELOG.md: expected a section `## {VERSION}`"),
        (lambda r: rules.changelog(r, dated=False), "CHANGELOG.md", rf"(## {VERSION}.*\n)(?s:.*)", r"\1\n## 0.0.1\n\n- It began.\n",
         f"CHANGELOG.md: the section of {VERSION} has no change"),
        (lambda r: rules.changelog(r, dated=True), "CHANGELOG.md", rf"## {VERSION}.*", f"## {VERSION} (soon)",
         f"CHANGELOG.md: the section of {VERSION} has (soon); expected a date"),
        (rules.workflows, ".github/workflows/ci.yml", f"actions/checkout@{DIGEST}", "actions/checkout@v7",
         "ci.yml: actions/checkout@v7; expected a digest of 40 digits"),
        (rules.workflows, ".github/workflows/ci.yml", f"actions/checkout@{DIGEST}", "actions/checkout@" + DIGEST[:40], "expected a digest"),
        (rules.workflows, ".github/workflows/wheels.yml", r"python:3.12-alpine@sha256:\w+", "python:3.12-alpine",
         "wheels.yml: python:3.12-alpine; expected a digest, @sha256:"),
        (rules.recipe, "release/conda/recipe.yaml", r"- numpy .*", "- numpy >=1.20", "numpy >=1.20; expected as pyproject.toml"),
        (rules.recipe, "pyproject.toml", r'requires-python = ".*"', 'requires-python = ">=3.14"', "python >=3.14; expected"),
        (rules.recipe, "release/conda/recipe.yaml", r" *- LICENSES-CRATES.yml\n", "", "recipe.yaml: license_file; expected"),
        (rules.recipe, "dist/conda/recipe.yaml", r'sha256: "\w+"', 'sha256: "0"', "dist/conda/recipe.yaml: expected sha256"),
        (rules.recipe, f"dist/headgate-{VERSION}.tar.gz", "sources", "others", "dist/conda/recipe.yaml: expected sha256"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_named(
    rule: Callable[[Path], list[str]], file: str, good: str, bad: str, says: str, root: Path
) -> None:
    text = (root / file).read_text("utf-8")
    planted = re.sub(good, bad, text, count=1)
    assert planted != text
    (root / file).write_text(planted, "utf-8")
    found = rule(root)
    assert any(says in fault for fault in found), found


def test_a_release_needs_a_date(root: Path) -> None:
    text = (root / "CHANGELOG.md").read_text("utf-8")
    (root / "CHANGELOG.md").write_text(re.sub(rf"## {VERSION}.*", f"## {VERSION} (2026-11-29)", text), "utf-8")
    assert rules.changelog(root, dated=True) == []


def test_wheels_are_there_small_and_of_these_sources(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = all_wheels(root)
    assert rules.wheels(root, "0") == []
    assert len(found := rules.wheels(root, "1")) == 4 and "was built from other sources" in found[0]
    monkeypatch.setattr(rules, "LARGEST", first.stat().st_size - 1)
    assert any("expected at most" in fault for fault in rules.wheels(root, "0"))
    monkeypatch.undo()
    wheel(root, "headgate-0.0.1-cp311-abi3-manylinux_2_17_x86_64")
    first.unlink()
    missing, stray = rules.wheels(root, "0")
    assert missing == f"dist/headgate-{VERSION}-cp311-abi3-manylinux_2_17_x86_64.whl is not there; run `make wheels`"
    assert stray.startswith("dist/headgate-0.0.1-") and stray.endswith("not a wheel of this release; remove it")


def test_what_is_inside_a_wheel(root: Path) -> None:
    assert rules.contents(wheel(root, "good")) == []
    assert rules.contents(wheel(root, "a", without="LICENSE-MIT")) == ["lacks LICENSE-MIT"]
    assert rules.contents(wheel(root, "b", extra="headgate.pth")) == ["headgate.pth is no part of a release"]
    (fault,) = rules.contents(wheel(root, "c", engine=f"at {ROOT}/crates/sim/src/lib.rs".encode()))
    assert fault == f"headgate/_core.abi3.so holds the path {ROOT}"
    assert rules.contents(wheel(root, "d", extra="headgate/_core.pyd")) == ["expected one engine, found 2"]


@pytest.mark.parametrize(
    ("found", "good"),
    [("manylinux_2_17_x86_64", True), ("manylinux_2_5_x86_64", True), ("manylinux_2_28_x86_64", False),
     ("musllinux_1_2_x86_64", False), ("linux_x86_64", False)],
)  # fmt: skip
def test_a_wheel_that_needs_a_newer_system_than_its_name_says(found: str, good: bool) -> None:
    # As auditwheel breaks its lines.
    said = f'\nx.whl is consistent with\nthe following platform tag:\n"{found}".\n'
    fault = rules.older("headgate-1-cp311-abi3-manylinux_2_17_x86_64.whl", said)
    assert (fault == "") == good and (good or found.removesuffix("_x86_64") in fault)


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{variable}_NAME", "a")
        monkeypatch.setenv(f"{variable}_EMAIL", "a@example.org")
    (root / ".gitignore").write_text("/dist\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "all")
    for module in (check, systems):
        monkeypatch.setattr(module, "ROOT", root)
    return root


def test_the_tag_is_set_only_if_no_item_fails(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def left_out() -> str:
        raise pythons.LeftOutError("qemu is not installed")

    good = [("versions", lambda: VERSION), ("digests", left_out)]
    monkeypatch.setattr("sys.argv", ["check", "--tag"])
    monkeypatch.setattr(check, "items", lambda tag: [*good, ("changelog", lambda: ["no section", "no date"])])
    with pytest.raises(SystemExit, match=r"An item fails: nothing was tagged\."):
        check.main()
    assert git(repository, "tag") == ""
    table = "versions HOLDS digests LEFT changelog fails no section no date"
    said = " ".join(capsys.readouterr().out.split())
    assert said == table.replace("HOLDS", f"holds {VERSION}").replace("LEFT", "left out qemu is not installed")
    monkeypatch.setattr(check, "items", lambda tag: good)
    check.main()
    assert "nothing was pushed" in capsys.readouterr().out
    assert "left out  qemu is not installed" in git(repository, "tag", "-n9")


def test_a_tag_is_new_and_of_what_is_committed_on_main(repository: Path) -> None:
    assert check.clean() == "everything is committed, on main"
    (repository / "CITATION.cff").write_text("")
    git(repository, "switch", "-qc", "other")
    git(repository, "tag", f"v{VERSION}")
    assert check.clean() == [
        "there are changes that are not committed", "the branch is other; expected main", f"the tag v{VERSION} is there already",
    ]  # fmt: skip


def test_an_item_that_cannot_run_fails_and_one_that_finds_faults_too() -> None:
    def ended() -> str:
        return systems.run("sh", "-c", "echo 3 digests differ >&2; exit 3")

    assert check.judged(ended) == ("fails", ["sh ended with 3: 3 digests differ"])
    assert check.judged(lambda: ["a fault"]) == ("fails", ["a fault"])


def test_what_this_machine_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: None)
    assert check.judged(lambda: pythons.aarch64()[0]) == ("left out", ["qemu-aarch64-static is not installed"])
    assert check.judged(lambda: pythons.musl()[0]) == ("left out", ["musl-gcc is not installed"])


def test_each_wheel_has_a_system_and_each_a_step_of_the_workflow() -> None:
    tags = [name.rpartition("abi3-")[2] for name in rules.wheel_names(ROOT)]
    assert [system.tag for system in systems.SYSTEMS] == tags
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text("utf-8"))["jobs"]
    built = {
        *jobs["linux"]["strategy"]["matrix"]["target"],
        *(m["target"] for m in jobs["build"]["strategy"]["matrix"]["include"]),
    }
    tried = {m["target"] for m in jobs["try"]["strategy"]["matrix"]["system"]}
    tried |= {m["target"] for m in jobs["try-musl"]["strategy"]["matrix"]["include"]}
    assert {*wheels.TARGETS} < built == tried
    for job, place in (("try", ""), ("try-musl", "/checkout/")):
        text = json.dumps(jobs[job])
        assert "headgate quick home bulk game" in text and f"python {place}tests/installed.py" in text
    assert {*jobs["publish"]["needs"]} == {*jobs} - {"linux", "build", "publish"}


@pytest.mark.parametrize(
    ("words", "there", "says"),
    [(["riscv64gc-unknown-linux-gnu"], [], "expected one of x86_64-unknown-linux-gnu, aarch64"),
     ([], ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl"],
      "The compiler lacks the targets aarch64-unknown-linux-musl: rustup target add aarch64-unknown-linux-musl")],
)  # fmt: skip
def test_a_target_that_is_not_there(
    words: list[str], there: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["wheels", *words])
    monkeypatch.setattr(wheels, "installed_targets", lambda: {*there})
    with pytest.raises(SystemExit) as end:
        wheels.main()
    assert says in capsys.readouterr().err + str(end.value)
