"""Comparisons and views of studies whose numbers are known, because they were put there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pytest

import headgate
import headgate.stats
from headgate.base.errors import HeadgateError
from headgate.comparison import cube, find
from headgate.sweep.store import Store
from headgate.sweep.study import axis_columns
from headgate.sweep.summary import summary

from ..conftest import Cli
from ..studies import QUEUES, RATES, run_here, sweep_of, written

Array = npt.NDArray[np.float64]


def both(values: Array) -> Array:
    """The same for both flows."""
    return np.repeat(np.asarray(values, dtype=np.float64)[..., None], 2, axis=-1)


def better(rng: np.random.Generator, variants: int = 3, replications: int = 8) -> Array:
    """fcfs; fq, 10 ms below it in every pair, give or take 1 ms; rr, which is fcfs but for 1 ms. The traffic moves all by 100 ms."""
    common = 1.0 + 0.1 * rng.standard_normal((1, replications))
    return common + np.array([[0.0], [-0.01], [0.0]])[:variants] + 0.001 * rng.standard_normal((variants, replications))


def test_a_difference_is_found_in_pairs(tmp_path: Path) -> None:
    values = better(np.random.default_rng(1))
    found = headgate.compare(written(tmp_path / "s", QUEUES, both(values)), "queue", "p99_delay")
    pairs = {(d.a, d.b): d for d in found.differences}
    assert list(pairs) == [("fcfs", "fq"), ("fcfs", "rr"), ("fq", "rr")]
    d = pairs["fcfs", "fq"]
    assert d.found.difference == pytest.approx((values[1] - values[0]).mean(), rel=1e-12)
    assert d.found.low < -0.01 < d.found.high
    assert d.significant and d.verdict == "below" and d.found.n == 8 and d.unpaired == 0
    assert not pairs["fcfs", "rr"].significant and pairs["fq", "rr"].verdict == "above"
    # Their means overlap by far: without pairs nothing would be seen.
    first, second = found.entries[:2]
    assert first.mean.half + second.mean.half > 5 * abs(d.found.difference)
    fcfs, fq = values[0].mean(), values[1].mean()
    rr = values[2].mean()
    assert found.sentences() == [
        "2 of 3 differences are significant (level 0.05, corrected after Holm).",
        f"fq is below fcfs by {100 * (fcfs - fq) / fcfs:.2g} %.",
        "rr: no difference from fcfs is shown.",
        f"rr is above fq by {100 * (rr - fq) / fq:.2g} %.",
    ]


def test_against_one_and_other_corrections(tmp_path: Path) -> None:
    study = written(tmp_path / "s", QUEUES, both(better(np.random.default_rng(2))))
    p = {}
    for correction in ("holm", "bh", "none"):
        found = headgate.compare(study, "queue", "p99_delay", against="fq", correction=correction)
        assert [(d.a, d.b) for d in found.differences] == [("fq", "fcfs"), ("fq", "rr")]
        p[correction] = [d.p for d in found.differences]
    single = p["none"]
    low, high = sorted(single)
    assert sorted(p["holm"]) == pytest.approx([2 * low, max(2 * low, high)])
    assert all(a <= b <= c for a, b, c in zip(single, p["bh"], p["holm"], strict=True))


def test_equal_variants_are_found_to_differ_as_often_as_alpha_says(tmp_path: Path) -> None:
    """1000 pairs of variants of one distribution: a finding in 50 of them, give or take 3 deviations of 6.9."""
    rng = np.random.default_rng(3)
    axes = {"links.slow.queue.kind": ["fcfs", "fq"], "links.slow.delay": "1ms ... 1000ms step 1ms"}
    common = rng.standard_normal((1, 1000, 5))
    values = 10 + common + rng.standard_normal((2, 1000, 5))
    study = written(tmp_path / "s", axes, both(values.reshape(2000, 5)))
    plain = headgate.compare(study, "queue", "p99_delay", correction="none")
    assert len(plain.differences) == 1000
    assert abs(sum(d.significant for d in plain.differences) - 50) < 3 * np.sqrt(1000 * 0.05 * 0.95)
    assert not any(d.significant for d in headgate.compare(study, "queue", "p99_delay").differences)
    # Each interval by itself holds the truth, which is 0, as often.
    assert abs(sum(d.found.low < 0 < d.found.high for d in plain.differences) - 950) < 3 * np.sqrt(1000 * 0.05 * 0.95)


def test_holm_bounds_findings_among_all_pairs(tmp_path: Path) -> None:
    """80 studies of three equal variants: with the correction any finding in 4 of them at most, give or take 3 deviations of 1.9."""
    rng = np.random.default_rng(4)
    axes = {"links.slow.delay": "1ms ... 80ms step 1ms", **QUEUES}
    values = 10 + rng.standard_normal((80, 1, 6)) + rng.standard_normal((80, 3, 6))
    study = written(tmp_path / "s", axes, both(values.reshape(240, 6)))
    any_ = {"holm": 0, "none": 0}
    for i in range(1, 81):
        one = study.select(delay=f"{i}ms")
        for correction in any_:
            any_[correction] += any(
                d.significant for d in headgate.compare(one, "queue", "p99_delay", correction=correction).differences
            )
    assert any_["holm"] <= 4 + 3 * 1.9
    assert any_["none"] > any_["holm"]


def test_pooling_counts_replications_not_runs(tmp_path: Path) -> None:
    """The difference of a replication is the same at each of three rates: that is no more evidence than one rate."""
    rng = np.random.default_rng(5)
    d = rng.standard_normal(6)
    values = np.array([[np.zeros(6), d + 0.5, d] for _ in range(3)]) + 10
    study = written(tmp_path / "s", {**RATES, **QUEUES}, both(values.reshape(9, 6)))
    pooled = headgate.compare(study, "queue", "p99_delay", pool=True)
    assert pooled.pooled == ["rate"] and len(pooled.differences) == 3
    single = headgate.compare(study.select(rate="40kbit/s"), "queue", "p99_delay")
    for one, all_ in zip(single.differences, pooled.differences, strict=True):
        assert all_.found.n == 6 and all_.found.p == pytest.approx(one.found.p)
    apart = headgate.compare(study, "queue", "p99_delay")
    assert [x.where for x in apart.differences[:4]] == [{"rate": "40kbit/s"}] * 3 + [{"rate": "60kbit/s"}]
    assert single.fixed == {"rate": "40kbit/s"}


def test_flows_one_all_or_each(tmp_path: Path) -> None:
    values = np.stack([better(np.random.default_rng(6)), np.full((3, 8), 3.0)], axis=-1)
    study = written(tmp_path / "s", QUEUES, values)
    assert cube(study, "p99_delay", flow="ftp1").values == pytest.approx(values[..., 0])
    assert cube(study, "p99_delay").values == pytest.approx(values.mean(axis=-1))
    assert cube(study, "p99_delay", over="most").values == pytest.approx(values.max(axis=-1))
    assert cube(study, "p99_delay", flow="ftp*", split=True).values == pytest.approx(np.swapaxes(values, 1, 2))
    found = headgate.compare(study, "flow", "p99_delay", pool=True)
    assert [(d.a, d.b, d.verdict) for d in found.differences] == [("ftp1", "ftp2", "above")]


def test_missing_and_failed_runs_are_left_out_and_said(tmp_path: Path) -> None:
    values = better(np.random.default_rng(7))
    values[2, 5] = np.nan
    study = written(tmp_path / "s", QUEUES, both(values), lost=((0, 1), (0, 2)), failed=((1, 3),), complete=False)
    assert study.missing == 2 and len(study.failures) == 1
    found = headgate.compare(study, "queue", "p99_delay")
    assert [(d.found.n, d.unpaired) for d in found.differences] == [(5, 3), (5, 3), (6, 2)]
    good = [0, 4, 5, 6, 7]
    assert found.differences[0].found.difference == pytest.approx((values[1] - values[0])[good].mean())
    notes = " ".join(found.notes)
    assert (
        "2 of the runs are missing" in notes
        and "1 run failed and is left out" in notes
        and "without a partner" in notes
    )
    assert study.select(queue=["fcfs", "rr"]).missing == 2


def test_a_study_at_work_is_read(tmp_path: Path) -> None:
    """Chunks that were not merged, and half of one that is being written."""
    values = better(np.random.default_rng(8))
    study = written(tmp_path / "s", QUEUES, both(values), lost=((2, 7),), merge=False)
    (tmp_path / "s/work-0/.chunk-000001.arrows.tmp").write_bytes(b"half")
    assert not study.complete and study.missing == 1
    assert cube(study, "p99_delay").values[0] == pytest.approx(values[0])
    # It is merged by someone else between two looks.
    other = headgate.open_study(tmp_path / "s")
    store = Store(tmp_path / "s").open()
    store.merge(True, np.full(3, 8), axis_columns(sweep_of({"replications": 8, "axes": QUEUES})._variants))
    assert len(other.flows) == 2 * 23 and other.complete


def test_too_few(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    one = written(tmp_path / "1", QUEUES, both(better(rng, replications=1)))
    with pytest.raises(HeadgateError, match="found 1 replication of each queue; expected at least 2"):
        headgate.compare(one, "queue", "p99_delay")
    two = written(tmp_path / "2", QUEUES, both(better(rng, replications=2)))
    assert "above 12.7 times its standard error" in " ".join(headgate.compare(two, "queue", "p99_delay").notes)
    # Four equal pairs of different runs are no certainty: there is no Student's t, and Wilcoxon's p is 2 of 16 choices of signs.
    alike = written(tmp_path / "3", QUEUES, both(np.array([[1.0] * 4, [2.0] * 4, [2.0] * 4])))
    found = headgate.compare(alike, "queue", "p99_delay")
    assert [d.p for d in found.differences] == [0.375, 0.375, 1] and not any(d.significant for d in found.differences)
    assert all(np.isnan(d.low) and not d.exact for d in found.differences)
    assert found.notes[-1].startswith("3 of the differences are the same in every pair although the runs differ")
    none = written(tmp_path / "4", QUEUES, both(better(rng, replications=4)), lost=tuple((0, k) for k in range(4)))
    assert len(headgate.compare(none, "queue", "p99_delay").differences) == 1
    with pytest.raises(HeadgateError, match="no run of this study has ended yet"):
        headgate.compare(none.select(queue="fcfs"), "queue", "p99_delay")


def test_equal_runs_have_no_intervals(tmp_path: Path) -> None:
    """All runs of a variant have one digest: copies of one run are no sample of anything."""
    study = written(tmp_path / "s", QUEUES, both(np.array([[1.0] * 4, [735.0] * 4, [1.0] * 4])), equal=True)
    assert study.equal_runs.all()
    found = headgate.compare(study, "queue", "p99_delay")
    assert all(e.mean.exact and np.isnan(e.mean.half) for e in found.entries)
    assert [d.verdict for d in found.differences] == ["above", "equal", "below"]
    assert all(d.exact and np.isnan([d.p, d.low, d.high]).all() for d in found.differences)
    assert found.sentences() == [
        "All differences are exact: the runs are equal, nothing is drawn in them that differs by seed.",
        "fq is above fcfs by a factor of 735.",
        "rr is equal to fcfs.",
        "rr is below fq by a factor of 735.",
    ]
    machine = found.to_dict()
    assert all(e["ci95"] is e["interval"] is None and e["runs_equal"] for e in machine["means"])
    assert all(
        d["interval"] is d["interval_corrected"] is d["p"] is d["p_corrected"] is None and d["exact"]
        for d in machine["differences"]
    )
    assert [d["significant"] for d in machine["differences"]] == [True, False, True]
    # Each flow of such a run is exact, and means over them.
    assert all(d.exact for d in headgate.compare(study, "flow", "p99_delay", pool=True).differences)


def test_one_of_two_variants_without_chance_is_tested(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    study = written(tmp_path / "s", QUEUES, both(np.stack([np.ones(6), *(2 + 0.1 * rng.standard_normal((2, 6)))])))
    study.__dict__["equal_runs"] = np.array([True, False, False])
    found = headgate.compare(study, "queue", "p99_delay")
    assert not any(d.exact for d in found.differences) and [e.mean.exact for e in found.entries] == [True, False, False]
    assert found.differences[0].low > 0 and found.differences[0].verdict == "above"
    # A mean over several points is exact only if all of them are.
    whole = written(
        tmp_path / "t", {**RATES, **QUEUES}, both(np.arange(9.0)[:, None] + 0.1 * rng.standard_normal((9, 6)))
    )
    whole.__dict__["equal_runs"] = np.array([True] * 8 + [False])
    assert [e.mean.exact for e in headgate.compare(whole, "queue", "p99_delay", pool=True).entries] == [
        True,
        True,
        False,
    ]


def test_equal_runs_are_known_by_their_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that is drawn, a start that is not, and a single run; the column that is compared has nothing to do with it."""
    spread = {"flows.ftp{i}.start_spread": ["2s", "0s"], "flows.*.count": [1]}
    study = run_here(sweep_of({"replications": 3, "axes": spread}), monkeypatch)
    assert study.equal_runs.tolist() == [False, True]
    found = headgate.compare(study, "start_spread", "drops")
    assert [e.mean.exact for e in found.entries] == [False, True]
    summaries = summary(study)
    assert [e["runs_equal"] for e in summaries] == [False, True]
    assert summaries[0]["goodput_bps"].ci95 is not None and summaries[1]["goodput_bps"].ci95 is None
    one = run_here(sweep_of({"replications": 1, "axes": spread}), monkeypatch)
    assert not one.equal_runs.any()


@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_an_interval_leaves_out_0_just_where_a_difference_is_shown(correction: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    axes = {"links.slow.delay": "1ms ... 40ms step 1ms", **QUEUES}
    effect = rng.uniform(0, 6, (40, 3, 1)) * (rng.random((40, 3, 1)) < 0.5)
    study = written(tmp_path / "s", axes, both((10 + effect + rng.standard_normal((40, 3, 6))).reshape(120, 6)))
    found = headgate.compare(study, "queue", "p99_delay", correction=correction)
    shown = [d.significant for d in found.differences]
    assert 2 < sum(shown) < 118
    assert [d.low > 0 or d.high < 0 for d in found.differences] == shown
    assert [d.p < 0.05 for d in found.differences] == shown
    wider = [d.high - d.low >= d.found.high - d.found.low for d in found.differences]
    assert all(wider) and (correction == "none") == all(d.low == d.found.low for d in found.differences)
    if correction == "holm":
        assert any((d.found.low > 0 or d.found.high < 0) != d.significant for d in found.differences)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> headgate.Study:
    values = np.random.default_rng(10).uniform(1, 2, (9, 4, 2))
    return written(tmp_path_factory.mktemp("small") / "s", {**RATES, **QUEUES}, values)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda s: headgate.compare(s, "queu", "p99_delay"),
            'axis queu: expected one of rate, queue. Did you mean "queue"?',
        ),
        (lambda s: headgate.compare(s, "queue", "p99_dely"), 'metric p99_dely: .* Did you mean "p99_delay"?'),
        (lambda s: headgate.compare(s, "queue", "rtt_p9_s"), "Did you mean"),
        (lambda s: headgate.compare(s, "queue", "goodput", flow="ftp3"), "flow ftp3: expected one of ftp1, ftp2"),
        (lambda s: headgate.compare(s, "queue", "utilisation"), "is one of links"),
        (lambda s: headgate.compare(s, "queue", "utilisation", link="slw"), 'Did you mean "slow"?'),
        (lambda s: headgate.compare(s, "queue", "goodput", link="slow"), "metric goodput: is one of flows"),
        (lambda s: headgate.compare(s, "queue", "goodput", flow="a", link="b"), "expected one of them"),
        (lambda s: headgate.compare(s, "queue", "goodput", over="sum"), "over sum: expected one of total"),
        (lambda s: headgate.compare(s, "queue", "goodput", against="fifo"), "queue fifo: expected one of fcfs, fq, rr"),
        (lambda s: headgate.compare(s, "queue", "goodput", correction="hol"), 'Did you mean "holm"?'),
        (lambda s: headgate.compare(s, "queue", "goodput", alpha=5), "alpha 5: expected a number from 1e-12 to 1"),
        (lambda s: headgate.compare(s, "flow", "events"), "is one of runs"),
        (lambda s: headgate.compare(s, "flow", "goodput", over="mean"), "every flow is compared by itself"),
        (lambda s: headgate.compare(s.select(queue="fq"), "queue", "goodput"), "expected at least two points"),
        (lambda s: s.select(rate="50kbit/s"), "rate 50kbit/s: expected one of 40kbit/s, 60kbit/s, 80kbit/s"),
        (lambda s: s.select(rat="50kbit/s"), 'Did you mean "rate"?'),
        (lambda s: s.select(rate=[]), "at least one value"),
        (lambda s: s.table("flow"), 'Did you mean "flows"?'),
    ],
)
def test_errors(small: headgate.Study, call: Callable[[headgate.Study], object], text: str) -> None:
    with pytest.raises(HeadgateError, match=text.replace("?", r"\?")):
        call(small)


def test_metrics_of_runs_and_links(small: headgate.Study) -> None:
    assert cube(small, "events").values.shape == (3, 3, 4)
    assert cube(small, "utilisation", link="slow").metric.over == "mean"
    assert (find("drops").over, find("rtt_max_s").over, find("rtt_min_s").over) == ("total", "most", "least")
    assert find("backlog_max", link="slow").over == "most"


def test_views(small: headgate.Study) -> None:
    frame, other = small.pandas(), small.polars("runs")
    assert len(frame) == 9 * 4 * 2 and len(other) == 9 * 4
    array = headgate.to_xarray(small, "p99_delay")
    assert array.dims == ("rate", "queue", "replication", "flow") and array.shape == (3, 3, 4, 2)
    assert array.attrs["units"] == "s" and array["rate_bps"].values.tolist() == [4e4, 6e4, 8e4]
    mine = array.sel(rate="60kbit/s", queue="rr", replication=3, flow="ftp2").item()
    row = frame[(frame.rate == "60kbit/s") & (frame.queue == "rr") & (frame.replication == 3) & (frame.flow == "ftp2")]
    assert mine == row.owd_p99_s.item()
    assert headgate.to_xarray(small, "jain").dims == ("rate", "queue", "replication")
    assert headgate.to_xarray(small, "utilisation", link="slow").sizes["link"] == 1


def test_select(small: headgate.Study) -> None:
    some = small.select(queue=["rr", "fcfs"], rate_bps=40_000)
    assert [a.columns[a.name] for a in some.axes] == [["40kbit/s"], ["fcfs", "rr"]]
    assert set(some.flows["variant"].to_pylist()) == {0, 2} and some.numbers.tolist() == [[0, 2]]
    again = some.select(queue="rr")
    assert again.numbers.tolist() == [[2]] and headgate.to_xarray(again, "p99_delay").shape == (1, 1, 4, 2)
    assert cube(again, "p99_delay").values.ravel() == pytest.approx(cube(small, "p99_delay").values[0, 2])


def test_duckdb_reads_the_files(small: headgate.Study) -> None:
    query = f"select queue, rate_bps, avg(owd_p99_s) from '{small.folder}/flows/*.parquet' group by all order by all"
    rows = duckdb.sql(query).fetchall()
    means = cube(small, "p99_delay").values.mean(axis=-1)
    assert [r[:2] for r in rows[:2]] == [("fcfs", 4e4), ("fcfs", 6e4)] and len(rows) == 9
    assert [r[2] for r in rows] == pytest.approx(means.T.ravel())


def test_command(small: headgate.Study, cli: Cli) -> None:
    done = cli(
        "compare", small.folder, "--by", "queue", "--metric", "p99_delay", "--against", "fq", "--where", "rate=40kbit/s"
    )
    assert done.returncode == 0, done.stderr
    assert (
        "99 % quantile of the one-way delay, mean over all flows (s)" in done.stdout
        and "rate = 40kbit/s" in done.stdout
    )
    done = cli("compare", small.folder, "--by", "queue", "--metric", "p99_delay", "--json")
    found = json.loads(done.stdout)
    assert set(found) == {
        "metric", "by", "against", "pooled", "fixed", "alpha", "correction", "means", "differences", "notes", "sentences",
    }  # fmt: skip
    assert len(found["means"]) == 9 and len(found["differences"]) == 9
    assert set(found["differences"][0]) == {
        "where", "a", "b", "mean_a", "mean_b", "difference", "interval", "interval_corrected", "relative", "exact", "pairs",
        "unpaired", "p", "p_corrected", "p_wilcoxon", "significant",
    }  # fmt: skip
    bad = cli("compare", small.folder, "--by", "queue", "--metric", "p99_dely")
    assert bad.returncode == 2 and 'Did you mean "p99_delay"?' in " ".join(bad.stderr.split())
