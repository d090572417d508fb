"""The tables of `headgate replay`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape

from ...base.counts import counted
from ...base.units import scale_of
from ...replays import Replay
from ...replays.result import GATHERED
from ...results.columns import columns, shown
from ...results.metrics import OF_COLUMN
from ...results.results import digits
from ...stats.means import pooled
from ..terminal import console
from .fit import Column, names_of, print_fitted

#: Maximum number of flows that are listed one by one in the terminal unless `--top` asks for more.
MOST = 10

#: Columns of drops and of delays.
DROPS, DELAYS = (tuple(GATHERED[key].values()) for key in ("drops", "delay_s"))

#: Columns of sparse flows.
SPARSE = ("sparse_delay_s", "sparse_drops")

#: A narrow terminal leaves out first the columns of the highest rank.
RANKS = {
    "sparse_delay_s": 0, "sparse_drops": 1,
    "sent": 6, "packets": 6, "throughput_bps": 1, "loaded_bps": 1, "utilisation": 7, **dict.fromkeys(DROPS, 3), "marks": 4,
    **dict(zip(DELAYS, (2, 8, 2, 9, 5), strict=True)), "jain_of_max_min": 7, "jain": 10,
}  # fmt: skip


def print_replay(result: Replay, top: int = MOST, wide: bool = False) -> None:
    """The tables in the terminal: the queues side by side, then the flows of each.

    Args:
        result: of a replay.
        top: the largest flows are listed, as many as this; the others are added up.
        wide: every column, also on lines that are longer than the terminal's.
    """
    out, got = console(), result.to_dict(0)
    trace = got["trace"]
    flows = trace["flows"]
    of_packets = counted(trace["packets"], "packet")
    out.print(
        f"[bold]{escape(trace['source'])}[/]  {of_packets} of {counted(flows, 'flow')}  at {escape(got['rate'])}",
        soft_wrap=True,
    )
    if trace["skipped"]:
        out.print("skipped: " + ", ".join(f"{n} {k.replace('_', ' ')}" for k, n in trace["skipped"].items()))
    for note in result.notes:
        out.print(escape(note), highlight=False)
    sizes = result.buffers()
    if len(set(sizes.values())) > 1:
        out.print("buffers: " + ", ".join(escape(f"{queue} {size}") for queue, size in sizes.items()), highlight=False)
    else:
        out.print(f"buffer: {escape(next(iter(sizes.values())))}", highlight=False)
    out.print("delay: mean and quantiles of the time from arrival to start of transmission")
    rate = "loaded_bps" if _loaded(result) else "throughput_bps"
    over = "until the last arrival" if rate == "loaded_bps" else "from the first arrival to the last departure"
    out.print(f"throughput: of what is sent {over}, over that time")
    order = [rank.queue for rank in result.ranks]
    queues = sorted(result.summary.rows(), key=lambda row: order.index(row["queue"]))
    several = 0 < int(result.sparse.sum()) < result.sparse.size
    of_queues = (
        rate,
        "utilisation",
        *(SPARSE if several else ()),
        *DROPS,
        "marks",
        *DELAYS,
        "jain_of_max_min",
        "jain",
        "sent",
    )
    title = "queues" if len(queues) == 1 else f"queues, the least delay of {'sparse' if several else 'all'} flows first"
    left = _print(title, "queue", of_queues, queues, wide)
    for queue in order:
        rows = result.largest(queue, top)
        if flows > top:
            rows.append(_others(list(result.largest(queue)), rows))
        of_flows = (rate, *DROPS, "marks", *DELAYS, "packets")
        left += _print(f"flows under {queue}", "flow", of_flows, rows, wide)
    out.print()
    if flows > top:
        out.print(f"{top} of {flows} flows, those with most bytes; --top N lists N of them, --json has all")
    if left:
        out.print(f"columns left out: {names_of(left)}; --wide shows all")
    out.print()
    for sentence in result.sentences:
        out.print(sentence, markup=False, highlight=False)


def _loaded(result: Replay) -> bool:
    """Whether anything was sent by the last arrival; where all packets come at once there is no time until then."""
    return bool((result.summary["loaded_bps"] > 0).all())


def _others(rows: Sequence[Mapping[str, Any]], listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The flows that are not listed, as one row. Quantiles of several flows together do not follow from theirs."""
    names = {row["flow"] for row in listed}
    rest = [row for row in rows if row["flow"] not in names]
    counted = ("packets", "sent", "marks", "throughput_bps", "loaded_bps", *DROPS)
    total: dict[str, Any] = {key: sum(row[key] for row in rest) for key in counted}
    mean, greatest = DELAYS[0], DELAYS[-1]
    measured = [row for row in rest if row["sent"]]
    delay = float(pooled([row[mean] for row in rest], [row["sent"] for row in rest]))
    most = max((row[greatest] for row in measured), default=float("nan"))
    return {**dict.fromkeys(DELAYS, float("nan")), **total, mean: delay, greatest: most, "flow": f"{len(rest)} others"}


def _print(title: str, key: str, names: Sequence[str], rows: list[dict[str, Any]], wide: bool) -> list[Column]:
    """A table of these columns; counts only if they are not zero, but always drops for a full buffer."""
    known = columns("replay-summary" if key == "queue" else "replay-flows")
    made = [Column(key, text=True, cells=[row[key] for row in rows])]
    rate = scale_of("bit/s", [row[name] for row in rows for name in ("throughput_bps", "loaded_bps") if name in names])
    for name in names:
        if name in (*DROPS[1:], "marks") and not any(row[name] for row in rows):
            continue
        scale, unit = (100.0, "%") if name == "utilisation" else shown(known[name].unit)
        if known[name].unit == "bit/s":
            scale, unit = rate
        values = (row[name] for row in rows)
        cells = [digits(scale * value) if isinstance(value, float) else str(value) for value in values]
        # The first of the delays has the unit of all.
        alone = known[name].type == "int" or name in DELAYS[1:]
        heading = OF_COLUMN[name].heading
        made.append(Column(heading if alone else f"{heading} {unit}".rstrip(), RANKS[name], cells=cells))
    return print_fitted(title, made, wide)
