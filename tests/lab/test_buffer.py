"""`headgate buffer`: the smallest buffer with which a link stays busy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate import HeadgateError
from headgate.lab import buffers
from headgate.lab.buffers import smallest, verdict
from headgate.lab.frame import jobs
from headgate.lab.frame.subjects import named

from ..conftest import Cli

#: A link of 17 packets, whose runs take some hundredths of a second.
SMALL = ("buffer", "10Mbit/s", "20ms", "--seeds", 1, "--workers", 1)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started: it takes longer than the runs."""
    begin = jobs.Runner.__init__

    def alone(self: jobs.Runner, *args: Any) -> None:
        begin(self, *args)
        self._workers = 0

    monkeypatch.setattr(jobs.Runner, "__init__", alone)


def reno(buffer: float) -> float:
    """Utilisation of one Reno flow whose buffer is this share of a product, at most one.

    The window grows by a packet in a round trip, from (1 + b)/2 products to 1 + b. Below one product a round trip lasts R and the link
    carries the window; above it the link is full, and a round trip lasts as long as the window takes.
    """
    below, above = (1 - buffer) / 2, buffer * (1 + buffer / 2)
    return (below * (3 + buffer) / 4 + above) / (below + above)


def test_one_reno_flow_needs_one_product_and_has_three_quarters_with_hardly_a_buffer() -> None:
    assert (reno(0.0), reno(1.0)) == (0.75, 1.0)
    control, queue = named("reno", "control"), named("fcfs", "aqm")
    found = buffers.buffer(20e6, 0.03, control, queue, seeds=1, workers=0)
    assert found["bdp_packets"] == 50.0
    by_size = {p["packets"]: p["utilisation"][0] for p in found["buffers"]}
    # Slow start and acknowledgements of two packets make bursts, which a buffer of some packets takes.
    assert by_size[6] == pytest.approx(reno(6 / 50), abs=0.05)
    assert by_size[25] == pytest.approx(reno(25 / 50), abs=0.03)
    assert by_size[50] > 0.99 and by_size[200] == pytest.approx(1.0, abs=1e-3)
    # 0.98 of the link take 0.6 of a product by the closed form, and no more than one.
    assert reno(0.6) < 0.98 < reno(0.62)
    assert 0.6 * 50 <= found["smallest"]["packets"] <= 50
    assert [rule["verdict"] for rule in found["rules"]] == ["enough", "enough"]


def test_many_flows_need_less_than_one_product() -> None:
    control, queue = named("reno", "control"), named("fcfs", "aqm")
    found = buffers.buffer(20e6, 0.03, control, queue, 9, busy=0.95, seeds=1, workers=0)
    assert found["smallest"]["packets"] <= 25
    assert found["rules"][0]["verdict"] == "more than needed"
    assert [rule["buffer"]["packets"] for rule in found["rules"]] == [50, 17]


def point(packets: int, mean: float, half: float | None = None) -> dict[str, Any]:
    return {"packets": packets, "utilisation": [mean, half]}


def test_verdicts_by_the_interval_and_the_smallest_buffer() -> None:
    points = [point(4, 0.99), point(8, 0.97), point(16, 0.98), point(32, 1.0)]
    best = smallest(points, 0.98)
    # That of 4 packets is chance: 8 are too few.
    assert best == points[2] and smallest(points, 1.5) is None
    assert [verdict(point(n, 0.99), best, 0.98) for n in (8, 16, 31, 32)] == [
        "too little",
        "enough",
        "enough",
        "more than needed",
    ]
    assert verdict(point(16, 0.99, 0.02), best, 0.98) == "not decided"
    assert verdict(point(32, 0.97, 0.005), None, 0.98) == "too little"


def test_a_fault_in_the_judge_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of one way, in place of the round trip: the answer is not what the closed form says."""
    place = buffers.time_text
    monkeypatch.setattr(buffers, "time_text", lambda seconds: place(2 * seconds))
    with pytest.raises(AssertionError):
        test_one_reno_flow_needs_one_product_and_has_three_quarters_with_hardly_a_buffer()


def test_a_resumed_run_and_joined_parts_answer_as_one_machine(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffers, "TRIPS", 100)
    made: list[str] = []
    take = jobs.Runner._take
    monkeypatch.setattr(
        jobs.Runner, "_take", lambda self, job, *more: (made.append(job.key), take(self, job, *more))[1]
    )
    whole = cli(*SMALL, "--json")
    assert whole.returncode == 0 and json.loads(whole.stdout)["schema"] == "headgate.buffer/1", whole.stderr
    runs = len(made)
    assert runs == json.loads(whole.stdout)["runs"] == len(set(made))
    assert cli(*SMALL, "--json", "--out", "kept").stdout == whole.stdout
    kept = tmp_path / "kept/runs.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[-1][:20])
    made.clear()
    assert cli(*SMALL, "--json", "--out", "kept", "--resume").stdout == whole.stdout and len(made) == runs - 3
    for n in (1, 2):
        assert cli(*SMALL, "--part", f"{n}/2", "--out", f"parts/{n}").returncode == 0
    assert cli("gather", "parts/2", "parts/1", "--out", "joined").returncode == 0
    made.clear()
    assert cli(*SMALL, "--json", "--out", "joined", "--resume").stdout == whole.stdout
    # What follows from results: the buffers between two of the grid.
    assert 0 < len(made) <= buffers.BETWEEN
    other = cli(*SMALL, "--control", "cubic", "--out", "joined")
    assert other.returncode == 2 and "found the report of" in other.stderr


def test_no_buffer_is_a_failure_and_the_page_has_a_figure(cli: Cli, tmp_path: Path) -> None:
    done = cli(*SMALL, "--queue", "codel", "--busy", "0.999", "--html", "a.html")
    assert done.returncode == 1 and "no buffer of up to 67 packets" in done.stdout, done.stderr
    assert "<svg" in (tmp_path / "a.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("fast", "20ms"), "RATE: found 'fast'; expected a rate"),
        (("10Mbit/s", "0ms"), "RTT: found '0ms'; expected a time"),
        (("10kbit/s", "1ms"), "RATE, RTT: found a path of 0.00083 packets of 1500 bytes; expected at least 1"),
        (("10Mbit/s", "20ms", "--busy", "1.5"), "--busy: found 1.5; expected 0.01 to 0.9999"),
        (("10Mbit/s", "20ms", "--queue", "codel:buffer=9pkt"), "expected a discipline that takes a buffer"),
        (("10Mbit/s", "20ms", "--queue", "nobody"), "--queue: found 'nobody'"),
        (("10Mbit/s", "20ms", "--control", "nobody"), "--control: found 'nobody'"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], why: str, cli: Cli) -> None:
    done = cli("buffer", *words)
    assert done.returncode == 2 and why in done.stderr and not done.stdout, done.stderr


def test_a_control_that_fails_is_an_error_with_the_buffer() -> None:
    class Failing(jobs.Runner):
        def make(self, _: Any) -> None: ...

        def get(self, _: Any) -> dict[str, Any]:
            return {"fault": "it failed"}

    with pytest.MonkeyPatch.context() as patch, pytest.raises(HeadgateError, match=r"\d+ packets: it failed"):
        patch.setattr(jobs, "Runner", Failing)
        buffers.buffer(1e7, 0.02, named("reno", "control"), named("fcfs", "aqm"))
