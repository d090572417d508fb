"""The file of a report: what stands in it, how it is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import HeadgateError
from headgate.explore.subject import subject_of
from headgate.papers import load_paper, write_report
from headgate.papers import record_reader as reading
from headgate.papers.model import PaperError
from headgate.papers.record import FILE, record_of
from headgate.papers.record_reader import read_record

from ..conftest import Cli
from ..explorer import Page
from .test_explore_papers import measured, own, reproduced, small
from .test_paper_folders import write_paper

__all__ = ["own", "small"]


def test_a_report_has_its_results_as_a_file(small: Path) -> None:
    found, whole = json.loads((small / FILE).read_text()), reproduced("demers1989", "scenario-4").to_dict()
    assert (found["format"], found["title"]) == (1, load_paper("demers1989").title)
    assert "headgate explore FOLDER" in (small / "index.html").read_text()

    def within(part: Any, of: Any) -> None:
        """What `--json` prints stands in it, with more keys."""
        if isinstance(part, dict):
            for key in part:
                within(part[key], of[key])
        elif isinstance(part, list):
            assert len(part) == len(of)
            for a, b in zip(part, of, strict=True):
                within(a, b)
        else:
            assert part == of

    within(whole, found)


def test_the_file_is_read_as_it_was_written(small: Path) -> None:
    (item,) = read_record(small / FILE).items
    assert [n.published for n in item.numbers] == list(load_paper("demers1989").item("scenario-4").numbers)
    for number in item.numbers:
        assert number.values[1] == number.base
        assert len(number.values) == 3
        own = [v for v in number.values if v is not None]
        # Where sources are alike the range is of the number's rank.
        assert number.same_rank is not None or (number.low, number.high) == (min(own), max(own))


def test_the_report_of_all_papers_opens_with_its_failures(own: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    other = own.parent / "second1991"
    own.rename(other)
    write_paper(own)
    claims = own / "claims.py"
    claims.write_text(claims.read_text().replace("    return", "    1 / 0\n    return"))
    monkeypatch.setattr(
        "headgate.papers.whole.run.papers_of", lambda ours=False: [load_paper(f"./{f.name}") for f in (own, other)]
    )
    assert cli("reproduce", "all", "--report", "report").returncode == 1
    subject = subject_of(own.parent / "report")
    assert subject.title == "Report of 2 papers"
    papers = Page(subject).get("/api/papers").json()["papers"]
    assert [(p["name"], [i["name"] for i in p["items"]]) for p in papers] == [
        ("mypaper", []),
        ("second1991", ["two-sources"]),
    ]
    assert "division by zero" in papers[0]["failures"][0]["error"]
    # The report stands by itself: it needs neither the paper's folder nor runs its code.
    for file in other.iterdir():
        file.unlink()
    page = Page(subject_of(own.parent / "report"))
    query = {"paper": "second1991", "item": "two-sources", "number": 0}
    run = page.get("/api/papers/open", **query).json()
    assert measured(page, run)["digest"] == run["digest"]


def changed(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(data))
    at = copy
    *parts, last = path.split(".")
    for part in parts:
        at = at[int(part) if part.isdigit() else part]
    at[last] = value
    return dict(copy)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("format", 2, "format: found 2; expected form 1"),
        ("items", 5, "items: found 5; expected a list"),
        ("items.0.numbers.0.base", "much", 'items[0].numbers[0].base: found "much"; expected a number'),
        ("items.0.numbers.0.metric", "speed", 'items[0].numbers[0].metric: found "speed"'),
        ("items.0.numbers.0.variant", "G/FIFO", 'items[0].numbers[0].variant: found "G/FIFO"'),
        ("items.0.numbers.0.mark", "GUESSED", 'items[0].numbers[0].mark: found "GUESSED"'),
        ("items.0.numbers.0.where", {"source": "1"}, "items[0].numbers[0].where: expected the key `variant`"),
        ("items.0.numbers.0.where", {"variant": "x", "from_s": "now"}, "expected numbers in from_s and to_s"),
        ("items.0.numbers.0.verdict", "good", 'items[0].numbers[0].verdict: found "good"'),
        ("metrics.throughput", {"column": "__class__"}, 'metrics.throughput.column: found "__class__"'),
        ("metrics.throughput", {}, "metrics.throughput: expected one of the keys"),
        ("items.0.variants.0.scenario", None, "items[0].variants[0].scenario"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_the_place(
    path: str, value: Any, said: str, small: Path, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "report").mkdir()
    file = tmp_path / "report" / FILE
    file.write_text(json.dumps(changed(json.loads((small / FILE).read_text()), path, value)))
    done = cli("explore", "--no-browser", "report")
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"format": 1, "x": NaN}', "[" * 100_000, "\xff"])
def test_a_file_that_is_no_json_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(PaperError, match=r"reproduction\.json"):
        subject_of(tmp_path)


def test_the_values_of_many_runs_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.papers.record.RUNS", 1)
    (entry,) = record_of(reproduced("demers1989", "scenario-4"))["items"]
    assert {len(n["values"]) for n in entry["numbers"]} == {2}
    assert {v["starts"] for v in entry["variants"]} == {1}


def test_the_length_of_files_is_bounded(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1000)
    with pytest.raises(PaperError, match="expected a file of at most"):
        read_record(small / FILE)


def test_no_file_outside_the_folder_is_read(small: Path, tmp_path: Path) -> None:
    inside = tmp_path / "report"
    (inside / "paper").mkdir(parents=True)
    (inside / "paper" / FILE).symlink_to(small / FILE)
    with pytest.raises(HeadgateError, match="lies outside the folder"):
        subject_of(inside)
    (inside / "paper" / FILE).unlink()
    (inside / "paper").rmdir()
    (inside / "paper").symlink_to(small)
    with pytest.raises(HeadgateError, match="lies outside the folder"):
        subject_of(inside)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "report" / FILE).mkdir(parents=True)
    with pytest.raises(HeadgateError, match="expected a file, found a folder"):
        write_report(reproduced("demers1989", "scenario-4"), tmp_path / "report")
    assert list((tmp_path / "report").glob(".reproduction*")) == []
