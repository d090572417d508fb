"""Rows that wait on the disk: the same files and the same numbers as with rows in memory."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import quick
from headgate.base.errors import HeadgateError
from headgate.results.results import TABLES
from headgate.results.sentences import sentences
from headgate.results.spool import Spool
from headgate.results.tables import Table, write

from ..conftest import dumbbell

FORMS = ("csv", "json", "parquet")


def scenario() -> headgate.Scenario:
    """Gauges, transfers that complete, and a last interval cut short."""
    web = {"name": "=web", "from": "s", "to": "k", "arrivals": {"kind": "poisson", "mean": "4s"}}
    flows = [
        {"name": "ftp{i}", "from": "s", "to": "k", "count": 2, "control": {"kind": "generic", "window": 5}},
        {**web, "workload": {"kind": "transfer", "packets": 3}},
    ]
    data = dumbbell(queue="csfq", flows=flows, interval="9s", traces=["completions"])
    return headgate.Scenario(data)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("replications", [1, 5])
def test_files_and_numbers_are_those_of_rows_in_memory(form: str, replications: int, tmp_path: Path) -> None:
    kept = scenario().run(seed=3, replications=replications)
    kept.save(tmp_path / "kept", form)
    found = scenario().run(seed=3, replications=replications, threads=2, out=tmp_path / "found", format=form)
    names = sorted(p.name for p in (tmp_path / "kept").iterdir())
    assert sorted(p.name for p in (tmp_path / "found").iterdir()) == names
    for name in names:
        assert (tmp_path / "found" / name).read_bytes() == (tmp_path / "kept" / name).read_bytes(), name
    for table in TABLES:
        due, got = kept._table(table), found._table(table)
        assert len(due) or table in ("traces",), f"{table} has rows"
        assert due.names == got.names
        for name in due.names:
            assert due[name].dtype == got[name].dtype
            np.testing.assert_array_equal(due[name], got[name], err_msg=f"{table} {name}")
    assert found.to_dict() == kept.to_dict()
    assert found.warm_up_advice() == kept.warm_up_advice()


def test_names_that_come_later_and_in_another_order_keep_their_meaning(tmp_path: Path) -> None:
    with Spool(tmp_path / "out") as spool:
        for run, names, codes in ((1, ["b"], [0, 0]), (0, ["a", "b", "c"], [2, 1]), (1, ["c", "a"], [0, 1])):
            spool.add(run, "t", {"name": (np.array(codes), names), "x": np.array([0.5, np.nan])})
        table = spool.table("t", [0, 1])
        assert table["name"].tolist() == ["c", "b", "b", "b", "c", "a"]
        assert table["run"].tolist() == [0, 0, 1, 1, 1, 1]
        np.testing.assert_array_equal(spool.column("t", "x", [1]), [0.5, np.nan] * 2)
        assert [t["name"].tolist() for t in spool.chunks("t", [1, 0])] == [["b", "b", "c", "a", "c", "b"]]


def test_many_rows_come_back_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.results.spool.CHUNK", 10)
    with Spool(tmp_path / "out") as spool:
        for first in range(0, 35, 7):
            spool.add(0, "t", {"x": np.arange(first, first + 7)})
        spool.add(0, "t", {"x": np.arange(0)})
        chunks = [t["x"].tolist() for t in spool.chunks("t", [0])]
    assert [x for chunk in chunks for x in chunk] == list(range(35))
    assert [len(c) for c in chunks] == [14, 14, 7]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_pieces_is_the_whole_table(form: str, tmp_path: Path) -> None:
    whole = Table(
        {"n": np.arange(9), "x": np.array([1.5, np.nan, 2] * 3), "name": np.array(["-a", "b", '"'] * 3, object)}
    )
    none = Table({name: c[:0] for name, c in whole.columns.items()})
    whole.save(tmp_path / f"whole.{form}")
    write(tmp_path / f"pieces.{form}", [none, *whole.parts(4), none])
    if form == "parquet":
        import pyarrow.parquet as pq

        due, got = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("whole", "pieces"))
        assert got.schema == due.schema
        assert got.to_pylist() == due.to_pylist()
    else:
        assert (tmp_path / f"pieces.{form}").read_bytes() == (tmp_path / f"whole.{form}").read_bytes()


@pytest.mark.parametrize("replications", [1, 2])
def test_sentences_are_those_of_rows_in_memory(replications: int, tmp_path: Path) -> None:
    made = quick.scenario("10Mbit/s", "20ms", "reno,cbr:8Mbit/s,name=b,start=8s", duration="14s")
    kept, found = (made.run(replications=replications, out=out) for out in (None, tmp_path / "out"))
    assert found.spooled_intervals() is not None
    assert any("changes within the run" in said for said in sentences(kept))
    assert sentences(found) == sentences(kept)


def test_a_full_disk_is_an_error_that_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, **_: Any) -> None:
            pass

        def seek(self, *_: int) -> int:
            return 0

        def close(self) -> None:
            pass

        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    with pytest.raises(HeadgateError, match="out: cannot be written; No space left on device"):
        scenario().run(out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_rows_on_the_disk_are_not_counted_as_memory(tmp_path: Path) -> None:
    """What the summaries read again counts."""
    many = headgate.Scenario(dumbbell(duration="40000s", interval="1s"))
    with pytest.raises(headgate.ScenarioError, match=r"its table of intervals 0\.01"):
        many.run(max_memory="10MB")
    many.run(max_memory="10MB", out=tmp_path / "out")
    with pytest.raises(headgate.ScenarioError, match=r"its table of intervals 0\.003 GB"):
        many.run(max_memory="2MB", out=tmp_path / "more")
