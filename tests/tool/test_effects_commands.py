"""What has no effect, as commands, studies and the explorer say it; and what `headgate quick` says that it chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, _core, quick
from headgate.results.sentences import sentences
from headgate.scenario.effects import warnings, warnings_of_all
from headgate.sweep import Sweep
from headgate.sweep import effects as of_study

from ..conftest import ROOT, Cli
from .test_effects import COMES, WEIGHED


def file(folder: Path, flows: str, queue: str = "fcfs", **more: Any) -> str:
    """A scenario file in a folder; its name."""
    data = quick.scenario("20Mbit/s", "20ms", flows, queue, duration="3s").data
    (folder / "mine.json").write_text(json.dumps({**data, **more}))
    return "mine.json"


def warned(stderr: str) -> list[str]:
    return [text.removeprefix("warning: ") for text in stderr.splitlines() if text.startswith("warning: ")]


EXPECTED = [f"Flow dctcp {COMES}", f"Flow cubic {WEIGHED}"]


def test_run_and_quick_say_it_on_standard_error_and_in_json(cli: Cli, tmp_path: Path) -> None:
    name = file(tmp_path, "dctcp,cubic:weight=3")
    args = ("--rate", "20Mbit/s", "--rtt", "20ms", "--flows", "dctcp,cubic:weight=3", "--duration", "3s", "--no-phase")
    for command in (("run", name), ("quick", *args)):
        done = cli(*command)
        assert (done.returncode, warned(done.stderr)) == (0, EXPECTED)
        assert not any(text in done.stdout for text in EXPECTED)
        done = cli(*command, "--json")
        assert warned(done.stderr) == json.loads(done.stdout)["warnings"] == EXPECTED
    good = cli("quick", *args, "--queue", "fq_bit", "--json")
    assert (good.stderr, json.loads(good.stdout)["warnings"]) == ("", [])


def test_check_says_it_without_a_run_and_prints_a_file_all_the_same(cli: Cli, tmp_path: Path) -> None:
    name = file(tmp_path, "dctcp,cubic:weight=3")
    done, as_json = cli("check", name), cli("check", name, "--json")
    assert warned(done.stderr) == warned(as_json.stderr) == EXPECTED
    assert json.loads(as_json.stdout) == {"scenario": json.loads(done.stdout), "warnings": EXPECTED}
    (tmp_path / "again.json").write_text(done.stdout)
    assert cli("check", "again.json").stdout == done.stdout
    good = cli("check", file(tmp_path, "dctcp,cubic", "fq_bit"), "--json")
    assert (good.stderr, json.loads(good.stdout)["warnings"]) == ("", [])


def test_a_study_says_once_what_no_variant_needs(cli: Cli, tmp_path: Path) -> None:
    axes = {"topology.line.rate": ["10Mbit/s", "20Mbit/s"]}
    name = file(tmp_path, "dctcp,cubic:weight=3", sweep={"axes": axes, "replications": 1})
    done = cli("sweep", name, "--out", "out", "--workers", "1")
    assert (done.returncode, warned(done.stderr)) == (0, EXPECTED)
    assert warned(cli("sweep", name, "--dry-run").stderr) == EXPECTED
    assert json.loads(cli("check", name, "--json").stdout)["warnings"] == EXPECTED
    assert warned(cli("run", name, "--base").stderr) == EXPECTED
    # What some variants need is there for them.
    for kinds in (["fcfs", "fq"], ["fq", "fcfs"]):
        axes = {"topology.line.queue.kind": kinds}
        name = file(tmp_path, "dctcp,cubic:weight=3", sweep={"axes": axes, "replications": 1})
        assert warned(cli("check", name).stderr) == EXPECTED[:1]


def test_studies_with_wrong_variants_and_with_many(monkeypatch: pytest.MonkeyPatch) -> None:
    data = quick.scenario("20Mbit/s", "20ms", "cubic:weight=3", duration="3s").data

    def study(path: str, *values: object) -> list[str]:
        return of_study.warnings(Sweep(Scenario(data), axes={path: list(values)}))

    # The first is wrong: what the others lack is said.
    assert study("topology.line.rate", "1bit/s", "1Mbit/s") == [f"Flow cubic {WEIGHED}"]
    assert study("flows.cubic.weight", 1, 2) == []
    assert study("flows.cubic.weight", 2, 3) == [f"Flow cubic {WEIGHED}"]
    monkeypatch.setattr(of_study, "MOST", 3)
    assert study("flows.cubic.weight", *range(2, 40)) == [f"Flow cubic {WEIGHED}"]
    assert warnings_of_all([]) == []


@pytest.mark.parametrize(
    "name", ["[red]x[/]", "{run}", "a\x1b[2Jb", "\u202eabc", "x" * 5000, "two\nlines", "naïve ± 名", "%s"]
)
def test_hostile_names_stay_text_in_one_line(name: str, cli: Cli, tmp_path: Path) -> None:
    data = quick.scenario("20Mbit/s", "20ms", "dctcp,cubic", duration="3s").data
    data["flows"][0]["name"] = name
    try:
        resolved = Scenario(data).resolve()
    except Exception as e:
        # The engine refuses some, and then there is nothing to say.
        assert "name" in str(e)
        return
    (text,) = warnings(resolved)
    assert text.endswith(COMES) and "\n" not in text and len(text) < 300
    (tmp_path / "mine.json").write_text(json.dumps(data))
    done = cli("check", "mine.json")
    (line,) = warned(done.stderr)
    assert line.endswith(COMES) and "\x1b" not in line and "\u202e" not in line
    if name in ("[red]x[/]", "{run}", "naïve ± 名", "%s"):
        assert line == text == f"Flow {name} {COMES}"


EXAMPLES = sorted({*(ROOT / "scenarios").glob("*.toml"), *(ROOT / "python/headgate/scenarios").glob("*.toml")})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_examples_have_nothing_without_effect(path: Path) -> None:
    scenario = Scenario.from_file(path)
    if "sweep" in scenario.data:
        assert of_study.warnings(Sweep.of(scenario)) == []
    assert warnings(scenario.base().resolve()) == []


@pytest.mark.slow
def test_many_flows_take_a_moment() -> None:
    scenario = quick.scenario("1Gbit/s", "20ms", "cubic*4000:weight=2,reno", "fq").resolve()
    reads = scenario["links"][0]["queue"]
    assert warnings(scenario) == []
    # Another queue elsewhere does it: each way is looked at.
    scenario["links"][0]["queue"], scenario["links"][-1]["queue"] = {"kind": "fcfs"}, reads
    (text,) = warnings(Scenario(scenario).resolve())
    assert text.startswith("Flows cubic1, cubic2 and 3998 more have weights")


# What quick chooses.


def test_workloads_have_the_modern_flow_control_beside_them() -> None:
    def controls(flows: str) -> list[object]:
        return [flow["control"]["kind"] for flow in quick.scenario("20Mbit/s", "20ms", flows).resolve()["flows"]]

    assert controls("cubic*2,transfer:1MB") == ["cubic"] * 3
    assert controls("transfer:1MB,jk_reno,reno,cubic") == [
        "reno",
        "jk_reno",
        "reno",
        "cubic",
    ]
    assert controls("jk_reno,transfer:1MB") == ["jk_reno", "cubic"]
    assert controls("transfer:1MB,cbr:1Mbit/s,telnet:1s") == ["cubic", "none", "cubic"]
    assert controls("ftp:control=vegas,transfer:1MB") == ["vegas", "vegas"]
    assert controls("cubic,transfer:1MB,control=jk_reno") == ["cubic", "jk_reno"]


@pytest.mark.parametrize(
    ("rtt", "flows", "parts"),
    [
        ("20ms", "cubic*2,cbr:1Mbit/s", []),
        ("20ms", "cubic,transfer:1MB,control=jk_reno", ["transfer repairs losses by rules of its own, not by the transport"]),
        ("20ms", "cubic,transfer:1MB", ["transfer has the flow control cubic, as the flow beside it;"]),
        ("20ms", "reno,transfer*2:1MB,telnet", ["transfer*2 and telnet have the flow control reno, as the flow beside them;"]),
        (
            "20ms",
            "jk_reno,transfer:1MB",
            ["transfer has the flow control cubic, since no flow beside it has a modern one;", "jk_reno repairs losses by rules"],
        ),
        ("0.5ms", "jk_reno", []),
        ("1ms", "cubic", []),
        ("0.5ms", "cubic", ["cubic has Linux's transport (transport.preset=linux), since round trips are below 1 ms;"]),
        (
            "0.5ms",
            "cubic:transport.preset=rfc,reno*4,sack:rtt=1ms",
            ["reno*4 have Linux's transport", "reno*4 and sack have Linux's transport", "cubic, reno*4 and sack have different"],
        ),
        ("0.5ms", "cubic:rtt=9ms,transfer:1MB", ["transfer has the flow control cubic", "transfer has Linux's transport"]),
        ("0.5ms", "reno,sack,cubic,vegas,aimd", ["reno, sack, cubic and 2 more have Linux's transport"]),
    ],
)  # fmt: skip
def test_quick_says_what_it_chose(rtt: str, flows: str, parts: list[str], cli: Cli) -> None:
    found = quick.notes(rtt, flows)
    assert len(found) == len(parts)
    assert all(text.startswith(part) for text, part in zip(found, parts, strict=True)), found
    if parts:
        done = cli("quick", "--rate", "20Mbit/s", "--rtt", rtt, "--flows", flows, "--duration", "2s", "--no-phase")
        assert done.returncode == 0, done.stderr
        text = " ".join(done.stdout.split())
        assert all(" ".join(note.split()) in text for note in found)


def test_the_explorer_says_it_first_and_a_first_part_is_judged_as_the_whole() -> None:
    results = quick.scenario("20Mbit/s", "20ms", "dctcp", duration="0.5s").run()
    assert len(warnings(results.scenario)) == 2
    found = warnings(results.scenario, 3.0)
    assert found == [f"Flow dctcp {COMES}"]
    said = [json.loads(_core.summary(results.runs[0], before))["sentences"] for before in (found, [])]
    assert said[0] == [*found, *said[1]] and said[1] == sentences(results)
