"""The figure of what a run recorded against time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import headgate
from headgate.base.errors import HeadgateError
from headgate.cli.group import cli as commands
from headgate.plots import traces

from ..conftest import ROOT, Cli

STEP = ROOT / "scenarios/rate-step.toml"


def test_every_form_is_written_and_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    results = headgate.Scenario.from_file(STEP).set("traces", ["window", "in_flight", "backlog", "drops"]).run()
    for form, start in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        first, second = (headgate.timeline(results, tmp_path / f"{name}{form}").file.read_bytes() for name in "ab")
        assert first.startswith(start)
        assert first == second
    text = (tmp_path / "a.svg").read_text("utf-8")
    for said in ("window", "(packets)", "ftp1", "ftp2", "slow", "out", "dashed: network events"):
        assert said in text, said
    # Nothing ever waits there.
    assert "access1:reverse" not in text


def test_what_records_nothing_cannot_be_drawn(tmp_path: Path) -> None:
    results = headgate.Scenario.from_file(STEP).set("traces", []).run()
    with pytest.raises(HeadgateError, match="expected traces in the scenario"):
        headgate.timeline(results, tmp_path / "a.svg")
    with pytest.raises(HeadgateError, match=r"expected a name that ends in \.png"):
        headgate.timeline(results, tmp_path / "a.txt")
    with pytest.raises(HeadgateError, match="expected a trace that was recorded: rtt"):
        headgate.timeline(headgate.Scenario.from_file(STEP).run(), tmp_path / "a.svg", ["rate"])
    assert list(tmp_path.iterdir()) == []


def test_the_command_records_windows_and_queues_by_default(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    short = ["--set", "duration=20s", "--set", "interval=5s", "--set", "events=[]"]
    done = CliRunner().invoke(commands, ["run", str(STEP), "--set", "traces=[]", "--figure", str(out), *short])
    assert done.exit_code == 0, done.output
    text = out.read_text("utf-8")
    assert "window" in text
    assert "waiting at ports" in text


def held(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """What a step function holds just before the given times."""
    return y[np.searchsorted(x, at) - 1]


def clustered(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A queue that fills in bursts, at times several changes at once, and is empty between them, as a trace records it."""
    bursts = np.sort(rng.uniform(0, 1000, 40))
    x = np.sort(np.concatenate([start + np.round(rng.exponential(0.2, 500), 3) for start in bursts]))
    y = rng.integers(0, 20, x.size).astype(float)
    # The last change before an idle time empties the queue.
    y[np.append(np.diff(x) > 1, True)] = 0
    return x, y


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["even", "clustered"])
def test_a_long_line_is_true_at_every_slices_end_and_keeps_its_extremes(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    x, y = (np.sort(rng.uniform(0, 100, 20_000)), rng.normal(size=20_000)) if kind == "even" else clustered(rng)
    u, v = traces._thinned(x, y)
    edges = traces._edges(x)
    assert u.size <= 4 * traces.SLICES < x.size
    assert (u[0], u[-1], v[-1]) == (x[0], x[-1], y[-1])
    assert (np.diff(u) >= 0).all()
    assert np.array_equal(held(u, v, edges[1:-1]), held(x, y, edges[1:-1]))
    points, drawn = np.searchsorted(x, edges), np.searchsorted(u, edges)
    points[-1], drawn[-1] = x.size, u.size
    for i in range(traces.SLICES):
        mine, shown = y[points[i] : points[i + 1]], v[drawn[i] : drawn[i + 1]]
        assert mine.size == 0 or (mine.min(), mine.max()) == (shown.min(), shown.max()), f"slice {i}"
        assert (shown.size == 0) == (mine.size == 0), f"slice {i}"
    # In a slice without points the line holds what it truly holds.
    idle = np.flatnonzero(np.diff(points) == 0)
    middle = (edges[idle] + edges[idle + 1]) / 2
    assert np.array_equal(held(u, v, middle), held(x, y, middle))
    assert kind == "even" or idle.size > 500


def test_a_queue_is_not_drawn_across_idle_time() -> None:
    """Ten bursts that fill a queue of eight for a millisecond and leave it empty for a second."""
    one = np.linspace(0, 1e-3, 2000)
    x = np.concatenate([start + one for start in range(10)])
    y = np.tile(np.append(np.arange(1999) % 9, 0.0), 10)
    u, v = traces._thinned(x, y)
    assert u.size < x.size
    wait = np.diff(u, append=10.0)
    assert wait[v > 0].max() < 9 / traces.SLICES
    assert held(u, v, np.arange(10) + 0.5).tolist() == [0.0] * 10


def test_a_short_line_is_drawn_as_it_is() -> None:
    x = np.arange(4.0 * traces.SLICES)
    u, v = traces._thinned(x, x % 7)
    assert u is x
    assert np.array_equal(v, x % 7)


@pytest.mark.parametrize("place", ["nowhere/a", "README.md/a", "tests", "x" * 300])
@pytest.mark.parametrize("command", ["run", "replay", "replay rows", "plot"])
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    command: str, place: str, tmp_path: Path, cli: Cli
) -> None:
    for name in ("README.md", "tests.svg", "tests.csv"):
        (tmp_path / name).write_text("") if name == "README.md" else (tmp_path / name).mkdir()
    file = str(tmp_path / place) + (".csv" if command == "replay rows" else ".svg")
    # The scenario would run for hours, and there is no study: the place is checked first.
    args = {
        "run": ["run", str(STEP), "--set", "duration=100h", "--set", "events=[]", "--figure", file],
        "replay": ["replay", str(tmp_path / "none.csv"), "--queue", "fq", "--rate", "1Mbit/s", "--figure", file],
        "replay rows": [
            "replay",
            str(ROOT / "scenarios/office.csv"),
            "--queue",
            "fq",
            "--rate",
            "1Mbit/s",
            "--out",
            file,
        ],
        "plot": ["plot", str(tmp_path / "none"), "--out", file],
    }[command]
    before = sorted(tmp_path.rglob("*"))
    done = cli(*args)
    assert done.returncode == 2, done.stderr
    said = " ".join(done.stderr.split())
    assert place[:40] in said
    assert ("cannot be written" in said) if place != "tests" else ("expected a file, found a folder" in said)
    assert "Traceback" not in said
    assert sorted(tmp_path.rglob("*")) == before


RUN = ["run", STEP, "--set", "duration=20s", "--set", "interval=5s", "--set", "events=[]"]
REPLAY = ["replay", ROOT / "scenarios/office.csv", "--queue", "fq", "--rate", "2Mbit/s"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "args"), [("nonsense", RUN), ("nonsense", REPLAY), ("module://nonsense", RUN), ("", REPLAY)]
)
def test_figures_need_no_backend(
    backend: str, args: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, process: Cli
) -> None:
    monkeypatch.setenv("MPLBACKEND", backend)
    done = process(*args, "--figure", "a.png")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
