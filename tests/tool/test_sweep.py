"""Studies: axes, stored tables, and that the results do not depend on which worker did the work."""

from __future__ import annotations

import errno
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.base.errors import HeadgateError
from headgate.stats import mean_of
from headgate.sweep import store as stores
from headgate.sweep.plan import Until

from ..conftest import Cli
from ..studies import Here, plain, results_of, run_here, study, sweep_of, write

TWO = {"axes": {"links.slow.queue": ["fcfs", "fq"], "links.slow.queue.buffer": ["5pkt", "9pkt"]}, "replications": 3}


def test_rows_are_those_of_single_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of({**TWO, "seed": 5})
    got = run_here(sweep, monkeypatch)
    flows, links = got.flows.to_pylist(), got.links.to_pylist()
    assert len(flows) == 4 * 3 * 2
    assert len(links) == 4 * 3 * 4
    for v in range(4):
        single = sweep.variant(v).run(seed=5, replications=3)
        summaries = single.flow_summaries()
        for i, row in enumerate(single.flows.rows()):
            mine = flows[v * 6 + i]
            assert (mine["variant"], mine["replication"], mine["seed"]) == (v, row["run"], 5)
            assert mine["digest"] == single.runs[row["run"]].digest
            assert (mine["queue"], mine["buffer"]) == tuple(sweep.variants()[v][k] for k in ("queue", "buffer"))
            for name in ("flow", "unique", "drops", "rtt_p99_s", "rtt_mean_s"):
                assert mine[name] == row[name]
            assert mine["flow_control"] == row["control"]
        for i, summary in enumerate(summaries):
            mean = mean_of([flows[v * 6 + 2 * k + i]["goodput_bps"] for k in range(3)])
            assert mean.mean == pytest.approx(summary.goodput_bps.mean)
            assert mean.std == pytest.approx(summary.goodput_bps.std)
        for i, row in enumerate(single.links.rows()):
            assert links[v * 12 + i]["link_queue"] == row["queue"]
            assert links[v * 12 + i]["utilisation"] == row["utilisation"]
    runs = got.runs.to_pylist()
    assert [(r["variant"], r["replication"]) for r in runs] == [(v, k) for v in range(4) for k in range(3)]
    assert [r["key"] for r in runs[::3]] == [c.key for c in sweep.check()]
    assert got.complete
    assert len(got.failures) == 0


def test_any_engine_any_number_of_workers_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of({**TWO, "replications": 9})
    studies = [sweep.run(workers=1), sweep.run(tmp_path / "two", workers=2)]
    for runs, slots in ((1, 1), (4, 9)):
        studies.append(run_here(sweep, monkeypatch, Here(runs, slots)))
    first = studies[0]
    for other in studies[1:]:
        for table in ("runs", "flows", "links", "failures"):
            assert plain(getattr(other, table)) == plain(getattr(first, table))
    assert plain(headgate.open_study(tmp_path / "two").flows) == plain(first.flows)
    assert not list((tmp_path / "two").glob("work-*"))


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_of_two_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    sweep = sweep_of({**TWO, "replications": 9})
    expected = run_here(sweep, monkeypatch)
    monkeypatch.undo()
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        got = sweep.run(engine="dask", address=cluster.scheduler_address)
    for table in ("runs", "flows", "links"):
        assert plain(getattr(got, table)) == plain(getattr(expected, table))


def test_a_variant_that_is_wrong_is_recorded_and_the_others_continue(tmp_path: Path, cli: Cli) -> None:
    # A buffer below one packet is wrong only beside the longer packets.
    axes = {"links.slow.queue": [{"kind": "fcfs", "buffer": "600B"}, "fq"], "flows.*.packet": ["500B", "1000B"]}
    write(tmp_path / "a.json", {"axes": axes, "replications": 2})
    done = cli("sweep", "a.json", "--out", "out", "--workers", 1)
    assert done.returncode == 1, done.stderr
    assert "1 run failed" in done.stdout
    got = headgate.open_study(tmp_path / "out")
    assert len(got.runs) == 3 * 2
    (failure,) = got.failures.to_pylist()
    assert (failure["variant"], failure["packet"]) == (1, "1000B")
    assert "600B" in failure["error"]
    assert json.loads(failure["scenario"])["flows"][0]["packet"] == "1000B"
    # Tried again, it fails again and is there once.
    done = cli("sweep", "a.json", "--out", "out", "--workers", 1, "--resume", "--json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["failures"]) == 1
    assert len(headgate.open_study(tmp_path / "out").failures) == 1


def test_a_run_that_fails_is_recorded_and_tried_again_on_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headgate.sweep import work

    class Core:
        Batch = None

    sweep = sweep_of(TWO)

    class Unlucky:
        def __init__(self, max_memory: int) -> None:
            self.real = headgate._core.Batch(max_memory)  # type: ignore[attr-defined]
            self.take, self.routes, self.stretches = self.real.take, self.real.routes, self.real.stretches

        def run(self, text: str, seed: int, run: int) -> Any:
            if run == 1:
                raise RuntimeError("no luck")
            return self.real.run(text, seed, run)

    with monkeypatch.context() as patch:
        patch.setattr(Core, "Batch", Unlucky)
        patch.setattr(work, "_core", Core)
        first = run_here(sweep, monkeypatch, out=tmp_path / "out")
    assert first.failures.select(["variant", "replication", "error"]).to_pylist() == [
        {"variant": v, "replication": 1, "error": "RuntimeError: no luck"} for v in range(4)
    ]
    engine = Here()
    second = run_here(sweep, monkeypatch, engine, out=tmp_path / "out", resume=True)
    assert sorted(engine.ran) == [(v, 1) for v in range(4)]
    assert len(second.failures) == 0
    assert plain(second.flows) == plain(run_here(sweep, monkeypatch).flows)
    # Nothing is left to do.
    engine = Here()
    run_here(sweep, monkeypatch, engine, out=tmp_path / "out", resume=True)
    assert engine.ran == []


@pytest.mark.parametrize("end", [0, 2])
def test_a_run_given_up_at_its_very_end_leaves_nothing(end: int) -> None:
    """The signal may come when the engine has returned and the run is not noted yet."""
    from headgate.sweep.driver import tables
    from headgate.sweep.work import Chunk, StopError, Switch, run_chunk
    from headgate.sweep.worker_values import tables_of

    class Late(Switch):
        runs = 0

        def __exit__(self, *_: object) -> None:
            self.runs += 1
            if self.runs == end + 1:
                raise StopError

    sweep = sweep_of(TWO)
    texts = {v: json.dumps(sweep.variant(v).data) for v in range(2)}
    runs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    done = run_chunk(Chunk(0, runs, texts, 1, 60.0), Late())
    assert (done.runs, done.left) == (runs[:end], runs[end:])
    stored = tables(done, tables_of(done), None, texts, ["a", "b"], 1)
    assert [len(stored[name]) for name in ("runs", "flows", "links")] == [end, 2 * end, 4 * end]


class CrashError(BaseException):
    """The process ends here."""


#: Changes of names on the disk while a study of one chunk is run: before each of them, and after all, a crash is tried.
STEPS = 29


@pytest.fixture(scope="module")
def expected() -> headgate.Study:
    with pytest.MonkeyPatch.context() as patch:
        return run_here(sweep_of({**TWO, "replications": 2}), patch)


@pytest.mark.slow
@pytest.mark.parametrize("step", range(STEPS + 1))
def test_a_crash_before_any_step_loses_and_repeats_nothing(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: headgate.Study
) -> None:
    sweep = sweep_of({**TWO, "replications": 2})
    out = tmp_path / "out"
    left = [step]

    def crashing(function: Any) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                raise CrashError
            left[0] -= 1
            return function(*args, **kwargs)

        return wrapper

    with monkeypatch.context() as patch:
        # Every change of a name on the disk.
        for owner, name in ((Path, "replace"), (Path, "unlink"), (stores.shutil, "rmtree"), (Path, "mkdir")):
            patch.setattr(owner, name, crashing(getattr(owner, name)))
        crashed = False
        try:
            run_here(sweep, monkeypatch, out=out)
        except CrashError:
            crashed = True
    recorded = headgate.open_study(out).runs.to_pylist() if (out / "manifest.json").exists() else []
    engine = Here()
    study = run_here(sweep, monkeypatch, engine, out=out, resume=True)
    for table in ("runs", "flows", "links"):
        assert plain(getattr(study, table)) == plain(getattr(expected, table))
    done = {(r["variant"], r["replication"]) for r in recorded}
    assert sorted([*engine.ran, *done]) == [(v, k) for v in range(4) for k in range(2)]
    assert results_of(out) == results_of(expected.folder)
    files = [f for f in out.rglob("*") if f.is_file() and f.name != ".lock"]
    assert sorted(f.name for f in files if f.parent == out) == ["manifest-copy.json", "manifest.json"]
    assert sorted(f.parent.name for f in files if f.parent != out) == ["flows", "links", "runs", "times"]
    assert crashed == (step < STEPS)


def test_a_full_disk_is_said_and_can_be_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep, out = sweep_of(TWO), tmp_path / "out"
    real, written = os.fsync, [0]

    def full(handle: int) -> None:
        written[0] += 1
        if written[0] > 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(HeadgateError, match=r"No space left on device.*--resume"):
            run_here(sweep, monkeypatch, Here(2, 1), out=out)
    before = headgate.open_study(out)
    assert not before.complete
    assert 0 < len(before.runs) < 12
    assert len(before.flows) == 2 * len(before.runs)
    engine = Here()
    after = run_here(sweep, monkeypatch, engine, out=out, resume=True)
    assert len(engine.ran) == 12 - len(before.runs)
    assert plain(after.flows) == plain(run_here(sweep, monkeypatch).flows)


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of(TWO)
    out = tmp_path / "out"
    run_here(sweep, monkeypatch, out=out)
    for other, words in (
        (sweep.set("sweep.replications", 4), "sweep.replications is 3 there and 4 here"),
        (sweep.set("links.fast.rate", "1Mbit/s"), 'scenario.links[0].rate is "800kbit/s" there and "1Mbit/s" here'),
    ):
        with pytest.raises(HeadgateError, match="another study") as e:
            run_here(other, monkeypatch, out=out, resume=True)
        assert words in str(e.value)
    with pytest.raises(HeadgateError, match="--resume"):
        run_here(sweep, monkeypatch, out=out)
    (tmp_path / "file").write_text("x")
    with pytest.raises(HeadgateError, match="found a file"):
        run_here(sweep, monkeypatch, out=tmp_path / "file")
    with pytest.raises(HeadgateError, match="empty or absent"):
        run_here(sweep, monkeypatch, out=tmp_path)
    with pytest.raises(HeadgateError, match=r"manifest\.json"):
        headgate.open_study(tmp_path)
    (out / "manifest.json").write_text("{")
    with pytest.raises(HeadgateError, match=r"manifest\.json"):
        headgate.open_study(out)
    for wrong in ({"engine": "dusk"}, {"workers": 0}, {"address": "tcp://a:1"}):
        with pytest.raises(HeadgateError, match="expected"):
            sweep.run(**wrong)  # type: ignore[arg-type]


def test_only_one_driver_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stores.Store(tmp_path / "out")
    store.lock()
    with pytest.raises(HeadgateError, match="another process"):
        run_here(sweep_of(TWO), monkeypatch, out=tmp_path / "out")
    store.close()
    run_here(sweep_of(TWO), monkeypatch, out=tmp_path / "out")


def plain_loop(values: list[float], share: float, least: int, most: int) -> int:
    """The definition of the stopping rule."""
    for n in range(least, most + 1):
        mean = mean_of(values[:n])
        # Runs that measured nothing do not count.
        if mean.n >= least and mean.half <= share * abs(mean.mean):
            return n
    return most


@given(st.integers(0, 2**32), st.sampled_from([0.02, 0.1, 0.5]), st.integers(2, 9), st.integers(1, 7))
def test_the_stopping_rule_is_that_of_a_plain_loop_in_any_order(
    seed: int, share: float, least: int, slots: int
) -> None:
    rng = np.random.default_rng(seed)
    most = least + 15
    values = {v: rng.normal(1.0, 0.3, most).tolist() for v in range(3)}
    values[2][least - 1] = math.nan
    plan = Until(range(3), 3, {"share": share, "least": least, "most": most})
    pending: list[tuple[int, int]] = []
    begun: set[tuple[int, int]] = set()
    while True:
        new = plan.next(slots)
        assert not begun & set(new)
        begun |= set(new)
        pending += new
        if not pending:
            break
        run = pending.pop(rng.integers(len(pending)))
        plan.record(run, values[run[0]][run[1]])
    expected = [plain_loop(values[v], share, least, most) for v in range(3)]
    assert plan.keep().tolist() == expected
    assert all({(v, k) for k in range(n)} <= begun for v, n in enumerate(expected))


def test_a_study_with_a_stopping_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = {"metric": "goodput_bps", "flow": "ftp1", "share": 0.02, "least": 3, "most": 12}
    sweep = sweep_of({"axes": {"links.slow.queue": ["fcfs", "fq"]}, "stop": stop})
    got = run_here(sweep, monkeypatch, Here(2, 5), out=tmp_path / "out")
    counts = []
    for v in range(2):
        summary = sweep.variant(v).run(replications=12)
        values = [r["unique"] * 8000 / (r["end_s"] - r["start_s"]) for r in summary.flows.rows() if r["flow"] == "ftp1"]
        counts.append(plain_loop(values, 0.02, 3, 12))
        mine = [r["value"] for r in got.runs.to_pylist() if r["variant"] == v]
        assert mine == pytest.approx(values[: counts[v]])
    assert [len(got.runs.filter(got.runs["variant"].to_numpy() == v)) for v in range(2)] == counts
    assert len(got.flows) == 2 * sum(counts)
    assert plain(got.flows) == plain(run_here(sweep, monkeypatch, Here(1, 1)).flows)
    engine = Here()
    run_here(sweep, monkeypatch, engine, out=tmp_path / "out", resume=True)
    assert engine.ran == []


@pytest.mark.parametrize("over", ["mean", "total", "least", "most"])
def test_metrics_of_several_flows(over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = sweep_of({"stop": {"metric": "unique", "flow": "ftp*", "share": 0.5, "least": 2, "over": over}})
    got = run_here(sweep, monkeypatch)
    flows = got.flows.to_pylist()
    function = {"mean": np.mean, "total": np.sum, "least": np.min, "most": np.max}[over]
    for k, run in enumerate(got.runs.to_pylist()):
        assert run["value"] == function([flows[2 * k]["unique"], flows[2 * k + 1]["unique"]])


def test_dry_run_check_run_and_summary(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "a.json", TWO)
    done = cli("sweep", "a.json", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "4 variants, 12 runs" in done.stdout
    listed = json.loads(cli("sweep", "a.json", "--dry-run", "--json").stdout)
    assert [v["axes"]["queue"] for v in listed["variants"]] == ["fcfs", "fcfs", "fq", "fq"]
    assert not (tmp_path / "out").exists()
    done = cli("run", "a.json")
    assert done.returncode == 2
    assert "headgate sweep" in done.stderr
    assert "--base" in done.stderr
    base = cli("run", "a.json", "--base", "--json")
    assert base.returncode == 0, base.stderr
    assert json.loads(cli("check", "a.json").stdout)["sweep"] == TWO
    done = cli("sweep", "a.json", "--workers", 2, "--json", "--set", "sweep.replications=2")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got["runs"] == 8
    first = got["variants"][0]
    assert first["axes"] == {"queue": "fcfs", "buffer": "5pkt", "buffer_pkt": 5.0}
    study = headgate.open_study(tmp_path / "out" / "a")
    rows = [r for r in study.flows.to_pylist() if r["variant"] == 0]
    totals = [sum(r["goodput_bps"] for r in rows if r["replication"] == k) for k in range(2)]
    assert first["goodput_bps"]["mean"] == pytest.approx(np.mean(totals))
    squares = [sum(r["goodput_bps"] ** 2 for r in rows if r["replication"] == k) for k in range(2)]
    assert first["jain"]["mean"] == pytest.approx(
        np.mean([t * t / (2 * s) for t, s in zip(totals, squares, strict=True)])
    )
    done = cli("sweep", "a.json", "--resume", "--set", "sweep.replications=2")
    assert done.returncode == 0, done.stderr
    assert "9pkt" in done.stdout
    # A terminal of 80 columns has no room for all; --wide has.
    assert "columns left out" in done.stdout
    wide = cli("sweep", "a.json", "--resume", "--set", "sweep.replications=2", "--wide").stdout
    assert "columns left out" not in wide and "p99" in wide
    # A value that no variant can have is the fault of the option that gave it.
    for option in ("links.slow.delay=soon", "sweep.replications=soon"):
        assert f"--set {option}: " in cli("sweep", "a.json", "--dry-run", "--set", option).stderr


def test_a_scenario_without_the_table_is_no_study(cli: Cli, tmp_path: Path) -> None:
    scenario = study({})
    del scenario["sweep"]
    (tmp_path / "a.json").write_text(json.dumps(scenario))
    done = cli("sweep", "a.json")
    assert done.returncode == 2
    assert "a.json: sweep: expected a table" in done.stderr
