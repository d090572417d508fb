"""Blocks of the how-to pages that are no commands to run as they stand: what each shows is run, or it is said why it is not."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import headgate

from ..conftest import ROOT, Cli
from ..own_programs import command
from ..tool.test_native_control import build
from .test_docs import PAGES, blocks

#: Pages whose blocks are looked at here or in another test, each with the languages of its blocks and where they are run, or why not.
ELSEWHERE = {
    "choose-a-transport": {"toml": "here", "console": "here"},
    "cluster": {
        "sh": "test_cluster_page.py", "yaml": "test_cluster_page.py", "python": "test_cluster_page.py",
        "text": "not run: needs dask-kubernetes and a cluster",
    },
    "explore": {"sh": "here", "python": "here", "text": "not run: a link is no file; test_links.py has such commands"},
    "flows-that-come-and-go": {"toml": "test_completion_metrics.py"},
    "infer": {"sh": "not run: minutes to hours; test_inference.py has the command", "toml": "here"},
    "install": {"sh": "not run: makes environments; test_install_lines.py looks at the lines"},
    "lessons": {"sh": "test_course.py", "text": "here", "toml": "here"},
    "mcp": {"json": "not run: the configuration of a client; test_mcp.py starts the command"},
    "native-control": {"text": "here, but for cargo, which the tests replace by rustc", "toml": "here"},
    "process-control": {"toml": "here", "text": "here, but for the build of quinn, which needs the network"},
    "shell-and-editor": {
        "sh": "not run: keys of a shell, and a page that `make man` builds", "toml": "not run: a comment for editors",
        "text": "test_progress_lines.py",
    },
    "site": {"sh": "not run: installs a target of Rust; site.test.mjs makes the site and serves it", "js": "site.test.mjs"},
    "train-a-control": {"sh": "test_training_policies.py", "python": "test_training_policies.py", "toml": "test_training_policies.py"},
    "trust": {"text": "not run: an error; test_trust.py has its words"},
}  # fmt: skip


def test_every_block_of_every_page_is_accounted_for() -> None:
    for page in (ROOT / "docs/how-to").glob("*.md"):
        found = Counter(re.findall(r"^```(\w+)\n", page.read_text("utf-8"), re.M))
        if f"docs/how-to/{page.name}" in PAGES:
            # YAML is a workflow of another machine, and TOML without a name a part of a file.
            assert set(found) <= {"sh", "text", "python", "toml", "yaml"}, page.name
        else:
            assert set(found) == set(ELSEWHERE[page.stem]), f"{page.name}: say where its blocks are run"
        assert page.read_text("utf-8").count("\n```") % 2 == 0
    for tests in ELSEWHERE.values():
        for where in tests.values():
            for file in re.findall(r"test_\w+\.py", where):
                assert list((ROOT / "tests").glob(f"*/{file}")), file


def of(page: str, language: str) -> list[str]:
    return blocks(f"docs/how-to/{page}.md", language)


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def network(flows: str) -> dict[str, Any]:
    """A path from `server` to `client` for flows of a page."""
    data: dict[str, Any] = {
        "duration": "2s",
        "nodes": [{"name": n, "kind": "host"} for n in ("server", "client")] + [{"name": "g"}],
    }
    data["links"] = [
        {"from": "server", "to": "g", "rate": "100Mbit/s"},
        {"from": "g", "to": "client", "rate": "5Mbit/s", "delay": "20ms"},
    ]
    return data | tomllib.loads(flows)


def test_the_example_of_a_program(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers are those of RFC 5681: the window grows by a packet for one acknowledged, and a loss leaves half of it."""
    events, answers = of("process-control", "text")[:2]
    given(monkeypatch, events)
    done = cli("control", "reno", "--stdio")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == answers


def test_the_scenario_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    (flows,) = of("process-control", "toml")
    data = network(flows)
    assert data["flows"][0]["control"]["command"] == ["./headgate-quinn", "cubic", "1500"]
    data["flows"][0]["control"]["command"] = command()
    assert headgate.Scenario(data, allow_code=True).run(seed=1).flow_summaries()[0].control == "process"


def test_the_error_of_a_program(cli: Cli, tmp_path: Path) -> None:
    shown = next(text for text in of("process-control", "text") if text.startswith("error: "))
    (flows,) = of("process-control", "toml")
    program = tmp_path / "headgate-quinn"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nline = input()\nprint('{{\"cwnd\": 10}}', flush=True)\ninput()\nsys.exit(101)\n"
    )
    program.chmod(0o755)
    (tmp_path / "a.json").write_text(json.dumps(network(flows)))
    done = cli("run", "a.json", "--allow-code")
    assert done.returncode == 2
    before, _, after = shown.partition(" s: ")
    words = done.stderr.partition(" s: ")
    # The time is that of the page's path, and the program says nothing before it ends.
    assert words[0].rsplit(" ", 1)[0] == before.rsplit(" ", 1)[0]
    assert words[2].strip().split(";")[0] == after.split(";")[0], done.stderr


def test_the_transport_of_linux(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "linux.toml").write_text(of("choose-a-transport", "toml")[0])
    done = cli("run", "linux.toml", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["flows"][0]["control"] == "cubic_linux", done.stderr
    line, *answers = of("choose-a-transport", "console")[0].splitlines()
    found = re.fullmatch(r"\$ printf '(.*)' \| headgate (.*)", line)
    assert found is not None
    given(monkeypatch, found[1].replace("\\n", "\n"))
    assert cli(*shlex.split(found[2])).stdout.splitlines() == answers


def test_what_the_explorer_is_given(cli: Cli, tmp_path: Path) -> None:
    """Its commands run until Ctrl-C: they are taken as far as the page. A capture, a study and a report of one's own are not there."""
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    lines = [line.split("#")[0].strip() for block in of("explore", "sh") for line in block.splitlines()]
    own = {"headgate explore link.pcapng", "headgate explore out/queues-and-rates", "headgate explore out/papers"}
    assert own <= set(lines)
    served: list[Any] = []
    with patch("headgate.explore.serve.serve", lambda subject, *_: served.append(subject.kind)):
        for line in lines:
            if line not in own:
                done = cli(*shlex.split(line)[1:])
                assert done.returncode == 0, (line, done.stderr)
    assert served == ["scenario", "replay", "papers", "start", "replay"]


def test_the_widget_of_the_page() -> None:
    pytest.importorskip("anywidget")
    (code,) = of("explore", "python")
    exec(compile(code, "explore.md", "exec"), {})


def test_the_lesson_of_the_page(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course/two-trips.toml").write_text(of("lessons", "toml")[0])
    line = next(text for text in of("lessons", "text") if text.startswith("headgate explore"))
    served: list[Any] = []
    with patch("headgate.explore.serve.serve", lambda subject, *_: served.append(list(subject.lessons))):
        done = cli(*shlex.split(line.splitlines()[0])[1:])
    assert done.returncode == 0, done.stderr
    assert "two-trips" in served[0]


def test_the_crate_and_the_files_of_the_page(cli: Cli, tmp_path: Path) -> None:
    first, second = of("native-control", "text")
    new, cargo = first.splitlines()
    assert cargo.startswith("cargo build ")
    for line in (new, *second.splitlines()):
        # The names are those of the page, each in a folder of its own.
        done = cli(*shlex.split(line)[1:], "--force")
        assert done.returncode == 0, (line, done.stderr)
    (tmp_path / "mine/target/release").mkdir(parents=True)
    made = build((tmp_path / "mine/src/lib.rs").read_text(), tmp_path)
    shutil.move(made, tmp_path / "mine/target/release/libmine.so")
    (tmp_path / "a.json").write_text(json.dumps(network(of("native-control", "toml")[0])))
    done = cli("run", "a.json", "--allow-code", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["flows"][0]["control"] == "mine", done.stderr


def test_the_unknowns_of_the_page() -> None:
    from headgate.papers.checks import checked
    from headgate.papers.unknowns import UnknownForm, read_unknowns

    table = tomllib.loads(of("infer", "toml")[0])["unknowns"]
    found = read_unknowns("infer.md", checked(dict[str, UnknownForm], table, "infer.md"))
    assert [unknown.name for unknown in found] == ["first_timeout", "repeats"]
