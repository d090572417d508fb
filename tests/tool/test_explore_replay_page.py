"""The page of a replay: how it begins, its controls, its links, and what it says about what is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from headgate import _core
from headgate.base.catalogue import catalogue
from headgate.base.choices import CLASSIFY, CLASSIFY_HELP, CONVENTION_HELP, CONVENTIONS
from headgate.base.errors import HeadgateError
from headgate.explore.replays.trace import is_trace
from headgate.explore.subject import subject_of

from ..conftest import ROOT, Cli
from ..explorer import Page, scenario
from .test_explore_replay import DISCIPLINES, LINE, begin
from .test_explore_replay import office as office
from .test_replay import CAPTURE, OFFICE
from .test_replay_faults import BAD

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def turn(page: Page, given: dict[str, Any], path: str, value: Any) -> Any:
    return page.post("/api/set", {"scenario": given, "path": path, "value": value}).json()


def controls(page: Page, given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {c["path"]: c for c in page.post("/api/controls", {"scenario": given}).json()["controls"]}


def test_the_page_begins_with_what_was_given() -> None:
    options = {"queue": ["fcfs", {"kind": "fq", "delta": "1000B"}], **LINE, "seed": 4, "ties": "together"}
    start = Page(subject_of(OFFICE, options)).get("/api/start").json()
    assert (start["kind"], start["file"], start["chosen"]) == ("replay", "office.csv", [])
    more = {"replay": "office.csv", "rate": "2Mbit/s", "seed": 4, "ties": "together"}
    assert start["scenario"] == {**more, "queue": {"kind": "fcfs", "buffer": "64KB"}}
    assert start["other"] == {**more, "queue": {"kind": "fq", "delta": "1000B", "buffer": "64KB"}}


def test_what_is_not_given_is_chosen_from_the_trace_and_said() -> None:
    start = Page(subject_of(OFFICE)).get("/api/start").json()
    # 1,000,200 bytes in 2.97971 s are 2.685 Mbit/s.
    assert start["scenario"] == {"replay": "office.csv", "rate": "3Mbit/s", "queue": {"kind": "fcfs", "buffer": "38KB"}}
    assert start["other"] is None
    assert [s.split(":")[0] for s in start["chosen"]] == ["No rate was given", "No buffer was given"]
    assert "3 Mbit/s, 1.1 times the mean load" in start["chosen"][0]
    only = Page(subject_of(OFFICE, {"rate": "100kbit/s"})).get("/api/start").json()
    # A buffer that holds fewer than ten of the longest packets would drop almost everything.
    assert only["scenario"]["queue"]["buffer"] == "15KB"
    assert len(only["chosen"]) == 1


def test_a_trace_of_one_instant_has_a_rate_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n5,a,100\n5,b,150\n")
    page = Page(subject_of(tmp_path / "t.csv"))
    start = page.get("/api/start").json()
    assert start["scenario"]["rate"] == "2kbit/s"
    done = page.run(start["scenario"])
    assert [f["sent"] for f in done["flows"]] == [1, 1]
    assert done["until"] == pytest.approx(1)
    for view in done["views"]:
        assert page.get(f"/api/run/{done['run']}/series", view=view["name"]).status_code == 200
    page.explorer.runs.close()


def test_traces_are_known_by_their_names_and_first_bytes(tmp_path: Path) -> None:
    for name, holds, due in [
        ("a.csv", b"", True), ("a.PCAP", b"", True), ("a.cap", b"x", True), ("a.toml", b"PAR1", False), ("a", b"PAR1", True),
        ("b", CAPTURE.read_bytes(), True), ("c", b"duration = 1", False), ("a.txt", b"time_s", False),
    ]:  # fmt: skip
        (tmp_path / name).write_bytes(holds)
        assert is_trace(tmp_path / name) == due, name
    assert not is_trace(tmp_path / "nothing")
    assert not is_trace(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert not is_trace(tmp_path / "pipe")


@pytest.mark.parametrize("name", BAD)
def test_a_faulty_trace_has_the_errors_of_the_command(name: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(BAD[name][0].encode("latin-1"))
    line = ("bad.csv", "--queue", "fq", "--rate", "1Mbit/s")
    told, due = cli("explore", "--no-browser", *line), cli("replay", *line)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == due.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--queue", "nothing"), ("--rate", "fast"), ("--buffer", "x"), ("--set", "delta"), ("--set", "nothing=1"), ("--set", "fq.delta=x"),
        ("--classify", "pair"), ("--queue", "{kind = 1"), ("--queue", "{kind = 'fq', nothing = 1}"), ("--seed", "-1"), ("--ties", "x"),
    ],
)  # fmt: skip
def test_a_wrong_option_has_the_error_of_the_command(options: tuple[str, str], cli: Cli) -> None:
    line = (
        OFFICE,
        *(() if options[0] == "--queue" else ("--queue", "fq")),
        *(() if options[0] == "--rate" else ("--rate", "1Mbit/s")),
    )
    told, due = cli("explore", "--no-browser", *line, *options), cli("replay", *line, *options)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.replace("headgate explore", "headgate replay").splitlines()[-1] == due.stderr.splitlines()[-1]


def test_options_of_a_trace_are_for_a_trace(cli: Cli, tmp_path: Path) -> None:
    for file in (ROOT / "scenarios/two-sources.toml", tmp_path):
        done = cli("explore", "--no-browser", file, "--rate", "1Mbit/s")
        assert done.returncode == 2
        assert "--rate: expected a trace" in done.stderr
    done = cli("explore", "--no-browser", "--at-departure", "departures-first")
    assert (
        "--at-departure: expected a trace (CSV, Parquet, pcap or pcapng) with this option, found no file" in done.stderr
    )
    done = cli("explore", "--no-browser", OFFICE, *("--queue", "fq") * 3)
    assert (done.returncode, "expected at most 2" in done.stderr) == (2, True)
    done = cli("explore", "--no-browser", CAPTURE, "--ecn", "capable")
    assert "each packet of a capture says so" in done.stderr
    done = cli("explore", "--no-browser", "nothing.csv")
    assert (done.returncode, "nothing.csv" in done.stderr) == (2, True)


def test_a_pipe_cannot_be_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.csv")
    with pytest.raises(HeadgateError, match="expected a file: the explorer reads a trace more than once"):
        subject_of(tmp_path / "p.csv")


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_every_discipline_can_be_chosen_and_has_its_controls(kind: str, office: Page) -> None:
    answer = turn(office, begin(office), "queue.kind", kind)
    assert "error" not in answer, answer
    given = answer["scenario"]
    found = {c["path"]: c for c in answer["controls"]}
    known = catalogue("disciplines")[kind]
    plain = [p.name for p in known.parameters if p.default is not None and not isinstance(p.default, list)]
    assert {f"queue.{name}" for name in plain if name != "aqm"} <= set(found)
    assert ("queue.aqm.kind" in found) == ("aqm" in (p.name for p in known.parameters))
    assert {"rate", "queue.kind", "seed", "in_service", "ties", "at_departure", "ecn", "lenient"} <= set(found)
    assert given["queue"]["buffer"] == "64KB"
    # Each control takes back what it shows.
    for path, c in found.items():
        value = c["number"] if c["kind"] == "quantity" and c["number"] is not None else c["value"]
        assert "error" not in turn(office, given, path, value), path


def test_controls_have_units_and_limits() -> None:
    page = Page(subject_of(CAPTURE, LINE))
    found = controls(page, begin(page))
    assert [c["value"] for c in found["classify"]["choices"]] == [
        "pair",
        "source",
        "destination",
        "5tuple",
        "priority",
        "ecn",
    ]
    assert "ecn" not in found
    rate = found["rate"]
    assert (rate["unit"], rate["number"], rate["group"], rate["main"]) == ("bit/s", 2e6, "Line", True)
    assert rate["from"] < rate["number"] < rate["to"]
    given = turn(page, begin(page), "rate", 3.5e6)["scenario"]
    assert given["rate"] == "3.5Mbit/s"
    given = turn(page, given, "classify", "source")["scenario"]
    assert "by source" in page.run(given)["about"][0]
    assert turn(page, given, "seed", None)["scenario"].get("seed") is None
    page.explorer.runs.close()


def test_the_page_and_the_command_say_the_same_of_what_a_trace_does_not_contain() -> None:
    """The command has the texts of its own, since its help is shown before the engine is loaded."""
    found = {key: (tuple(values), about) for key, values, about in _core.REPLAY_CONVENTIONS}
    assert found == {key: (values, CONVENTION_HELP[key]) for key, values in CONVENTIONS.items()}
    page = Page(subject_of(CAPTURE, LINE))
    by = controls(page, begin(page))["classify"]
    assert (["flow", *(choice["value"] for choice in by["choices"])], by["help"]) == (list(CLASSIFY), CLASSIFY_HELP)
    page.explorer.runs.close()


def test_a_new_discipline_keeps_what_it_shares(office: Page) -> None:
    given = turn(office, begin(office), "queue.delta", "500B")["scenario"]
    given = turn(office, given, "queue.kind", "wfq")["scenario"]
    assert given["queue"] == {"kind": "wfq", "buffer": "64KB", "delta": "500B"}
    assert turn(office, given, "queue.kind", "red")["scenario"]["queue"] == {"kind": "red", "buffer": "64KB"}


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("rate", "fast", "rate"), ("rate", -1, "rate"), ("rate", 0, "rate"), ("queue.buffer", "x", "queue.buffer"),
        ("queue.delta", [], "queue.delta"), ("queue.kind", "nothing", "queue"), ("queue.kind", 5, "queue"), ("queue.nothing", 1, None),
        ("nothing", 1, None), ("seed", -1, "seed"),
        ("seed", 2**70, "seed"), ("ties", "x", "ties"), ("lenient", "yes", "lenient"), ("replay", "x", None), ("queue.buffer.x", 1, None),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_its_place(path: str, value: Any, place: str | None, office: Page) -> None:
    answer = turn(office, begin(office), path, value)
    assert "expected" in answer["error"]["message"] or "above zero" in answer["error"]["message"]
    assert (answer["error"]["path"] or "").startswith(place or "")
    assert bool(answer["error"]["path"]) == (place is not None)


@pytest.mark.parametrize(
    "broken",
    [
        {"rate": 5}, {"rate": None}, {"queue": 3}, {"queue": []}, {"queue": {"kind": "fq", "x": 1}}, {"nothing": 1}, {"classify": 1},
        {"classify": "pair"},
        {"lenient": 1}, {"seed": "x"}, {"seed": 1.5}, {"ecn": 3}, {"ties": []}, {"queue": {"kind": {"kind": {"kind": {}}}}}, {"queue": {}},
        {"queue": {"kind": "fq", "delta": float("inf")}},
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_strangers_are_checked(broken: dict[str, Any], office: Page) -> None:
    """A link may hold anything."""
    given = {**begin(office), **broken}
    for path, body in (
        ("/api/controls", {"scenario": given}), ("/api/set", {"scenario": given, "path": "rate", "value": "1Mbit/s"}),
        ("/api/run", {"scenario": given, "seed": None, "tab": "x"}),
        ("/api/compare", {"a": {"scenario": given}, "b": {"scenario": begin(office)}, "seeds": 1}),
    ):  # fmt: skip
        if path == "/api/set" and "rate" in broken:
            continue
        answer = office.post(path, body)
        last = json.loads(answer.text.splitlines()[-1])
        assert "error" in last, (path, last)
        assert last["error"]["message"]


def test_no_other_file_can_be_asked_for(office: Page) -> None:
    for name in ("/etc/passwd", "../pyproject.toml"):
        done = office.run({**begin(office), "replay": name})
        assert done["about"][0].startswith("office.csv")
        assert turn(office, {**begin(office), "replay": name}, "seed", 5)["scenario"]["replay"] == "office.csv"


def test_a_link_holds_the_settings_and_says_that_the_trace_is_missing(office: Page) -> None:
    given = begin(office)
    fragment = office.post("/api/link", {"scenario": given}).json()["fragment"]
    other = Page()
    assert other.post("/api/unlink", {"fragment": fragment}).json()["scenario"] == given
    for path in ("/api/controls", "/api/run"):
        answer = other.post(path, {"scenario": given, "seed": None, "tab": "x"})
        assert answer.status_code == 422
        assert "headgate explore office.csv" in answer.json()["error"]["message"]
    # A scenario can be run on the page of a replay, but is not compared with one.
    assert office.run(scenario(duration="7s", interval="1s"))["duration"] == 7.0
    last = office.lines("/api/compare", {"a": {"scenario": scenario()}, "b": {"scenario": given}, "seeds": 1})[-1]
    assert "one of each" in last["error"]["message"]
    other.explorer.runs.close()


@pytest.mark.parametrize(
    "name", [MARKUP, "=cmd()", "'@x", '"a, b"', "a\tb", "</script>", "日本" * 50, "x" * 5000, "__proto__", "../x"]
)
def test_hostile_names_of_flows_stay_texts(name: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([["time_s", "flow", "size_bytes"], *([i * 0.001, name, 500] for i in range(50))])
    page = Page(subject_of(file, {"rate": "1Mbit/s", "buffer": "5KB"}))
    done = page.run(begin(page))
    flow = done["flows"][0]["name"]
    assert flow == ("@x" if name == "'@x" else name)
    run = f"/api/run/{done['run']}"
    assert page.get(f"{run}/series", view="offered").json()["series"][0]["name"] == flow
    text = page.get(f"{run}/export", form="csv", view="offered").content.decode()
    cells = {row["series"] for row in csv.DictReader(io.StringIO(text))}
    assert cells == {f"'{flow}" if flow.lstrip("'")[:1] in "=+-@" else flow}
    compile(page.get(f"{run}/export", form="python").text, "lines", "exec")
    drops = page.get(f"{run}/packets", port="line", kind="drop", flow=flow).json()["packets"]
    assert drops
    assert flow in page.get(f"{run}/packet/line/{drops[0]['id']}").json()["story"][0]
    page.explorer.runs.close()


def test_a_hostile_name_of_a_file_stays_a_text(tmp_path: Path) -> None:
    file = tmp_path / ("a\n'\"`$(touch x)<b>;" + ".csv")
    file.write_bytes(OFFICE.read_bytes())
    page = Page(subject_of(file, LINE))
    done = page.run(begin(page))
    run = f"/api/run/{done['run']}"
    answer = page.get(f"{run}/export", form="csv", view="offered")
    assert answer.headers["content-disposition"] == 'attachment; filename="a-touch-x-b-offered.csv"'
    compile(page.get(f"{run}/export", form="python").text, "lines", "exec")
    page.explorer.runs.close()
