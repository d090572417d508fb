"""The generated summaries of the papers in the documentation: what they say, and when they are stale."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import headgate
from headgate.papers.whole.run import papers_of

from ..conftest import ROOT


@pytest.fixture
def verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """docs/verdicts.py over a copy of the papers."""
    spec = importlib.util.spec_from_file_location("verdicts", ROOT / "docs/verdicts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shutil.copytree(module.PAPERS, tmp_path / "python/headgate/papers", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests/digests", tmp_path / "tests/digests")
    (tmp_path / "docs/papers/_generated").mkdir(parents=True)
    for name, place in (("ROOT", ""), ("PAPERS", "python/headgate/papers"), ("GENERATED", "docs/papers/_generated")):
        monkeypatch.setattr(module, name, tmp_path / place)
    return module


def test_a_summary_of_a_paper_is_stale_when_its_verdicts_may_have_changed(verdicts: ModuleType) -> None:
    assert (
        verdicts.stale()
        == verdicts.names()
        == [
            "arun2022",
            "beyond",
            "demers1989",
            "floyd1991",
            "hasegawa2001",
            "keshav1991",
            "kim1994",
            "kuzmanovic2003",
            "linux-tcp",
            "stoica1998",
        ]
    )
    for name in verdicts.names():
        (verdicts.GENERATED / f"{name}.md").write_text(f"<!-- Fingerprint: {verdicts.fingerprint(name)} -->\n")
    assert verdicts.stale() == []

    def after(file: str, old: str, new: str) -> list[str]:
        path = verdicts.ROOT / file
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))
        found: list[str] = verdicts.stale()
        path.write_text(before)
        return found

    papers = "python/headgate/papers"
    assert after(f"{papers}/demers1989/claims.py", "from __future__", "# A comment.\nfrom __future__") == []
    # A name counts, and not the module that it is imported from.
    assert after(f"{papers}/judging.py", "from ..stats", "from ..elsewhere.stats") == []
    assert after(f"{papers}/judging.py", "import Mean, ", "import Means, ") == verdicts.names()
    assert after(f"{papers}/demers1989/figures.toml", "Figure 1", "Figure one") == []
    assert after(f"{papers}/demers1989/claims.toml", "below = 1.01", "below = 1.02") == ["demers1989"]
    assert after(f"{papers}/keshav1991/table_6_4.csv", "STATED", "DOUBTFUL") == ["keshav1991"]
    assert after(f"{papers}/demers1989/tolerances.toml", "relative = 0.005", "relative = 0.006") == ["demers1989"]
    assert after(f"{papers}/verdict.py", "1e-12", "1e-3") == verdicts.names()
    digests = sorted((verdicts.ROOT / "tests/digests").iterdir())[0].relative_to(verdicts.ROOT)
    assert after(str(digests), "1", "2") == verdicts.names()


@pytest.mark.slow
def test_a_summary_says_what_a_run_gave(verdicts: ModuleType) -> None:
    text = verdicts.summary(headgate.reproduce("beyond", "over-estimate", "round-trip"))
    assert "| over-estimate | 1 | 0 |" in text  # Claims that hold and fail.
    assert "All claims hold." in text
    text = verdicts.summary(headgate.reproduce("demers1989", "scenario-5"))
    assert "- **D16** (scenario-5): DEC/DEC wastes" in text
    assert verdicts.fingerprint("demers1989") in text
    row = next(line for line in text.splitlines() if line.startswith("| scenario-5 |"))
    cells = dict(
        zip(*([c.strip() for c in line.split("|")[2:-1]] for line in (text.splitlines()[4], row)), strict=False)
    )
    # All its numbers are of another copy of the paper.
    assert (cells["tested"], cells["match"], cells["others tested"], cells["others match"]) == ("0", "0", "48", "43")


def test_one_table_over_all_papers(verdicts: ModuleType) -> None:
    claims = ("hold", "fail", "trivial", "wrong_pair")
    for n, paper in enumerate(verdicts.TITLES):
        printed, others = (dict.fromkeys(verdicts._KEYS, k) for k in (n, 7 * n))
        parts = {"printed": printed, "others": others, "claims": dict.fromkeys(claims, 3 * n)}
        found = json.dumps({**parts, "seconds": 90 * n})
        (verdicts.GENERATED / f"{paper}.md").write_text(f"<!-- Counts: {found} -->\n")
    readme = verdicts.ROOT / "README.md"
    readme.write_text("before\n" + "STALE\n".join(verdicts.MARKS) + "\nafter\n")
    index = verdicts.ROOT / "docs/index.md"
    index.write_text("made again: <!-- papers -->five papers<!-- end -->, and so on\n")
    assert verdicts.stale_tables() == ["docs/papers/_generated/all.md", "README.md", "docs/index.md"]
    verdicts.write_tables()
    assert verdicts.stale_tables() == []
    papers = f"{len(papers_of())} papers of 1989 to 2022"
    assert index.read_text() == f"made again: <!-- papers -->{papers}<!-- end -->, and so on\n"
    text = readme.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "STALE" not in text
    # In short: numbers printed, met, met by the trivial model, met beyond the null models, and claims.
    assert "| [Keshav 1991: packet-pair](docs/papers/keshav1991.md) | 2 | 2 | 2 | 2 | 6 of 12 |" in text.splitlines()
    assert text.splitlines()[-3] == "| **all** | 28 | 28 | 28 | 28 | 84 of 168 |"
    whole = (verdicts.GENERATED / "all.md").read_text()
    rows = [line for line in whole.splitlines() if line.startswith(("| [", "| **"))]
    assert rows[2].startswith("| [Keshav 1991: packet-pair](keshav1991.md) |")
    assert [row.split(" | ")[1:3] for row in rows] == [[str(n)] * 2 for n in (*range(8), 28)]
    assert [row.split(" | ")[-1] for row in rows] == [f"{1.5 * n:.1f} |" for n in (*range(8), 28)]
    # Those of one row: nine counts of printed numbers, two of others, four of claims.
    assert rows[1].split(" | ")[1:-1] == ["1"] * 9 + ["7"] * 2 + ["3"] * 4
    readme.write_text(text.replace("| 3 | 3 |", "| 3 | 2 |"))
    assert verdicts.stale_tables() == ["README.md"]
    # All papers but our own experiments are in it.
    assert list(verdicts.TITLES) == [p.name for p in papers_of()]
