"""Whatever a user gets wrong gives one paragraph that names the place, the value and what was expected, and exit code 2."""

from __future__ import annotations

import json
import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.documents import Toml

from ..conftest import ROOT, Cli, dumbbell


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
    "missing": ({k: v for k, v in dumbbell().items() if k != "nodes"}, ["nodes"]),
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
        (["list", "queue"], "disciplines"),
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


FAULTY = """# Five faults.
duration = 30
name = "a file"

[[nodes]]
name = "a"

[[nodes]]
name = "b"
kind = "switch"

[[links]]
name = "slow"
from = "a"
to = "b"
framng = { kind = "atm" }
rate = "20Mbps"

[[links]]
from = "a"
to = "b"
rate = "1Mbit/s"

[links.queue]
kind = "droptail"

[[flows]]
name = "f"
from = "a"
to = "b"
"""


def test_the_faults_of_a_file_are_reported_together_with_their_lines(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "faulty.toml").write_text(FAULTY)
    done = cli("check", "faulty.toml")
    assert (done.returncode, done.stdout) == (2, "")
    first, *faults = done.stderr.splitlines()
    assert first == "error: faulty.toml: 5 faults"
    due = [
        ("line 2: duration: found 30;", "(did you mean `30ms`?)"),
        ('line 10: nodes[1].kind: found "switch";', "expected one of host, gateway"),
        ("line 16: links[0].framng: unknown key `framng`;", "did you mean `framing`? Expected one of name, from,"),
        ('line 17: links[0].rate: found "20Mbps";', "(did you mean `20Mbit/s`?)"),
        (
            'line 25: links[1].queue.kind: found "droptail";',
            "did you mean `fcfs`? Expected a queueing discipline: one of",
        ),
    ]
    assert len(faults) == len(due), done.stderr
    for fault, (start, part) in zip(faults, due, strict=True):
        assert fault.startswith(f"  {start}") and part in fault
    for word in ("unknown field", "unknown variant", "invalid type"):
        assert word not in done.stderr
    # One fault has one line, with its place.
    (tmp_path / "one.toml").write_text((ROOT / "scenarios/two-sources.toml").read_text().replace('"fq"', '"FQ"'))
    done = cli("run", "one.toml")
    line = next(i for i, text in enumerate((tmp_path / "one.toml").read_text().splitlines(), 1) if '"FQ"' in text)
    assert done.stderr.startswith(f'error: one.toml: line {line}: links[1].queue.kind: found "FQ"; did you mean `fq`? ')
    assert len(done.stderr.splitlines()) == 1


def test_an_option_is_blamed_when_it_is_at_fault(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "faulty.toml").write_text((ROOT / "scenarios/two-sources.toml").read_text())
    done = cli("run", "faulty.toml", "--set", "links.slow.rate=20mbit", "--set", "flows.*.wait=3")
    assert done.returncode == 2
    keys = json.loads(cli("schema").stdout)["$defs"]["Flow"]["properties"]
    first, *faults = done.stderr.splitlines()
    assert first == "error: faulty.toml: 3 faults"
    assert sorted(fault.split(": ")[1] for fault in faults) == ["flows[0].wait", "flows[1].wait", "links[1].rate"]
    for fault in faults:
        option = "--set links.slow.rate=20mbit: " if "rate" in fault.split(": ")[1] else "--set flows.*.wait=3: "
        assert fault.startswith(f"  {option}")
        if "unknown key" in fault:
            assert sorted(fault.split("one of ")[1].split(", ")) == sorted(keys)
    done = cli("run", "faulty.toml", "--set", "links.slo.rate=1Mbit/s")
    assert done.stderr.startswith("error: --set links.slo.rate=1Mbit/s: links has no entry 'slo'; expected one of ")
    # What the option did not set is the file's fault.
    (tmp_path / "faulty.toml").write_text(FAULTY)
    assert "line 10: nodes[1].kind" in cli("run", "faulty.toml", "--set", "duration=9s").stderr


@pytest.mark.parametrize("file", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda f: f.stem)
def test_values_and_lines_of_the_examples(file: Path) -> None:
    """The values are those that another reader has, in their order, and every key stands on its line."""
    text = file.read_text()
    read, rows = Toml(text), text.splitlines()
    assert json.dumps(read.values()) == json.dumps(tomllib.loads(text))

    def look(value: Any, path: str) -> None:
        if isinstance(value, list):
            for i, inner in enumerate(value):
                look(inner, f"{path}[{i}]")
        elif isinstance(value, dict):
            for key, inner in value.items():
                place = f"{path}.{key}" if path else key
                line = read.line_of(place)
                assert line is not None and key in rows[line - 1], place
                look(inner, place)

    look(tomllib.loads(text), "")


def test_lines_are_not_led_astray() -> None:
    text = (
        """a.b = [ # a [comment]
  "x = 1", 'it is = "so"', """
        + '"""'
        + """
y = 2
"""
        + '"""'
        + """, { c = { d = [1,
   { e = 5 }] } } ]
"quoted key" = 3

[ t . u ]
v = "]"
[[t.w]]
x = 1
[[t.w]]
x.y = 2
[t.w.z]
q = 1
"""
    )
    read = Toml(text)
    assert read.values() == tomllib.loads(text)
    due = {
        "a.b": 1, "a.b[0]": 2, "a.b[2]": 2, "a.b[3]": 4, "a.b[3].c": 4, "a.b[3].c.d": 4, "a.b[3].c.d[1]": 5, "a.b[3].c.d[1].e": 5,
        "quoted key": 6, "t": 8, "t.u": 8, "t.u.v": 9, "t.w[0]": 10, "t.w[0].x": 11, "t.w[1]": 12, "t.w[1].x.y": 13, "t.w[1].z": 14,
        "t.w[1].z.q": 15,
    }  # fmt: skip
    assert {place: read.line_of(place) for place in due} == due
    # The nearest place around what is not there.
    around = {"a.b[3].f": 4, "a.b[9]": 1, "t.w[1].x.q": 13, "t.w[1].]x[": 12, "q": None, "quoted": None, "": None}
    assert {place: read.line_of(place) for place in around} == around


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2020-01-01", "date 2020-01-01"),
        ("2020-01-01T07:32:00Z", "datetime 2020-01-01 07:32:00+00:00"),
        ("07:32:00.5", "time 07:32:00.500000"),
        ("inf", "inf"),
        ("-nan", "nan"),
        ("1e999", "inf"),
        (f"1{'0' * 300}", "997 bits"),
        ("0x1_0000_0000_0000_0000", "65 bits"),
    ],
)
def test_values_that_json_does_not_know(value: str, found: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'duration = "1s"\n[[flows]]\nname = "f"\nx = {{ y = [1, {value}] }}\n')
    done = cli("check", "a.toml")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: a.toml: flows[0].x.y[1]: found {found}; expected ")


def test_a_file_that_was_read_goes_to_other_processes(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("duration = 3\n")
    copy = pickle.loads(pickle.dumps(headgate.Scenario.from_file(tmp_path / "a.toml")))
    with pytest.raises(headgate.ScenarioError, match=r"a\.toml: line 1: duration: found 3; "):
        copy.resolve()
