"""Reports and papers in the explorer: the file of a report, the run behind each number, and items that are reproduced on the page."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate import _core
from headgate.explore import answers
from headgate.explore.subject import Subject, subject_of
from headgate.papers import load_paper, write_report
from headgate.papers.build import build_scenario
from headgate.papers.record import FILE, record_of, waiting
from headgate.papers.record_reader import understood
from headgate.papers.reproduction import Reproduction
from headgate.papers.runner import reproduce_items
from headgate.papers.shelf.shelf import Shelf
from headgate.results.results import Results

from ..conftest import Cli
from ..explorer import Page
from ..tool.test_explore_types import held
from .test_paper_folders import write_paper

#: Items of which every number is read off a run. Few seeds are enough here: the runs behind the numbers are the same.
ITEMS = [
    *(("demers1989", f"scenario-{n}") for n in range(1, 7)),
    *(("keshav1991", f"scenario-{n}") for n in range(1, 7)),
    *(("stoica1998", name) for name in ("figure-3b", "table-1", "table-3", "table-4")),
]

#: Items that have runs, but whose numbers their studies measure.
STUDIED = [
    ("linux-tcp", "table"),
    ("keshav1991", "chapter-4"),
    ("keshav1991", "chapter-5"),
    ("kim1994", "reference"),
    ("kim1994", "gigabit"),
    ("hasegawa2001", "figures"),
]


def reproduced(paper: str, *items: str, seeds: int = 2) -> Reproduction:
    found = load_paper(paper)
    return reproduce_items(found, [replace(found.item(i), seeds=seeds, starts=0, study="") for i in items])


def showing(reproduction: Reproduction) -> Page:
    record = understood(json.loads(json.dumps(record_of(reproduction))), "a report")
    return Page(Subject("papers", "Report", shelf=Shelf({record.paper: record}, {})))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report on one item with 32 numbers."""
    folder = tmp_path_factory.mktemp("report")
    write_report(reproduced("demers1989", "scenario-4"), folder)
    return folder


@pytest.fixture
def page(small: Path) -> Iterator[Page]:
    found = Page(subject_of(small))
    yield found
    found.explorer.runs.close()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A paper of the user's own."""
    return write_paper(tmp_path / "mypaper")


def place(**more: Any) -> dict[str, Any]:
    return {"paper": "demers1989", "item": "scenario-4", **more}


def opened(page: Page, **more: Any) -> dict[str, Any]:
    answer = page.get("/api/papers/open", **place(**more))
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_answers_have_their_types(page: Page) -> None:
    held(answers.PaperList, page.get("/api/papers").json())
    held(answers.PaperItem, page.get("/api/papers/item", **place()).json())
    run = opened(page, number=0)
    held(answers.PaperRun, run)
    held(answers.PaperMeasured, measured(page, run))


def measured(page: Page, run: dict[str, Any], scenario: dict[str, Any] | None = None) -> dict[str, Any]:
    body = {key: run[key] for key in ("paper", "item", "variant", "run")}
    last = page.lines("/api/papers/measure", {**body, "scenario": scenario or run["scenario"]})[-1]
    assert "done" in last, last
    return dict(last["done"])


# The run behind a number.


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "item"), ITEMS)
def test_the_run_that_opens_gives_the_number_of_the_table(paper: str, item: str) -> None:
    """Of every variant the base run and another one, and all numbers that they give."""
    whole = reproduced(paper, item)
    page = showing(whole)
    (entry,) = record_of(whole)["items"]
    seen = 0
    of = {v["name"]: v["base"] for v in entry["variants"]}
    assert set(of.values()) == {int(entry["base"] == "start")}
    for k, number in enumerate(entry["numbers"]):
        run = page.get("/api/papers/open", paper=paper, item=item, number=k).json()
        assert (run["variant"], run["run"], run["base"]) == (number["row"], of[number["row"]], of[number["row"]])
        assert bool(run["flows"]) != bool(run["port"]), (number, run["flows"], run["port"])
    for variant in entry["variants"]:
        for at in sorted({0, variant["base"], variant["starts"]}):
            run = page.get("/api/papers/open", paper=paper, item=item, variant=variant["name"], run=at).json()
            found = measured(page, run)
            assert found["changed"] == []
            base = at == variant["base"]
            assert (found["digest"] == variant["digest"] == run["digest"]) == base
            for value in found["values"]:
                number = entry["numbers"][value["number"]]
                assert value["value"] == number["values"][at], number
                if base:
                    assert value["value"] == number["base"]
                seen += base
    assert seen == len(entry["numbers"]) > 0
    page.explorer.runs.close()


@pytest.mark.parametrize(("paper", "item"), STUDIED)
def test_a_number_that_a_study_measures_opens_a_run_of_its_item(paper: str, item: str) -> None:
    found = load_paper(paper)
    page = showing(Reproduction(found, (waiting(found, found.item(item)),)))
    shown = page.get("/api/papers/item", paper=paper, item=item).json()
    for number in (n for table in shown["tables"] for n in table["numbers"]):
        assert number["variant"] is None and number["near"]
        assert page.get("/api/papers/open", paper=paper, item=item, number=number["number"]).status_code == 422
        run = page.get(
            "/api/papers/open", paper=paper, item=item, number=number["number"], variant=number["near"][0]
        ).json()
        assert not run["measured"] and "study measures" in run["said"][-1]
    text = json.dumps(build_scenario(found.item(item), found.item(item).variant(run["variant"])))
    assert measured(page, run)["digest"] == _core.run(text).digest
    page.explorer.runs.close()


def test_a_number_says_which_it_is_and_what_the_paper_says(page: Page) -> None:
    table = page.get("/api/papers/item", **place()).json()["tables"][0]
    first = table["numbers"][0]
    run = opened(page, number=0)
    assert (
        run["said"][0] == f"Scenario 4, throughput, row G+JK/FQ, source 1: the paper prints {first['paper']} packets."
    )
    assert run["said"][1].startswith(f"Table: {first['ours']} in the base run, ")
    assert "over 2 runs with random start phases (95 % interval" in run["said"][1]
    assert run["said"][2].startswith(f"Verdict: {first['verdict'].replace('-', ' ')}. ")
    assert run["flows"] == ["generic1"]
    assert [r["run"] for r in run["runs"]] == [0, 1, 2]
    assert run["runs"][1]["value"] == first["ours"]


def test_other_runs_begin_at_random_phases(page: Page) -> None:
    base, other = opened(page, number=3, run=0), opened(page, number=3, run=2)
    assert all("start_spread" not in f for f in base["scenario"]["flows"])
    assert {f["start_spread"] for f in other["scenario"]["flows"]} == {"5s"}
    assert (other["value"], other["digest"]) == (base["runs"][2]["value"], None)
    found = measured(page, other)
    text = json.dumps(other["scenario"])
    assert found["digest"] == _core.run(text, None, 2).digest != _core.run(text, None, 1).digest
    assert next(v["text"] for v in found["values"] if v["number"] == 3) == other["value"]


def test_the_page_runs_the_same_packets(page: Page) -> None:
    """Also of a run with a number: the explorer's run, with its finer intervals, counts what the reproduction counts."""
    for at in (0, 2):
        run = opened(page, number=0, run=at)
        body = {"scenario": run["scenario"], "seed": None, "replication": at, "tab": "t"}
        done = page.lines("/api/run", body)[-1]["done"]
        assert done["replication"] == at
        flows = Results([_core.run(json.dumps(run["scenario"]), None, at)]).flows
        drops = dict(zip(flows["flow"].tolist(), flows["drops"].tolist(), strict=True))
        assert {f["name"]: f["lost"] for f in done["flows"]} == drops and any(drops.values())
    script = page.get(f"/api/run/{done['run']}/export", form="python").text
    assert "replications=3)" in script
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script, "lines", "exec"), {})


def test_a_changed_scenario_gives_another_value_and_says_so(page: Page) -> None:
    run = opened(page, number=0)
    before = measured(page, run)
    turned = json.loads(json.dumps(run["scenario"]))
    next(x for x in turned["links"] if x["name"] == "slow")["rate"] = "112kbit/s"
    after = measured(page, run, turned)
    assert [c["path"] for c in after["changed"]] == ["links.slow.rate"]
    assert after["values"][0]["value"] > 1.2 * before["values"][0]["value"] or after["digest"] != before["digest"]
    # The same in other words is no change.
    next(x for x in turned["links"] if x["name"] == "slow")["rate"] = "0.056Mbit/s"
    assert measured(page, run, turned)["changed"] == []


def test_a_run_that_nobody_waits_for_ends(page: Page) -> None:
    run = opened(page, number=0)
    body = {key: run[key] for key in ("paper", "item", "variant", "run")}
    endless = {**run["scenario"], "duration": "2000h", "interval": "1000h"}
    content = json.dumps({**body, "scenario": endless}).encode()
    asyncio.run(page.client.asked("POST", "/api/papers/measure", content=content, close_after=2))
    waiting = threading.Event()
    for _ in range(6000):
        if not page.explorer.runs._jobs:
            break
        waiting.wait(0.1)
    assert not page.explorer.runs._jobs


def test_a_flow_that_is_gone_has_no_value(page: Page) -> None:
    run = opened(page, number=0)
    turned = json.loads(json.dumps(run["scenario"]))
    turned["flows"] = [f for f in turned["flows"] if not f["name"].startswith("generic")]
    found = measured(page, run, turned)
    assert None in [v["value"] for v in found["values"]]


def test_a_claim_opens_as_a_choice_of_the_runs_that_it_looked_at(page: Page) -> None:
    claims = page.get("/api/papers/item", **place()).json()["claims"]
    assert claims and all(c["variants"] for c in claims)
    run = opened(page, claim=claims[0]["id"], variant=claims[0]["variants"][0])
    assert run["said"][0] == f"Claim {claims[0]['id']}: {claims[0]['text']}"
    assert ("holds" in run["said"][1]) == claims[0]["holds"] or "not" in run["said"][1]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"number": 32}, 404, "expected a number below 32"),
        ({"number": -1}, 404, "expected a number below 32"),
        ({"number": 0, "run": 3}, 404, "expected one from 0 to 2"),
        ({"number": 0, "run": -1}, 404, "expected one from 0 to 2"),
        ({"number": "x"}, 400, "expected a number"),
        ({"variant": "../../etc"}, 404, "expected one of G+JK/F"),
        ({}, 422, "expected the name of a variant"),
        ({"claim": "D0", "variant": "G+JK/FQ"}, 404, "expected one of"),
        ({"paper": "keshav1991"}, 404, "expected one of demers1989"),
        ({"item": "scenario-5"}, 404, "expected one of scenario-4"),
    ],
)
def test_what_is_not_in_the_report_is_not_found(query: dict[str, Any], status: int, said: str, page: Page) -> None:
    answer = page.get("/api/papers/open", **{**place(), **query})
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]


def test_a_page_without_papers_has_none() -> None:
    page = Page()
    assert page.get("/api/papers").status_code == 404
    assert page.post("/api/papers/reproduce", {"paper": "demers1989", "item": "scenario-4"}).status_code == 404


# A paper that is reproduced here.


def test_a_name_that_is_no_file_is_a_paper() -> None:
    subject = subject_of(Path("demers1989"))
    assert (subject.kind, subject.title) == ("papers", "Paper demers1989")
    page = Page(subject)
    (paper,) = page.get("/api/papers").json()["papers"]
    assert paper["here"] and not any(i["reproduced"] for i in paper["items"])
    item = page.get("/api/papers/item", **place()).json()
    assert {n["ours"] for t in item["tables"] for n in t["numbers"]} == {"–"}
    run = opened(page, number=0)
    assert run["value"] is None and run["said"][1] == "Ours is not reproduced yet."
    assert measured(page, run)["values"][0]["value"] is not None


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demers1989").mkdir()
    (tmp_path / "demers1989" / FILE).write_bytes((small / FILE).read_bytes())
    assert subject_of(Path("demers1989")).title == "Report of demers1989"


@pytest.mark.parametrize(
    ("name", "said"),
    [("demers198", 'Did you mean "demers1989"?'), ("nothing", "or a paper: one of arun2022, beyond, demers1989")],
)
def test_an_unknown_name_is_an_error(name: str, said: str, cli: Cli) -> None:
    done = cli("explore", "--no-browser", name)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_folder_without_results_is_an_error(cli: Cli, tmp_path: Path) -> None:
    """Such as the report of an earlier version."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").write_text("<h1>A paper</h1>")
    done = cli("explore", "--no-browser", "report")
    assert done.returncode == 2
    said = done.stderr.replace("\n", " ")
    assert "expected the folder of a study, with manifest.json, or of a report, with reproduction.json" in said


def test_an_item_is_reproduced_on_the_page(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.parent)
    page = Page(subject_of(Path("mypaper"), allow_code=True))
    lines = page.lines("/api/papers/reproduce", {"paper": "mypaper", "item": "two-sources"})
    done = lines[-1]["done"]
    assert done["reproduced"] and [0 <= x["progress"] <= 1 for x in lines[:-1]] == [True] * (len(lines) - 1)
    whole = reproduce_items(load_paper("./mypaper"), load_paper("./mypaper").items)
    (entry,) = record_of(whole)["items"]
    shown = page.get("/api/papers/item", paper="mypaper", item="two-sources").json()
    assert shown == done
    verdicts = {n["number"]: n["verdict"] for t in done["tables"] for n in t["numbers"]}
    assert [verdicts[k] for k in sorted(verdicts)] == [n["verdict"] for n in entry["numbers"]]
    run = page.get("/api/papers/open", paper="mypaper", item="two-sources", number=0).json()
    assert run["digest"] == entry["variants"][0]["digest"] == measured(page, run)["digest"]
    # And once more: the page is free again.
    assert "done" in page.lines("/api/papers/reproduce", {"paper": "mypaper", "item": "two-sources"})[-1]
    page.explorer.runs.close()


def test_a_report_is_not_reproduced_again(page: Page) -> None:
    answer = page.post("/api/papers/reproduce", place())
    assert answer.status_code == 422
    assert "expected a paper's name" in answer.json()["error"]["message"]


@pytest.mark.slow
def test_one_item_at_a_time_is_reproduced_and_it_ends_with_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first page is left while the item runs: its runs end, and the next one may begin."""
    page = Page(subject_of(Path("demers1989")), at_a_time=2)
    assert page.explorer.runs.most_bytes == page.explorer.runs.most * 5
    began, ended, going = threading.Event(), threading.Event(), threading.Event()

    def endless(paper: Any, items: Any, work: Any) -> Iterator[Any]:
        assert (work.threads, work.max_memory) == (2, page.explorer.runs.most * 2)
        try:
            # An end all the same, should nothing stop it.
            for _ in range(60_000):
                began.set()
                work.progress(0.5, 1, 2)
                going.wait(0.01)
                yield from ()
        finally:
            ended.set()

    monkeypatch.setattr("headgate.papers.shelf.runs.each_item", endless)
    body = json.dumps(place()).encode()

    async def left() -> tuple[int, str]:
        first = asyncio.create_task(page.client.asked("POST", "/api/papers/reproduce", content=body, close_after=3))
        await asyncio.to_thread(began.wait, 600)
        second = await page.client.asked("POST", "/api/papers/reproduce", content=body)
        await first
        return second.status_code, second.text

    status, text = asyncio.run(left())
    assert status == 503 and "one at a time" in text
    assert ended.wait(600)
    monkeypatch.undo()
    for _ in range(1000):
        answer = page.post("/api/papers/reproduce", place(item="figure-1"))
        if answer.status_code != 503:
            break
        going.wait(0.1)
    assert "done" in json.loads(answer.text.splitlines()[-1])
    page.explorer.runs.close()


def test_waiting_items_have_no_results() -> None:
    paper = load_paper("kim1994")
    record = understood(record_of(Reproduction(paper, tuple(waiting(paper, i) for i in paper.items))), "kim1994")
    assert not any(i.reproduced for i in record.items)
    assert {n.verdict for i in record.items for n in i.numbers} <= {"not-reproduced", "not-tested"}
