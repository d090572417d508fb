"""Whatever a user gets wrong gives one paragraph that names the place, the value and what was expected, and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, dumbbell


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    scenario: Any = dumbbell()
    place = scenario
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return scenario


CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unknown key": (changed(["durration"], "1s"), ["durration", "duration"]),
    "unknown key deep": (changed(["links", 1, "queue", "bufer"], "9pkt"), ["links[1].queue", "bufer", "buffer"]),
    "wrong unit": (changed(["links", 0, "rate"], "10ms"), ["links[0].rate", "10ms", "bit/s"]),
    "no unit": (changed(["duration"], 100), ["duration", "100"]),
    "negative rate": (changed(["links", 0, "rate"], "-5kbit/s"), ["links[0].rate", "-5kbit/s"]),
    "zero rate": (changed(["links", 0, "rate"], "0bit/s"), ["links[0].rate", "0bit/s"]),
    "unreachable sink": (changed(["links"], [dumbbell()["links"][0]]), ["flows[0].to", '"k"', "reached"]),  # type: ignore[index]
    "zero-size packet": (changed(["flows", 0, "packet"], "0B"), ["flows[0].packet", "0B"]),
    "small buffer": (
        changed(["links", 1, "queue"], {"kind": "fcfs", "buffer": "999B"}),
        ["links[1].queue.buffer", "999B", "1000B"],
    ),
    "empty buffer": (changed(["links", 1, "queue"], {"kind": "fcfs", "buffer": "0pkt"}), ["links[1].queue", "0pkt"]),
    "structure without conversations": (
        changed(["links", 1, "queue"], {"kind": "fq", "structure": "heap"}),
        ["links[1].queue.structure", '"heap"', '"longest_queue"'],
    ),
    "duplicate name": (changed(["nodes", 2, "name"], "g"), ["nodes[2].name", '"g"', "nodes[1]"]),
    "unknown node": (changed(["flows", 0, "to"], "kk"), ["flows[0].to", '"kk"', "`k`"]),
    "unknown discipline": (changed(["links", 1, "queue"], {"kind": "fsfs"}), ["links[1].queue", "fsfs", "fcfs"]),
    "unknown control": (changed(["flows", 0, "control"], {"kind": "renno"}), ["flows[0].control", "renno", "jk_reno"]),
    "out of range": (changed(["flows", 0, "control", "window"], 0), ["flows[0].control", "0"]),
    "endless without control": (changed(["flows", 0, "control"], {"kind": "none"}), ["flows[0].workload", "ftp"]),
    "warm-up too long": (changed(["warm_up"], "999s"), ["warm_up", "999s"]),
    "missing": ({"duration": "1s"}, ["nodes"]),
    "zero count": (changed(["flows", 0, "count"], 0), ["flows[0].count", "0"]),
    "link to itself": (changed(["links", 0, "to"], "s"), ["links[0].to"]),
}


@pytest.mark.parametrize("name", CASES)
def test_scenarios(name: str, cli: Cli, tmp_path: Path) -> None:
    scenario, expected = CASES[name]
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(scenario))
    done = cli("run", file, "--out", "out")
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    for part in ["wrong.json", *expected]:
        assert part in done.stderr
    assert not (tmp_path / "out").exists()


def test_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "garbage.toml").write_bytes(bytes(range(256)) * 20_000)
    (tmp_path / "huge.toml").write_bytes(bytes(range(256)) * 40_000)
    (tmp_path / "long.toml").write_text("x = 1\n" * 2_000_000)
    (tmp_path / "broken.toml").write_text("duration = \n")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "date.toml").write_text("duration = 2020-01-01\n")
    for name, words in {
        "garbage.toml": "UTF-8",
        "long.toml": "8 MB",
        "huge.toml": "8 MB",
        "broken.toml": "TOML",
        "deep.json": "JSON",
        "list.json": "table",
        "date.toml": "2020-01-01",
        "absent.toml": "No such file",
        ".": "directory",
    }.items():
        done = cli("check", name)
        assert done.returncode == 2, done
        assert words in done.stderr
        assert "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "ok.json", "--set", "links.slo.rate=1Mbit/s"], "slow"),
        (["run", "ok.json", "--set", "rate"], "PATH=VALUE"),
        (["run", "ok.json", "--set", "duration.x=1"], "duration"),
        (["run", "ok.json", "--seed", "-1"], "-1"),
        (["run", "ok.json", "--replications", "0"], "0"),
        (["run", "ok.json", "--out", "ok.json"], "folder"),
        (["run"], "FILE"),
        (["reproduce", "demers"], "demers1989"),
        (["reproduce", "demers1989", "scenario-9"], "scenario-1"),
        (["reproduce", "demers1989", "--report", "ok.json"], "folder"),
        (["reproduce", "demers1989", "--report", "ok.json/report"], "cannot be written"),
        (["list", "queues"], "disciplines"),
        (["diff", ".", "ok.json"], "manifest.json"),
        (["rum"], "rum"),
    ],
)
def test_options(args: list[str], words: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "ok.json").write_text(json.dumps(dumbbell()))
    done = cli(*args)
    assert done.returncode == 2, done
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_manifest(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text('{"runs": 3}')
    done = cli("diff", "run", "run")
    assert done.returncode == 2
    assert "manifest" in done.stderr
