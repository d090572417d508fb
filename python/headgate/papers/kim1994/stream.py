"""Figures 1 to 3: the structure of a BLT stream, from single packets of runs: their priorities, and what S1 takes of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from functools import partial

import numpy as np

from ... import _core
from ...results.tables import from_core
from ..claims import Result, Runs, listed
from ..measure import Floats
from ..model import Table
from ..runs import remember
from .grid import Curve
from .measures import Network
from .packets import Stream
from .statements import D, judged, once

#: Packets of the file of figures 1 and 2, and of those of figure 3.
SHORT, FILE = 40, 200

#: Two files that meet: the second one begins while S1 is full of the first one's burst.
LATER = 0.004


def scenario(base: Table, scheme: str, bottleneck: int, packets: int, starts: Sequence[float]) -> Table:
    """Files of one size that begin at these times."""
    made = Curve(scheme, Network(150, bottleneck, 30), packets, connections=1).scenario(base, 0.5)
    made["duration"] = made["interval"] = "1s"
    made["traces"] = []
    (flow,) = made["flows"]
    del flow["arrivals"]
    made["flows"] = [
        {**copy.deepcopy(flow), "name": f"file{n}", "start": f"{round(at * 1e6)}us"} for n, at in enumerate(starts)
    ]
    return made


def _followed(text: str) -> list[list[float]]:
    """The columns of `Stream`. The bottleneck is the first port whose decisions know a buffer; the exit is the other one."""
    columns, values, shapes, _ = _core.tracks(text, 1, 0, 0.0, 1.0, 100_000, None)
    found, numbers = from_core(columns), np.asarray(from_core(values)["value"])
    names = [name for name, *_ in _core.NUMBERS]
    buffer, priority = names.index("buffer_packets"), names.index("priority")
    limited = np.array([buffer in shapes[s] for s in found["shape"]])
    here = limited & (found["port"] == found["port"][limited].min())
    kept = {name: cells[here] for name, cells in found.items()}
    # A switch without priorities decides with none.
    given = [
        float(numbers[first + shapes[shape].index(priority)]) if priority in shapes[shape] else 0.0
        for first, shape in zip(kept["first"], kept["shape"], strict=True)
    ]
    time = kept["arrived_s"] - kept["arrived_s"][0]
    taken = np.isfinite(kept["left_s"])
    return [np.asarray(x, dtype=float).tolist() for x in (time, kept["flow"], kept["seq"], given, taken)]


def stream(runs: Runs, scheme: str, bottleneck: int, packets: int = FILE, starts: Sequence[float] = (0.0,)) -> Stream:
    """The packets of a run."""
    base = runs.item.scenario
    assert base is not None
    text = json.dumps(scenario(base, scheme, bottleneck, packets, starts))
    return once(text, lambda: Stream(*map(np.array, remember(partial(_followed, text), "stream", text))))


Pair = tuple[Stream, Stream]


def _exchanged(pair: tuple[D, D]) -> tuple[D, D]:
    return pair[1], pair[0]


def _short(runs: Runs) -> Pair:
    return stream(runs, "BLT", 150, SHORT), stream(runs, "TCP", 150, SHORT)


def windows(s: Stream) -> list[int]:
    """Packets of each priority, by priority."""
    return [int((s.priority == k).sum()) for k in range(int(s.priority.max()) + 1)]


@judged("S01", _short, _exchanged)
def _s01(pair: Pair) -> Result:
    sizes = windows(pair[0])
    prefix = np.cumsum(sizes)[:-1]
    once = len(np.unique(pair[0].seq)) == len(pair[0].seq) == SHORT
    due = 2 ** (np.arange(len(prefix)) + 1) - 1
    return bool(once and len(sizes) == 6 and (prefix == due).all()), (
        f"windows of {', '.join(map(str, sizes))} packets, unions {', '.join(map(str, prefix))}; "
        f"{len(pair[0].seq)} packets sent for {SHORT}"
    )


def _long(runs: Runs) -> Pair:
    return stream(runs, "BLT", 150), stream(runs, "TCP", 150)


@judged("S02", _long, _exchanged)
def _s02(pair: Pair) -> Result:
    blt, tcp = pair
    order = np.argsort(tcp.seq, kind="stable")
    same = len(blt.seq) == len(tcp.seq) and bool((blt.priority[np.argsort(blt.seq)] == tcp.rounds[order]).all())
    rounds = int(tcp.rounds.max()) + 1
    holds = same and rounds == 8 and float(blt.time.max()) < 0.03 < float(tcp.time.max())
    return holds, (
        f"TCP sends {FILE} packets in {rounds} rounds and {1e3 * tcp.time.max():.0f} ms, BLT in {1e3 * blt.time.max():.1f} ms; "
        f"{'each' if same else 'not each'} packet has the number of its round as its priority"
    )


def two_files(runs: Runs) -> Pair:
    """Two files that meet at 30 Mbit/s, of BLT and of Bully-Tyrant."""
    return (
        stream(runs, "BLT", 30, starts=(0.0, LATER)),
        stream(runs, "BT", 30, starts=(0.0, LATER)),
    )


def first_burst(s: Stream) -> Stream:
    """The packets of a file's first burst: up to the first pause."""
    mine = s.rounds == 0
    return Stream(*(values[mine] for values in (s.time, s.file, s.seq, s.priority, s.taken)))


def refused(s: Stream, packets: int = 31) -> float:
    """The part of the second file's first packets (those of windows 0 to 4) that S1 discards."""
    second = first_burst(s.of(1))
    return float(1 - second.taken[second.seq < packets].mean())


def windows_taken(burst: Stream) -> Floats:
    """The part of each window that S1 takes. Bully-Tyrant's packets have no priority: what BLT would have given them."""
    window = np.floor(np.log2(burst.seq + 1))
    return np.array([float(burst.taken[window == k].mean()) for k in range(8)])


@judged("S03", two_files, _exchanged)
def _s03(pair: Pair) -> Result:
    blt, bt = refused(pair[0]), refused(pair[1])
    return blt == 0 and bt > 0.5, f"of the newcomer's first 31 packets BLT's switch discards {blt:.0%}, FIFO {bt:.0%}"


@judged("S04", two_files, _exchanged)
def _s04(pair: Pair) -> Result:
    blt, bt = (windows_taken(first_burst(met.of(0))) for met in pair)
    whole = bool((blt[:6] == 1).all())
    return whole and bool(blt[6:].sum() < bt[6:].sum()), (
        f"of the first file's windows 0 to 7 BLT's switch takes {listed(blt)}, FIFO {listed(bt)}"
    )
