"""What commands print fits the terminal: no name and no number is cut, and many flows do not make many lines."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import headgate
from headgate.results.groups import groups

from ..conftest import ROOT, Cli, dumbbell

SCENARIOS = sorted(f for f in (ROOT / "scenarios").glob("*.toml") if "\n[sweep" not in f.read_text())


def many(flows: int, name: str = "ftp{i}") -> dict[str, Any]:
    """The dumbbell with this many flows."""
    scenario: dict[str, Any] = dumbbell()
    scenario["flows"][0] |= {"name": name, "count": flows}
    return scenario


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_longer_than_the_terminal(width: int, cli: Cli) -> None:
    with patch.dict(os.environ, COLUMNS=str(width)):
        for file in SCENARIOS:
            done = cli("run", file, "--base")
            assert done.returncode == 0, done.stderr
            assert "…" not in done.stdout
            assert max(map(len, done.stdout.splitlines())) <= width, file
        done = cli("replay", ROOT / "scenarios/office.csv", "--queue", "fcfs", "--queue", "fq", "--rate", "2Mbit/s")
        assert max(map(len, done.stdout.splitlines())) <= width
        assert "…" not in done.stdout


def test_what_is_no_terminal_has_80_columns_and_wide_has_all(cli: Cli) -> None:
    file = ROOT / "scenarios/two-sources.toml"
    narrow, wide = cli("run", file).stdout, cli("run", file, "--wide").stdout
    assert max(map(len, narrow.splitlines())) <= 80
    assert "columns left out: workload, goodput pkt/s, retrans.; --wide" in narrow and "timeout" in narrow
    flow = headgate.Scenario.from_file(file).run().flow_summaries()[0]
    row = next(line.split() for line in wide.splitlines() if line.startswith("ftp1 "))
    assert row[:3] == ["ftp1", "jk_reno", "ftp"]
    assert row[-4:] == [str(n) for n in (flow.drops, flow.retransmissions, flow.timeouts, flow.marks)]
    assert "columns left out" not in wide
    # Every whole row is on one line.
    assert f"{flow.goodput_bps.mean / 1e3:.2f} ± {flow.goodput_bps.std / 1e3:.2f}" in " ".join(row)


def test_many_flows_take_few_lines(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "many.json").write_text(json.dumps(many(100)))
    done = cli("run", "many.json")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) < 24
    assert re.search(r"^ftp1\.\.ftp100 +100 ", done.stdout, re.M)
    top = cli("run", "many.json", "--top", 3).stdout
    results = headgate.Scenario(many(100)).run()
    best = sorted(results.flow_summaries(), key=lambda f: -f.goodput_bps.mean)[:3]
    assert re.findall(r"^(ftp\d+) ", top, re.M) == [f.flow for f in best]
    assert cli("run", "many.json", "--top", 0).returncode == 2


def test_a_group_is_its_flows_together() -> None:
    scenario = many(4)
    scenario["flows"].append({**scenario["flows"][0], "name": "other", "count": 1})
    results = headgate.Scenario(scenario).run(replications=3)
    flows = results.flow_summaries()
    ftp, other = groups(results)
    assert (ftp.name, ftp.flows, other.name, other.flows) == ("ftp1..ftp4", 4, "other-1", 1)
    assert ftp.goodput_bps.mean == pytest.approx(sum(f.goodput_bps.mean for f in flows[:4]))
    assert ftp.max_min_bps == pytest.approx(sum(f.max_min_bps for f in flows[:4]))
    assert ftp.counts["drops"] == sum(f.drops for f in flows[:4])
    assert ftp.least_bps == min(f.goodput_bps.mean for f in flows[:4])
    assert ftp.most_bps == max(f.goodput_bps.mean for f in flows[:4])
    assert ftp.rtt_s.mean == pytest.approx(sum(f.rtt_s.mean for f in flows[:4]) / 4)
    assert other.goodput_bps.mean == pytest.approx(flows[4].goodput_bps.mean)
    assert ftp.goodput_bps.n == 3


def test_many_templates_become_one_group_per_control() -> None:
    scenario: dict[str, Any] = dumbbell()
    one = scenario["flows"][0]
    scenario["flows"] = [{**one, "name": f"{a}{b}"} for a in "abcde" for b in "vwxyz"]
    (found,) = groups(headgate.Scenario(scenario).run())
    assert (found.name, found.flows) == (f"{one['control']['kind']} ftp", 25)


def test_long_names_are_whole(cli: Cli, tmp_path: Path) -> None:
    name = "a-flow-with-a-name-" + "0123456789" * 6
    (tmp_path / "long.json").write_text(json.dumps(many(1, name)))
    done = cli("run", "long.json")
    words = re.findall(r"^(\S+)", done.stdout, re.M)
    assert f"{name}-1" in "".join(words)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_replay_lists_the_largest_flows_and_adds_up_the_others(cli: Cli, tmp_path: Path) -> None:
    rows = "".join(f"{i / 1000:.3f},f{i % 15},{100 + i % 15}\n" for i in range(300))
    (tmp_path / "trace.csv").write_text("time_s,flow,size_bytes\n" + rows)
    done = cli("replay", "trace.csv", "--queue", "fcfs", "--rate", "10Mbit/s")
    assert done.returncode == 0, done.stderr
    flows = re.findall(r"^(f\d+|\d+ others) .* (\d+)$", done.stdout, re.M)
    assert flows == [*((f"f{i}", "20") for i in range(5, 15)), ("5 others", "100")]
    top = cli("replay", "trace.csv", "--queue", "fcfs", "--rate", "10Mbit/s", "--top", 15).stdout
    assert "others" not in top
