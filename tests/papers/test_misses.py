"""What of the papers does not come out: each has an entry in `mechanisms.toml`, and each entry something that it is about."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import headgate
from headgate.papers import load_paper
from headgate.papers.misses import Mechanism, mechanisms_of
from headgate.papers.model import PaperError
from headgate.papers.reproduction import ItemResult
from headgate.papers.verdict import Verdict
from headgate.papers.whole.run import papers_of

from ..conftest import of_docs
from .test_paper_folders import write_paper

coverage = of_docs("miss_coverage")
Unmet, entry_of, faults, idle, line = coverage.Unmet, coverage.entry_of, coverage.faults, coverage.idle, coverage.line
uncovered, unmet = coverage.uncovered, coverage.unmet

PAPERS = [
    "arun2022",
    "demers1989",
    "floyd1991",
    "hasegawa2001",
    "keshav1991",
    "kim1994",
    "kuzmanovic2003",
    "stoica1998",
]


@pytest.fixture(scope="module")
def lists() -> ModuleType:
    """docs/misses.py."""
    return of_docs("misses")


def test_all_papers_have_a_list(lists: ModuleType) -> None:
    assert lists.listed() == sorted(p.name for p in papers_of()) == PAPERS
    assert lists.stale() == [], "run `python docs/misses.py`"


@pytest.mark.parametrize("paper", PAPERS)
def test_all_that_does_not_come_out_has_an_entry(paper: str, lists: ModuleType) -> None:
    found, known = lists.read(paper), mechanisms_of(load_paper(paper))
    assert uncovered(found, known) == []
    assert idle(found, known) == []
    assert faults(known) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_the_list_is_that_of_the_last_run(paper: str, lists: ModuleType) -> None:
    """Its counts are those of the summary, which has the fingerprint of all that verdicts rest on."""
    found: list[Unmet] = lists.read(paper)
    counts = json.loads(re.findall(r"<!-- Counts: (.*) -->", (lists.GENERATED / f"{paper}.md").read_text("utf-8"))[0])
    for printed, part in ((True, "printed"), (False, "others")):
        numbers = [one for one in found if one.place and one.printed is printed]
        assert len(numbers) == counts[part]["miss"] + counts[part]["some_run"]
    assert sum(not one.place for one in found) == counts["claims"]["fail"]


@pytest.mark.parametrize("paper", PAPERS)
def test_without_an_entry_something_is_uncovered(paper: str, lists: ModuleType) -> None:
    """Each entry is needed: what it covers alone is named once it is gone."""
    found, known = lists.read(paper), mechanisms_of(load_paper(paper))
    for one in found:
        rest = [m for m in known if m is not entry_of(one, known)]
        if entry_of(one, rest) is None:
            assert one.label in uncovered(found, rest)
    assert len(uncovered(found, ())) == len(found)


@pytest.mark.slow
def test_the_list_has_what_a_run_misses(lists: ModuleType) -> None:
    reproduction = headgate.reproduce("keshav1991", "chapter-5")
    made = list(unmet(reproduction))
    items = {i.item.name for i in reproduction.items}
    assert made == [one for one in lists.read("keshav1991") if one.item in items]
    assert [Unmet.of_dict(json.loads(json.dumps(one.to_dict()))) for one in made] == made
    # What is met at some starts only needs an entry too, what is undecided none.
    of: dict[Verdict, int] = {
        "match": 0,
        "miss": 1,
        "some-run": 1,
        "undecided": 0,
        "not-reproduced": 0,
        "not-tested": 0,
    }
    for verdict, needed in of.items():
        items = tuple(_all_with(i, verdict) for i in reproduction.items)
        numbers = [one for one in unmet(replace(reproduction, items=items)) if one.place]
        assert len(numbers) == needed * sum(len(i.numbers) for i in items)


def _all_with(item: ItemResult, verdict: Verdict) -> ItemResult:
    """An item whose numbers all have this verdict."""
    return replace(
        item, numbers=tuple(replace(n, judgement=replace(n.judgement, verdict=verdict)) for n in item.numbers)
    )


NUMBER = Unmet("a", "miss", place=("a", "t", "r", "1", "delay"), paper=1.0, ours=2.0, claims=("C1",))
CLAIM = Unmet("a", "fails", "C1")
STATED = Unmet("a", "fails", "It holds", True)


def test_which_entry_covers_what() -> None:
    of_row, of_claim, of_statement = (
        Mechanism("row", row="r"),
        Mechanism("claim", claims=("C1",)),
        Mechanism("says", statement="It *"),
    )
    known = (of_statement, of_claim, of_row)
    assert [entry_of(one, known) for one in (NUMBER, CLAIM, STATED)] == [of_row, of_claim, of_statement]
    # A number without an entry has that of the failed claim about it.
    assert entry_of(NUMBER, (of_claim,)) is of_claim
    assert entry_of(replace(NUMBER, claims=()), (of_claim,)) is None
    assert uncovered([NUMBER, CLAIM, STATED], (of_statement,)) == ["a t r 1 delay: 1.0, ours 2.0", "a C1"]
    assert idle([NUMBER, STATED], known) == ["claim"]


def test_the_line_counts_by_kind() -> None:
    known = (Mechanism("row", "unknown", row="r"), Mechanism("claim", "unexplained", ("x: 1",), claims=("C1",)))
    assert line([], known) == "Everything comes out."
    assert line([NUMBER, replace(NUMBER, printed=False), CLAIM, STATED], known) == (
        "Of 1 printed number that is missed or met at some starts only, 1 hangs on what the text does not say. "
        "Of 2 claims and statements that fail, 1 is not explained, with what was tried, and 1 has no entry."
    )


def test_what_is_not_explained_has_experiments() -> None:
    assert faults([Mechanism("t", "unexplained", ("no timer: 0.5", "another rule"))]) == ["another rule"]
    entry = Mechanism("It is short.", "unexplained", ("no timer: 0.5", "two: 0.6"))
    assert entry.says == "It is short. Not explained, tried: no timer: 0.5; two: 0.6."
    assert Mechanism("It is short.", tried=("no timer: 0.5",)).says == "It is short. Tried: no timer: 0.5."
    assert Mechanism("It is short.").says == "It is short."


def test_a_folder_with_an_unexplained_entry_without_experiments_is_refused(tmp_path: Path) -> None:
    folder = write_paper(tmp_path / "own1990")
    (folder / "mechanisms.toml").write_text('[[mechanisms]]\nrow = "*"\nkind = "unexplained"\ntext = "Who knows."\n')
    with pytest.raises(PaperError, match=r"mechanisms\[0\]: expected the key `tried`"):
        mechanisms_of(load_paper(str(folder)))
