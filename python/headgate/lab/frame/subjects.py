"""Who is judged, and beside whom: the subject, the baselines, and the trivial subjects (nulls)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ... import _core
from ...base.catalogue import catalogue, has_transport, is_own, of_family
from ...base.errors import HeadgateError, cut, nearest
from ...base.times import seconds
from ...scenario.baselines import PLAIN, baselines
from ...scenario.fitting import require_parameters
from ...scenario.subjects import Scheme, read

#: What a case may need: marks, a media source, BBR's states, and for steps a window by RFC 5681, by RFC 9438, or by either.
Need = Literal["ecn", "media", "bbr", "reno-window", "cubic-window", "tcp-window"]

#: Baselines, whose runs come with headgate.
BASELINES = baselines("referee")


@dataclass(frozen=True)
class Judged(Scheme):
    """A flow control or a queue in the place of the subject; its transport is beyond that of a case.

    Attributes:
        null: which trivial subject it is; empty for others.
        declares: what it has, in the words that cases need, where its name does not tell.
    """

    null: str = ""
    declares: tuple[str, ...] = ()


#: What cases need that is a family of flow controls: a window as that of RFC 5681 or of RFC 9438, the BBR of the draft, rates for media.
_FAMILIES = ("reno-window", "cubic-window", "bbr", "media")

#: What would pass without being a scheme at all, by what is judged.
NULLS = {
    "control": (
        # It never changes: whatever is lost is sent again.
        Judged("fixed window", {"kind": "aimd", "increase": 0.001, "decrease": 1.0, "slow_start": False}, null="fixed"),
        # It sends at the line's rate, and never listens.
        Judged("unresponsive", {"kind": "none"}, null="unresponsive"),
    ),
    "aqm": (
        Judged("drop-tail", {"kind": PLAIN}, null="drop-tail"),
        # A tenth of a bandwidth-delay product of buffer, or two packets.
        Judged("short drop-tail", {"kind": PLAIN}, null="short"),
    ),
}  # fmt: skip


def fitting(text: str, kind: str, place: str, **more: Any) -> Scheme:
    """What `scenario.subjects.read` gives; it takes its parameters.

    Raises:
        HeadgateError: there is none, or it does not.
    """
    found = read(text, kind, place=place, **more)
    require_parameters(found, kind, place)
    return found


def named(
    text: str,
    judges: str,
    name: str = "",
    parameters: dict[str, Any] | None = None,
    declares: tuple[str, ...] = (),
    place: str = "",
) -> Judged:
    """The subject that a user names, as all commands read it; `place` is the argument that an error names.

    Raises:
        HeadgateError: there is none, or it does not take its parameters.
    """
    wrong = next((word for word in declares if word not in get_args(Need)), None)
    if wrong is not None:
        known = get_args(Need)
        raise HeadgateError(
            f"--declares: found {cut(repr(wrong))}; expected one of {', '.join(known)}.{nearest(wrong, known)}"
        )
    kind = "control" if judges == "control" else "discipline"
    place = place or ("NAME" if judges == "control" else "--aqm")
    return Judged(**vars(fitting(text, kind, place, name=name, parameters=parameters)), declares=declares)


def has(subject: Judged, need: str, judges: str = "control") -> bool:
    """Whether a flow control, or a queue if `judges` is `aqm`, has what a case needs: by what it is, or because the user says so."""
    kind = str(subject.table["kind"])
    if need in subject.declares:
        return True
    if need == "tcp-window":
        return has(subject, "reno-window") or has(subject, "cubic-window")
    if need in _FAMILIES:
        return kind in of_family(need)
    # Packets carry ECN by the transport; a queue marks if it can be told to, or always does.
    return not subject.null and (
        has_transport(kind) if judges == "control" else takes_marks(subject) or _marks(subject.table)
    )


def takes_marks(subject: Judged) -> bool:
    """Whether a queue has the parameter `mark`."""
    known = catalogue("disciplines")
    kind = str(subject.table["kind"])
    return kind in known and known[kind].takes("mark")


def takes_buffer(subject: Judged) -> bool:
    """Whether a queue has the parameter `buffer`; what is not known is said where it is run."""
    known = catalogue("disciplines")
    kind = str(subject.table["kind"])
    return kind not in known or known[kind].takes("buffer")


def _marks(table: dict[str, Any]) -> bool:
    """Whether a queue marks without being told, by itself or by its AQM. Of one that is not headgate's own nobody knows."""
    try:
        return is_own(str(table["kind"]), "discipline") and "marks" in _core.does(json.dumps(table))
    except ValueError:
        # What is wrong with it is said where it is run.
        return False


def null_flow(flow: dict[str, Any], null: str, rate: float, rtt: float) -> dict[str, Any]:
    """A flow of a trivial subject over a line of this rate (bit/s) and round trip (s)."""
    packet = _core.quantity(flow["packet"], "bytes")[1] if isinstance(flow.get("packet"), str) else 1500
    window = max(1, round(rate * rtt / 8 / packet))
    workload = flow.get("workload", "ftp")
    kind = workload.get("kind") if isinstance(workload, dict) else workload
    if null == "fixed" or kind == "requests":
        # Objects need acknowledgements: a window that never holds them back stands for a source that does not listen.
        window *= 1 if null == "fixed" else 10
        own = {k: v for k, v in flow.get("transport", {}).items() if k in ("ecn", "min_timeout")}
        return {
            **flow,
            "control": dict(NULLS["control"][0].table),
            "transport": {"preset": "linux", **own, "initial_window": min(window, 1_000_000)},
        }
    out = {k: v for k, v in flow.items() if k not in ("transport", "receiver")}
    # Requests wait for what was acknowledged, which this one never does.
    if kind in ("ftp", "requests"):
        out["workload"] = {"kind": "cbr", "rate": f"{max(1, round(rate))}bit/s"}
    return {**out, "control": "none"}


def rtt_of(link: dict[str, Any]) -> float:
    """The round trip that a link stands for, in s."""
    text = link.get("rtt") or link.get("delay", "20ms")
    if isinstance(text, dict):
        return sum(seconds(t) for t in text.values())
    return seconds(text) * (1 if link.get("rtt") else 2)


def file_of(path: str | os.PathLike[str]) -> str:
    """A name for a subject's files."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in os.fspath(path))
