"""What the documentation is written from, and what of it is in git: docs/evidence.py."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import tarfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from ..conftest import ROOT

NAMES = ("one.json", "folder")


@pytest.fixture
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """docs/evidence.py over a checkout with one file, one folder, a page and its words."""
    spec = importlib.util.spec_from_file_location("evidence", ROOT / "docs/evidence.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, place in (("ROOT", ""), ("FOLDER", "docs/_evidence"), ("LIST", "docs/evidence.toml")):
        monkeypatch.setattr(module, name, tmp_path / place)
    monkeypatch.setattr(module, "MADE_BY", dict.fromkeys(NAMES, "make one"))
    monkeypatch.setattr(module, "_engine", lambda: "1a2b3c")
    (tmp_path / "docs/_evidence/folder").mkdir(parents=True)
    (tmp_path / "docs/_evidence/folder/a.toml").write_text("a = 1\n")
    module.keep("one.json", '{"runs": 3, "minutes": 1.5}')
    (tmp_path / "docs/page.md").write_text("3 runs\n")
    (tmp_path / "docs/words.toml").write_text("why = 'so'\n")
    module.wrote("one.json", {"runs": [3]}, [tmp_path / "docs/page.md"], tmp_path / "docs/words.toml")
    module.wrote("folder", {}, [])
    return module


def wrong(evidence: Any, asked: int = 3) -> str:
    page = evidence.ROOT / "docs/page.md"
    return str(
        evidence.check("one.json", {"runs": [asked]}, lambda kept: {page: f"{kept['runs']} runs\n"}, "docs/one.py")
    )


def without(evidence: Any) -> None:
    (evidence.FOLDER / "one.json").unlink()


def test_the_digest_is_without_what_the_clock_said(evidence: Any) -> None:
    # By sha256sum, of the eleven characters {"runs": 3}.
    due = "0c7f3d48bdb7bfe684d16274da674c54e6601e3afc97c7c3c081d177ef8c292b"
    assert evidence.listed()["one.json"]["sha256"] == due
    evidence.keep("one.json", '{"minutes": 99, "runs": 3}')
    assert evidence.wrong_ones() == []
    evidence.keep("one.json", '{"minutes": 1.5, "runs": 4}')
    (found,) = evidence.wrong_ones()
    assert found.startswith("docs/_evidence/one.json: its digest is ") and "`make one` made another one" in found


@pytest.mark.parametrize("here", [True, False])
def test_what_is_not_as_it_was_found_is_said_with_the_evidence_and_without(evidence: Any, here: bool) -> None:
    if not here:
        without(evidence)
    assert wrong(evidence) == ""
    assert wrong(evidence, asked=4) == "runs: what was asked is not what would be asked today; run `make one`"
    again = "run `python docs/one.py --write`" + ("" if here else " after `python docs/evidence.py take`")
    (evidence.ROOT / "docs/words.toml").write_text("why = 'else'\n")
    assert wrong(evidence) == f"docs/words.toml: not its words of what was found; {again}"
    (evidence.ROOT / "docs/page.md").write_text("4 runs\n")
    assert wrong(evidence) == f"docs/page.md: not the page of what was found; {again}"


def test_with_the_evidence_a_page_is_written_again(evidence: Any) -> None:
    page = evidence.ROOT / "docs/page.md"
    found = evidence.check("one.json", {"runs": [3]}, lambda _: {page: "in other words\n"}, "docs/one.py")
    assert found.startswith("docs/page.md: not the page of what was found")


def test_a_part_alone_is_not_made_where_the_rest_is_missing(evidence: Any) -> None:
    assert evidence.read("one.json", alone=False) == {"runs": 3, "minutes": 1.5}
    without(evidence)
    assert evidence.read("one.json") is None
    with pytest.raises(SystemExit, match=r"docs/_evidence/one.json is not here: `python docs/evidence.py take`"):
        evidence.read("one.json", alone=False)


def test_a_page_that_is_written_again_keeps_the_engine_of_its_runs(
    evidence: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "_engine", lambda: "4d5e6f")
    evidence.wrote("one.json", {}, [])
    assert evidence.listed()["one.json"]["engine"] == "1a2b3c"
    evidence.keep("one.json", '{"runs": 4}')
    evidence.wrote("one.json", {}, [])
    assert evidence.listed()["one.json"]["engine"] == "4d5e6f"


def test_a_release_has_all_of_it_and_is_taken_again(evidence: Any, tmp_path: Path) -> None:
    evidence.pack(tmp_path / "first.tar.gz")
    evidence.pack(tmp_path / "second.tar.gz")
    assert (tmp_path / "first.tar.gz").read_bytes() == (tmp_path / "second.tar.gz").read_bytes()
    without(evidence)
    (evidence.FOLDER / "folder/b.toml").write_text("another one\n")
    assert evidence.take(tmp_path / "first.tar.gz") == ["folder", "one.json"]
    assert evidence.wrong_ones() == [] and [p.name for p in (evidence.FOLDER / "folder").iterdir()] == ["a.toml"]


def test_a_release_of_something_else_is_not_taken(evidence: Any, tmp_path: Path) -> None:
    file = tmp_path / "release.tar.gz"
    evidence.pack(file)
    evidence.keep("one.json", '{"runs": 4}')
    with pytest.raises(SystemExit, match=r"one\.json: its digest is"):
        evidence.pack(tmp_path / "other.tar.gz")
    evidence.wrote("one.json", {}, [])
    with pytest.raises(SystemExit, match=r"release\.tar\.gz: one\.json has the digest .*, and docs/evidence\.toml has"):
        evidence.take(file)
    assert evidence.read("one.json") == {"runs": 4}
    file.write_bytes(file.read_bytes()[:60])
    with pytest.raises(SystemExit, match=r"release\.tar\.gz: expected headgate-evidence\.tar\.gz of a release"):
        evidence.take(file)
    with tarfile.open(file, "w:gz"):
        pass
    with pytest.raises(SystemExit, match=r"release\.tar\.gz: it has nothing of docs/evidence\.toml"):
        evidence.take(file)
    without(evidence)
    with pytest.raises(SystemExit, match=r"docs/_evidence lacks one\.json"):
        evidence.pack(file)


def test_what_is_made_again_is_held_against_the_last_commit(evidence: Any) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *name, *words], cwd=evidence.ROOT, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "with it")
    evidence.keep("one.json", '{"runs": 3, "minutes": 7}')
    evidence.wrote("one.json", {}, [])
    assert evidence.remade() == []
    evidence.keep("one.json", '{"runs": 5}')
    evidence.wrote("one.json", {}, [])
    assert evidence.wrong_ones() == [] and len(evidence.remade()) == 1
    # And taken from the history, once it has left git.
    git("rm", "-rqf", "docs/_evidence")
    git("commit", "-qm", "without")
    git("checkout", "-q", "docs/evidence.toml")
    assert evidence.take(None) == ["folder", "one.json"]
    assert evidence.read("one.json") == {"runs": 3, "minutes": 1.5}


def in_git() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no checkout")
    return [path for name in done.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def test_the_list_names_what_the_makefile_makes_and_git_has_none_of_it() -> None:
    import tomllib

    entries = tomllib.loads((ROOT / "docs/evidence.toml").read_text("utf-8"))
    made = (ROOT / "Makefile").read_text("utf-8").split("\nevidence: ")[1].split(" ##")[0].split()
    assert {entry["command"] for entry in entries.values()} == {f"make {part}" for part in made}
    parts = json.dumps(made).replace('"', "")
    assert f"part: {parts}" in (ROOT / ".github/workflows/evidence.yml").read_text("utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in in_git() if path.is_relative_to(ROOT / "docs")]
    assert [page for page in pages if page.startswith("_evidence/") or Path(page).name in entries] == []


def test_a_clone_without_history_is_below_12_megabytes() -> None:
    # What git transfers: each file compressed. It saves something more where files are alike.
    assert sum(len(zlib.compress(path.read_bytes())) for path in in_git()) < 12e6
