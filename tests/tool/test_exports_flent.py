"""Data files of flent, read by a reader of its format and by flent itself where it is installed, against the tables of the run."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import exports

from ..exported import BUSY, ODD, busy

DERIVED = ["TCP upload sum", "TCP upload avg", "TCP upload fairness", "Ping (ms) ICMP"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (made,) = exports.write(busy(), flent=tmp_path_factory.mktemp("flent") / "a.flent.gz")
    return made


@pytest.fixture(scope="module")
def read(file: Path) -> dict[str, Any]:
    """The file as JSON, which knows no nan."""
    found: dict[str, Any] = json.loads(
        gzip.decompress(file.read_bytes()), parse_constant=lambda name: pytest.fail(name)
    )
    return found


def column(name: str) -> Any:
    return busy().intervals[name].reshape(-1, 4).astype(float)


def numbers(values: list[Any]) -> Any:
    return np.array([np.nan if value is None else value for value in values])


def test_the_file_has_what_flents_loader_asks_for(read: dict[str, Any]) -> None:
    assert set(read) == {"version", "metadata", "x_values", "results", "raw_values"}
    assert read["version"] == 4
    meta = read["metadata"]
    assert (meta["NAME"], meta["TITLE"], meta["STEP_SIZE"], meta["LENGTH"], meta["TOTAL_LENGTH"]) == (
        "tcp_nup",
        "busy",
        0.5,
        15,
        15,
    )
    assert (meta["HOST"], meta["LOCAL_HOST"], meta["HOSTS"]) == ("d", "s", ["d"])
    assert datetime.strptime(meta["TIME"], "%Y-%m-%dT%H:%M:%S.%fZ") == datetime(1970, 1, 1)
    assert meta["T0"] == meta["TIME"]
    assert meta["TEST_PARAMETERS"] == {"upload_streams": "4"}
    assert busy().digest in meta["NOTE"]
    assert meta["HEADGATE"] == {"seed": 1, "run": 0, "digest": busy().digest}
    # Every series has a value, or none, for each time.
    assert read["x_values"] == [0.5 * (i + 1) for i in range(30)]
    assert list(read["results"]) == [*(f"TCP upload::{i}" for i in (1, 2, 3, 4)), *DERIVED]
    assert {len(series) for series in read["results"].values()} == {30}
    names = [meta["SERIES_META"][f"TCP upload::{i}"]["NAME"] for i in (1, 2, 3, 4)]
    assert names == ["ecn", ODD, "web", "tiny"]
    assert meta["SERIES_META"]["TCP upload::1"] == {
        "NAME": "ecn", "UNITS": "Mbits/s", "CONTROL": "cubic", "WORKLOAD": "ftp", "FROM": "s", "TO": "d",
    }  # fmt: skip


def test_series_are_the_intervals_of_the_run(read: dict[str, Any]) -> None:
    results = read["results"]
    mbps = column("unique_bytes") * 8 / 0.5 / 1e6
    for flow in range(4):
        assert np.allclose(numbers(results[f"TCP upload::{flow + 1}"]), mbps[:, flow])
    assert np.allclose(numbers(results["TCP upload sum"]), mbps.sum(axis=1))
    assert np.allclose(numbers(results["TCP upload avg"]), mbps.mean(axis=1))
    jain = mbps.sum(axis=1) ** 2 / (4 * (mbps**2).sum(axis=1))
    assert np.allclose(numbers(results["TCP upload fairness"]), jain)
    total = np.nansum(column("rtt_mean_s") * column("rtt_count"), axis=1)
    assert np.allclose(numbers(results["Ping (ms) ICMP"]), 1e3 * total / column("rtt_count").sum(axis=1))
    # All of it is what the run delivered.
    assert sum(results["TCP upload sum"]) * 1e6 * 0.5 / 8 == pytest.approx(busy().flows["unique_bytes"].sum())


def test_raw_values_have_rates_and_round_trips(read: dict[str, Any]) -> None:
    assert list(read["raw_values"]) == [f"TCP upload::{i}" for i in (1, 2, 3, 4)]
    for flow in range(4):
        points = read["raw_values"][f"TCP upload::{flow + 1}"]
        assert [p["t"] for p in points] == read["x_values"]
        assert [p["val"] for p in points] == read["results"][f"TCP upload::{flow + 1}"]
        rtt = column("rtt_mean_s")[:, flow] * 1e3
        assert np.allclose([p.get("tcp_rtt", np.nan) for p in points], rtt, equal_nan=True)
    assert any("tcp_rtt" in point for point in read["raw_values"]["TCP upload::1"])


def test_nothing_measured_is_null(tmp_path: Path) -> None:
    """Before anything starts there is no round trip and no index of fairness."""
    scenario = (
        headgate.example("game").set("duration", "10s").set("flows.game.start", "4s").set("flows.download.start", "6s")
    )
    (file,) = exports.write(scenario.run(), flent=tmp_path / "a.flent.gz")
    results = json.loads(gzip.decompress(file.read_bytes()))["results"]
    assert results["Ping (ms) ICMP"][0] is None
    assert results["TCP upload fairness"][0] is None
    assert results["TCP upload sum"][0] == 0
    assert results["Ping (ms) ICMP"][-1] > 28


def test_the_same_run_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    (again,) = exports.write(busy(), flent=tmp_path / "b.flent.gz")
    assert again.read_bytes() == file.read_bytes()
    assert file.read_bytes()[4:8] == bytes(4), "no time of the machine"


def test_each_replication_has_its_own_numbers(tmp_path: Path) -> None:
    results = headgate.Scenario.from_dict(BUSY).set("duration", "3s").set("events", []).run(replications=2)
    for run, file in enumerate(exports.write(results, flent=tmp_path / "a.flent.gz")):
        read = json.loads(gzip.decompress(file.read_bytes()))
        assert read["x_values"] == [0.5 * (i + 1) for i in range(6)]
        delivered = results.flows["unique_bytes"][results.flows["run"] == run].sum()
        assert sum(read["results"]["TCP upload sum"]) * 1e6 * 0.5 / 8 == pytest.approx(delivered)


def test_flent_reads_it(file: Path, read: dict[str, Any]) -> None:
    resultset = pytest.importorskip("flent.resultset")
    found = resultset.load(str(file))
    assert found.series_names == list(read["results"])
    assert found.x_values == read["x_values"]
    assert list(found.series("TCP upload sum")) == read["results"]["TCP upload sum"]
    raw = dict(found.raw_series("TCP upload::1", raw_key="tcp_rtt"))
    assert raw.keys() <= set(read["x_values"])
    assert raw
