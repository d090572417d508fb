"""The intervals of a run as a data file of flent, whose plots then show simulated and measured runs together.

Source: tohojo/flent, flent/resultset.py (file format 4) and flent/tests/tcp_nup.conf for the names of series, release 2.3.0: read for the
format. Deviations: the file says that it is of the test `tcp_nup`, since flent draws only tests that it knows. Every flow of the scenario
is a series `TCP upload::N`, whatever its control, with its name in the metadata; `Ping (ms) ICMP` is the mean round-trip time of all
samples of an interval.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from .. import _core
from ..analysis.fairness import jain_of_sums
from ..results.metrics import GOODPUT
from .follow import RunInfo

FILE_VERSION = 4
#: The goodput in Mbit/s, which flent plots.
_MBPS = replace(GOODPUT, factor=1e-6 * GOODPUT.factor)
_START = "1970-01-01T00:00:00.000000Z"
Floats = npt.NDArray[np.float64]

#: Rows of intervals and flows, in all. Each takes some 200 bytes of the file before it is compressed.
MOST_ROWS = 20_000_000


def write(file: Path, of: RunInfo) -> None:
    """Writes the file, series by series."""
    every = of.results.intervals
    mine = every["run"] == of.run.run
    shape = (-1, len(of.flows))
    column = {
        name: np.asarray(every[name][mine], dtype=np.float64).reshape(shape)
        for name in ("start_s", "end_s", "unique_bytes", "rtt_mean_s", "rtt_count")
    }
    # A run that ends with an interval of no length has no rate there.
    ends, span = column["end_s"][:, 0], (column["end_s"] - column["start_s"])[:, 0]
    bits, _ = _MBPS.parts(column)
    mbps = bits / np.where(span > 0, span, np.nan)[:, None]
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8") as out,
    ):
        out.write(f'{{"version": {FILE_VERSION}, "metadata": {json.dumps(_metadata(of, ends, span))}, "x_values": ')
        _list(out, ends)
        out.write(', "results": {')
        for place, (name, values) in enumerate(_series(mbps, column)):
            out.write(f"{', ' * (place > 0)}{json.dumps(name)}: ")
            _list(out, values)
        out.write('}, "raw_values": {')
        for flow in range(len(of.flows)):
            out.write(f"{', ' * (flow > 0)}{json.dumps(_upload(flow))}: [")
            out.write(", ".join(_points(ends, mbps[:, flow], column["rtt_mean_s"][:, flow])))
            out.write("]")
        out.write("}}\n")


def _series(mbps: Floats, column: dict[str, Floats]) -> Iterator[tuple[str, Floats]]:
    for flow in range(mbps.shape[1]):
        yield _upload(flow), mbps[:, flow]
    total = mbps.sum(axis=1)
    yield "TCP upload sum", total
    yield "TCP upload avg", total / mbps.shape[1]
    yield "TCP upload fairness", jain_of_sums(total, (mbps**2).sum(axis=1), mbps.shape[1])
    counts = column["rtt_count"].sum(axis=1)
    sums = (np.nan_to_num(column["rtt_mean_s"]) * column["rtt_count"]).sum(axis=1)
    yield "Ping (ms) ICMP", np.divide(1e3 * sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _points(ends: Floats, mbps: Floats, rtt_s: Floats) -> Iterator[str]:
    for at, rate, rtt in zip(ends.tolist(), mbps.tolist(), rtt_s.tolist(), strict=True):
        point = {"t": at, "val": rate} if rate == rate else {"t": at}
        yield json.dumps(point | ({"tcp_rtt": 1e3 * rtt} if rtt == rtt else {}))


def _list(out: TextIO, values: Floats) -> None:
    """Numbers, and null where there is none."""
    out.write(json.dumps([value if value == value else None for value in values.tolist()]))


def _upload(flow: int) -> str:
    return f"TCP upload::{flow + 1}"


def _metadata(of: RunInfo, ends: Floats, span: Floats) -> dict[str, Any]:
    length = _core.quantity(of.scenario["duration"])[2]
    flows = {
        _upload(i): {
            "NAME": flow.name, "UNITS": "Mbits/s", "CONTROL": flow.control, "WORKLOAD": flow.workload, "FROM": flow.source, "TO": flow.sink,
        }
        for i, flow in enumerate(of.flows)
    }  # fmt: skip
    sinks = list(dict.fromkeys(flow.sink for flow in of.flows))
    return {
        "NAME": "tcp_nup", "TITLE": of.name, "NOTE": of.origin, "HOST": sinks[0], "HOSTS": sinks[:100], "LOCAL_HOST": of.flows[0].source,
        "TIME": _START, "T0": _START, "LENGTH": length, "TOTAL_LENGTH": float(ends[-1]) if ends.size else length,
        "STEP_SIZE": float(span[0]) if span.size else length, "TEST_PARAMETERS": {"upload_streams": str(len(of.flows))},
        "FLENT_VERSION": f"headgate-{_core.__version__}", "IP_VERSION": 4, "BATCH_NAME": None, "BATCH_TIME": None, "BATCH_TITLE": None,
        "BATCH_UUID": None, "DATA_FILENAME": None, "HTTP_GETTER_URLLIST": None, "HTTP_GETTER_DNS": None, "HTTP_GETTER_WORKERS": None,
        "SERIES_META": flows, "HEADGATE": {"seed": of.run.seed, "run": of.run.run, "digest": of.run.digest},
    }  # fmt: skip
