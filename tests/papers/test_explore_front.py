"""The start page: a builder that gives what `headgate quick` gives, cards, and the files of a folder."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, quick
from headgate.base.errors import HeadgateError
from headgate.explore import answers, serve
from headgate.explore.front import cards, folder
from headgate.explore.front.builder import FIRST, MOST, built, command, with_value
from headgate.explore.lesson import lessons
from headgate.explore.runs import Runs
from headgate.explore.subject import Subject, subject_of
from headgate.papers import list_papers
from headgate.scenario.examples import examples

from ..conftest import ROOT, Cli
from ..explorer import Page
from ..explorer import page as page
from ..studies import run_here, sweep_of
from ..tool.test_explore_types import held


def changed(page: Page, path: str, value: Any, **given: str) -> dict[str, Any]:
    found: dict[str, Any] = page.post("/api/quick", {"given": given, "path": path, "value": value}).json()
    return found


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"queue": "fq", "buffer": "64KB", "noise": "0"},
        {
            "flows": "jk_reno*2:window=30,cubic:rtt=200ms,transfer:1MB",
            "queue": "red",
            "noise": "50us",
            "buffer": "1.5BDP",
        },
    ],
)
def test_the_command_and_the_file_give_the_scenario_of_the_page(
    given: dict[str, str], cli: Cli, tmp_path: Path
) -> None:
    found = built(given)
    args = shlex.split(found["command"])
    assert args[:2] == ["headgate", "quick"]
    assert cli(*args[1:], "--print").stdout == found["file"]
    file = tmp_path / "same.toml"
    file.write_text(found["file"], "utf-8")
    assert Scenario.from_file(file).run().digest == Scenario(found["scenario"]).run().digest
    whole = FIRST | given
    made = quick.scenario(
        whole["rate"], whole["rtt"], whole["flows"], whole["queue"], whole["buffer"] or None, noise=whole["noise"]
    )
    assert made.data == found["scenario"]
    assert found["notes"] == quick.notes(whole["rtt"], whole["flows"])


def test_a_slider_gives_numbers_in_the_unit_of_its_box(page: Page) -> None:
    assert changed(page, "rate", 5e6)["given"]["rate"] == "5Mbit/s"
    assert changed(page, "rtt", 0.0125)["given"]["rtt"] == "12.5ms"
    assert changed(page, "noise", 0.3)["command"].endswith(" --noise 0.3")
    assert changed(page, "buffer", 20)["given"]["buffer"] == "20pkt"
    assert changed(page, "buffer", 20000, buffer="64KB")["given"]["buffer"] == "20KB"
    assert changed(page, "buffer", 0.02, buffer="50ms")["given"]["buffer"] == "20ms"
    # An empty box is what the command takes unless given.
    assert changed(page, "buffer", None, buffer="64KB")["command"] == command(FIRST)
    assert changed(page, "rate", None, rate="5Mbit/s")["given"]["rate"] == FIRST["rate"]


def test_a_queue_without_a_buffer_asks_for_none(page: Page) -> None:
    found = changed(page, "queue", "red", buffer="64KB")
    paths = [each["path"] for each in found["controls"]]
    assert ("buffer" in paths) == ("buffer" in found["scenario"]["topology"]["line"]["queue"])
    without = [
        kind
        for kind in next(c for c in found["controls"] if c["path"] == "queue")["choices"]
        if not _has_buffer(kind["value"])
    ]
    for kind in without:
        found = changed(page, "queue", kind["value"], buffer="64KB")
        assert "buffer" not in [each["path"] for each in found["controls"]]
        assert "--buffer" not in found["command"]


def _has_buffer(kind: str) -> bool:
    try:
        quick.scenario("1Mbit/s", "10ms", "cubic", kind, "64KB")
    except HeadgateError:
        return False
    return True


def test_noise_is_on_as_in_quick() -> None:
    assert built({})["scenario"]["hosts"] == {"noise": "1pkt"}
    assert "--noise" not in built({})["command"]
    control = next(c for c in built({})["controls"] if c["path"] == "noise")
    assert (control["value"], control["kind"]) == (1.0, "number")
    assert next(c for c in built({"noise": "50us"})["controls"] if c["path"] == "noise")["value"] == "50us"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("rate", "fast", "rate: found 'fast'; expected a rate such as 20Mbit/s"),
        ("rate", -1, "rate: found -1; expected a number from 0"),
        ("rate", True, "rate: found True; expected a text"),
        ("rtt", "0s", "rtt: found '0s'; expected a time such as 30ms"),
        ("rtt", [], "rtt: found []; expected a text"),
        ("flows", "cubik", 'Did you mean "cubic"?'),
        ("flows", 5, "flows: found 5; expected a text"),
        ("flows", "x" * 5000, "expected a text of at most 4000 characters"),
        ("flows", f"cubic*{MOST + 1}", f"flows: found {MOST + 1} flows; expected at most {MOST} on this page"),
        ("flows", "cubic:beta=7", "flows"),
        ("queue", "fifa", "queue: found 'fifa'"),
        ("buffer", "10B", "buffer: found 10B; expected at least one packet"),
        ("buffer", "much", 'buffer: found "much"; expected a buffer such as'),
        ("noise", "x", "noise: found 'x'; expected a number of packet times"),
        ("noise", -1, "noise: found '-1'; expected a number of packet times"),
    ],
)
def test_a_wrong_answer_is_named_with_its_question(page: Page, path: str, value: Any, expected: str) -> None:
    answer = page.post("/api/quick", {"given": {}, "path": path, "value": value})
    assert answer.status_code == 422
    held(answers.Failure, answer.json())
    error = answer.json()["error"]
    assert error["path"] == path
    assert expected in error["message"]


WRONG = [{"given": []}, {"given": {"loss": "1"}}, {"given": {}, "path": "x", "value": 1}, {"given": {}, "path": 3}]


@pytest.mark.parametrize("wrong", WRONG)
def test_other_requests_are_refused(page: Page, wrong: dict[str, Any]) -> None:
    assert page.post("/api/quick", wrong).status_code == 400
    assert page.post("/api/front/open", wrong).status_code == 400


def test_what_is_turned_is_checked() -> None:
    with pytest.raises(HeadgateError, match="expected one of rate, rtt"):
        with_value(FIRST, "loss", 1)


def test_the_page_has_a_card_of_everything(page: Page) -> None:
    found = page.get("/api/front").json()
    held(answers.FrontPage, found)
    assert [each["name"] for each in found["lessons"]] == list(lessons())
    assert {each["name"] for each in found["examples"]} == {each.name for each in examples()}
    assert {each["name"] for each in found["papers"]} == set(list_papers())
    for card in (*found["lessons"], *found["examples"]):
        assert card["lines"] and card["about"], card["name"]
    for each in found["added"]:
        held(answers.Built, changed(page, "flows", f"{FIRST['flows']},{each['flows']}"))


def test_cards_without_a_picture_are_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "data", lambda: {"lessons": {}, "examples": {}, "papers": []})
    assert all(card["lines"] == [] for card in (*cards.of_lessons(lessons()), *cards.of_examples()))


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "docs" / "cards.py").is_file(), reason="the documentation is not part of this tree")
def test_the_pictures_and_the_counts_are_what_runs_and_summaries_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    for name in ("cards", "verdicts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import cards as written  # type: ignore[import-not-found]

    assert cards.FILE.read_text("utf-8") == written.made(), "cards.json is stale: run `python docs/cards.py`"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind, and with much that is none."""
    shutil.copy(ROOT / "scenarios/game.toml", tmp_path / "game.toml")
    shutil.copy(ROOT / "scenarios/office.csv", tmp_path / "office.csv")
    plain = built({})["scenario"] | {"name": "plain"}
    (tmp_path / "plain.json").write_text(json.dumps(plain))
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "broken.toml").write_text("flows = [")
    (tmp_path / "deep.json").write_text("[" * 5000)
    (tmp_path / "notes.txt").write_text("flows = 1")
    (tmp_path / ".hidden.toml").write_text("flows = []")
    (tmp_path / "large.toml").write_text("flows = []\n#" + "x" * folder.LONGEST)
    (tmp_path / "empty").mkdir()
    (tmp_path / "of-a-run").mkdir()
    (tmp_path / "of-a-run/manifest.json").write_text(
        json.dumps(Scenario.from_file(tmp_path / "game.toml").run().manifest())
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/paper.toml").write_text("title = 'x'\n")
    (tmp_path / "report/one").mkdir(parents=True)
    (tmp_path / "report/one/reproduction.json").write_text("{}")
    run_here(
        sweep_of({"axes": {"links.slow.queue.kind": ["fcfs", "fq"]}, "replications": 1}),
        monkeypatch,
        out=tmp_path / "study",
    )
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path


def test_the_files_of_a_folder(place: Path) -> None:
    found = {each.name: each.kind for each in folder.found_in(place)}
    assert found == {
        "game.toml": "scenario", "plain.json": "scenario", "office.csv": "trace", "mine": "paper", "report": "report", "study": "study",
    }  # fmt: skip
    assert folder.found_in(place / "nowhere") == []
    held(answers.FolderFiles, Page(Subject(place=place)).get("/api/front/files").json())
    about = next(each.about for each in folder.found_in(place) if each.name == "game.toml")
    assert about.startswith("A player's game shares the link")


def test_a_card_opens_a_scenario_here_and_other_things_elsewhere(place: Path) -> None:
    opened: list[Path] = []
    page = Page(Subject(place=place))
    page.explorer.opener = lambda file: opened.append(file) or f"http://{len(opened)}"  # type: ignore[func-returns-value]
    page.client.app = page.explorer.app()
    names = [("example", each.name) for each in examples() if each.name != "office.csv"]
    for kind, name in (("file", "game.toml"), ("file", "plain.json"), *names):
        answer = page.post("/api/front/open", {"kind": kind, "name": name}).json()
        held(answers.Opened, answer)
        assert Scenario(answer["scenario"]).resolve(), name
        assert answer["address"] is None
    assert not opened
    for kind, name in (
        ("file", "office.csv"),
        ("file", "study"),
        ("file", "report"),
        ("paper", "kim1994"),
        ("example", "office.csv"),
    ):
        answer = page.post("/api/front/open", {"kind": kind, "name": name}).json()
        held(answers.Opened, answer)
        assert (answer["scenario"], answer["address"]) == (None, f"http://{len(opened)}")
        assert opened[-1].name == name
    page.explorer.runs.close()


def test_without_servers_of_their_own_other_things_have_a_command(place: Path) -> None:
    page = Page(Subject(place=place))
    answer = page.post("/api/front/open", {"kind": "paper", "name": "kim1994"}).json()
    assert answer == {"scenario": None, "address": None, "command": "headgate explore kim1994"}
    page.explorer.runs.close()


def test_only_what_is_listed_is_opened(place: Path) -> None:
    page = Page(Subject(place=place / "empty"))
    (place / "empty" / "link").symlink_to(place / "nowhere")
    names = ("../game.toml", str(place / "game.toml"), "..", ".", "", "game.toml", "link", "a/../b", "\0")
    others = [("paper", "../papers"), ("paper", str(place / "mine")), ("example", "../game"), ("x", "game")]
    for kind, name in (*(("file", name) for name in names), *others):
        answer = page.post("/api/front/open", {"kind": kind, "name": name})
        assert answer.status_code in (400, 404), (kind, name)
    # Another page than the start page lists no files.
    other = Page(Subject())
    assert other.get("/api/front/files").json() == {"folder": "", "files": []}
    assert other.post("/api/front/open", {"kind": "file", "name": "README.md"}).status_code == 404
    for each in (page, other):
        each.explorer.runs.close()


def test_the_start_page_lists_the_folder_in_which_it_began(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    page = Page(subject_of(None))
    found = page.get("/api/front/files").json()
    assert found["folder"] == place.name
    assert "game.toml" in [each["name"] for each in found["files"]]
    answer = page.post("/api/front/open", {"kind": "file", "name": "broken.toml"})
    assert answer.status_code == 404
    page.explorer.runs.close()


def test_a_server_for_each_thing_that_is_opened(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Subject] = []

    def start(self: serve.Servers, subject: Subject, port: int = 0) -> tuple[threading.Thread, str]:
        begun.append(subject)
        return threading.Thread(), f"http://{len(begun)}"

    monkeypatch.setattr(serve.Servers, "start", start)
    servers = serve.Servers(Runs(), 10_000_000)
    first = servers.open(place / "office.csv")
    assert servers.open(place / "office.csv") == first
    os.utime(place / "office.csv", ns=(1, 1))
    assert servers.open(place / "office.csv") != first
    assert [subject.kind for subject in begun] == ["replay", "replay"]
    with pytest.raises(HeadgateError, match="expected the folder of a study"):
        servers.open(place / "empty")
    for name in range(serve.OPENED - 2):
        shutil.copy(place / "game.toml", place / f"{name}.toml")
        servers.open(place / f"{name}.toml")
    with pytest.raises(HeadgateError, match=r"game.toml: 8 pages are open already; expected fewer"):
        servers.open(place / "game.toml")
    servers.close()


def test_answers_may_have_the_units_of_other_tools() -> None:
    found = built({"rate": "100mbit", "rtt": "20", "flows": "2*BBR", "queue": "FQ-CoDel", "buffer": "2xbdp"})
    line = "headgate quick --rate 100Mbit/s --rtt 20ms --flows 'bbr*2' --queue fq_codel --buffer 2BDP"
    assert found["command"] == line
