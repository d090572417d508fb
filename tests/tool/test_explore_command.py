"""`headgate explore`: what it prints, how it ends, and what it says where something is missing."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

import headgate
from headgate.base.errors import HeadgateError, MissingExtraError, install_line
from headgate.explore.serve import listening, require, serve
from headgate.explore.subject import Subject, subject_of

from ..conftest import ROOT, Cli, dumbbell
from ..explorer import Page
from ..studies import run_here, sweep_of

COMMAND = [sys.executable, "-c", "from headgate.cli import main; main()", "explore", "--no-browser"]


@contextmanager
def started(*args: object) -> Iterator[tuple[subprocess.Popen[str], re.Match[str]]]:
    """The command, and the address that it printed."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?t=([\w-]+)", line)
        assert found, (line, process.stderr.read() if process.stderr is not None and not line else "")
        yield process, found
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def asked(address: re.Match[str], path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", int(address[1]))
    try:
        connection.request("GET", path, headers={"X-Headgate-Token": address[2], **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_a_scenario_until_ctrl_c(number: int, code: int) -> None:
    with started(ROOT / "scenarios/two-sources.toml") as (process, address):
        assert asked(address, "/api/start")[0] == 200
        assert asked(address, "/api/start", **{"X-Headgate-Token": "wrong"})[0] == 403
        assert asked(address, "/api/start", Host="evil.example")[0] == 403
        assert b"two sources and a typist" in asked(address, "/api/start")[1]
        process.send_signal(number)
        assert process.wait(600) == code
        assert process.stderr is not None
        assert process.stderr.read() == "stopped\n"


def test_a_scenario_may_name_files_of_the_folders_that_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("0s,80kbit/s\n5s,160kbit/s\n")
    file = tmp_path / "course/mine.json"
    file.parent.mkdir()
    data = dumbbell()
    data["links"][1]["rate"] = {"kind": "steps", "file": "../rates.csv"}
    file.write_text(json.dumps(data))
    with started(file, "--allow-files", tmp_path) as (_, address):
        assert b"160kbit/s" in asked(address, "/api/start")[1]
    # The start page opens the scenarios of its folder by the same rule.
    for allowed, status in (((), 422), ((tmp_path,), 200)):
        page = Page(Subject(place=file.parent, allow_files=allowed))
        assert page.post("/api/front/open", {"kind": "file", "name": file.name}).status_code == status
        page.explorer.runs.close()


def test_ctrl_c_ends_it_while_runs_go_on() -> None:
    body = (
        b'{"tab": "t", "seed": null, "scenario": {"duration": "2000h", "warm_up": "1s", "interval": "1h", "topology": "dumbbell",'
        b' "flows": [{"name": "f", "from": "s1", "to": "d1"}]}}'
    )
    with started() as (process, address):
        connection = http.client.HTTPConnection("127.0.0.1", int(address[1]))
        connection.request("POST", "/api/run", body, {"X-Headgate-Token": address[2]})
        assert b"progress" in connection.getresponse().readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 130
        connection.close()


def test_only_this_machine_reaches_it() -> None:
    with listening(0) as door:
        assert door.getsockname()[0] == "127.0.0.1"


def test_a_taken_port_is_an_error(cli: Cli) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = cli("explore", "--no-browser", "--port", other.getsockname()[1])
    assert done.returncode == 2
    assert "expected a free port" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [("duration = 1", "duration"), ("= x", "expected a scenario in TOML"), (None, "expected a scenario file")],
)
def test_a_wrong_file_is_an_error(text: str | None, said: str, cli: Cli, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "a.toml").write_text(text)
    done = cli("explore", "--no-browser", "a.toml")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_folder_is_no_study(cli: Cli) -> None:
    done = cli("explore", "--no-browser", ".")
    assert done.returncode == 2
    assert "study" in done.stderr


def test_a_wrong_size_of_memory_is_an_error(cli: Cli) -> None:
    done = cli("explore", "--no-browser", "--max-memory", "much")
    assert done.returncode == 2
    assert "much" in done.stderr


def test_without_the_libraries_it_names_the_extra(cli: Cli) -> None:
    with patch("importlib.util.find_spec", return_value=None), pytest.raises(MissingExtraError) as e:
        require()
    assert install_line("explore") in str(e.value)
    with patch.dict(sys.modules, {"starlette": None}):
        done = cli("explore", "--no-browser")
    assert done.returncode == 2
    assert install_line("explore") in done.stderr


@pytest.mark.parametrize("browser", [False, True])
def test_it_opens_the_browser_unless_that_is_not_wanted(browser: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, there = list[str](), threading.Event()

    class Served:
        """A server that ends when the browser was opened, or at once if it is not to be."""

        def __init__(self, _: object) -> None:
            self.should_exit = False

        def run(self, sockets: list[socket.socket]) -> None:
            if browser:
                there.wait(600)
            sockets[0].close()

    def opening(url: str) -> None:
        opened.append(url)
        there.set()

    said = list[str]()
    monkeypatch.setattr("webbrowser.open", opening)
    monkeypatch.setattr("uvicorn.Server", Served)
    serve(subject_of(None), 0, browser, 1, None, said.append)
    assert opened == (said if browser else [])
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?t=[\w-]{20,}", said[0])


def test_a_folder_of_a_study_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "axes": {"links.slow.queue.kind": ["fcfs", "fq"], "links.slow.rate": ["40kbit/s", "80kbit/s"]},
        "replications": 3,
    }
    study = run_here(sweep_of(table), monkeypatch, out=tmp_path / "study")
    page = Page(subject_of(tmp_path / "study"))
    start = page.get("/api/start").json()
    assert start["kind"] == "study"
    about = page.get("/api/study").json()
    assert [a["name"] for a in about["axes"]] == ["queue", "rate"]
    assert about["complete"]
    grid = page.get("/api/study/grid", metric="goodput", x="rate", y="queue").json()
    assert (grid["x"], len(grid["values"]), grid["y"][0]) == (["40kbit/s", "80kbit/s"], len(grid["y"]), "fcfs")
    wanted = pandas_means(study)
    for row, queue in enumerate(grid["y"]):
        for column, rate in enumerate(grid["x"]):
            if (queue, rate) in wanted:
                assert grid["values"][row][column] == pytest.approx(wanted[queue, rate])
                assert grid["halves"][row][column] >= 0
            variant = page.get(f"/api/study/variant/{grid['variants'][row][column]}").json()["scenario"]
            link = next(x for x in variant["links"] if x["name"] == "slow")
            assert (link["rate"], link["queue"]["kind"]) == (rate, queue)
    turned = page.get("/api/study/grid", metric="goodput", x="queue", y="rate").json()
    for key in ("values", "halves", "variants"):
        assert turned[key] == [list(column) for column in zip(*grid[key], strict=True)]
    line = page.get("/api/study/grid", metric="goodput", x="rate").json()
    assert (line["y"], len(line["values"])) == ([""], 1)
    for query in ({"metric": "nothing", "x": "rate"}, {"metric": "goodput", "x": "nothing"}, {"metric": "goodput"}):
        assert page.get("/api/study/grid", **query).status_code == 422
    assert page.get("/api/study/variant/99").status_code == 404


def pandas_means(study: headgate.Study) -> dict[tuple[str, str], float]:
    """Of each queue and rate the mean over replications of the goodput of all flows."""
    sums: dict[tuple[str, str, int], float] = {}
    for row in study.flows.to_pylist():
        key = (row["queue"], row["rate"], row["replication"])
        sums[key] = sums.get(key, 0.0) + row["goodput_bps"]
    pairs = {key[:2] for key in sums}
    return {p: statistics.mean(v for key, v in sums.items() if key[:2] == p) for p in pairs}


def test_without_a_study_there_is_none(tmp_path: Path) -> None:
    page = Page()
    for path in ("/api/study", "/api/study/grid", "/api/study/variant/0"):
        assert page.get(path).status_code == 404
    with pytest.raises(HeadgateError, match="expected"):
        subject_of(tmp_path)
