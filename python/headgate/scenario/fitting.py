"""Whether the parameters of a subject are such as it takes: found before any work with it, and said of the subject."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..base.errors import HeadgateError
from .scenario import Scenario
from .subjects import Scheme

#: Where a subject stands in the scenario that it is tried in.
_PATHS = {"control": "flows[0].control", "discipline": "links[1].queue"}


def require_parameters(subject: Scheme, kind: str, place: str) -> None:
    """Whether a flow control (`control`) or a queueing discipline (`discipline`) takes the parameters that it was given.

    Args:
        subject: as `subjects.read` gives it.
        kind: which of both it is.
        place: begins the text of an error.

    Raises:
        HeadgateError: it does not.

    >>> require_parameters(Scheme("cubic", {"kind": "cubic", "beta": 7}), "control", "NAME")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: NAME: cubic: beta: found 7; expected a number at most 0.95
    >>> require_parameters(Scheme("red", {"kind": "red"}), "discipline", "--aqm")
    """
    if set(subject.table) == {"kind"}:
        return
    flow: dict[str, Any] = {"name": "own", "from": "a", "to": "b"}
    line: dict[str, Any] = {"from": "g", "to": "b", "rate": "10Mbit/s", "delay": "10ms"}
    if kind == "control":
        flow["control"] = subject.table
    else:
        line["queue"] = subject.table
    data = {
        "duration": "1s",
        "plugins": list(subject.plugins),
        "nodes": [{"name": name, "kind": "host"} for name in "ab"] + [{"name": "g"}],
        "links": [{"from": "a", "to": "g", "rate": "1Gbit/s"}, line],
        "flows": [flow],
    }
    try:
        Scenario(data).resolve()
    except _core.ScenarioError as e:
        path, said = _PATHS[kind], str(e)
        # What is wrong for another reason, such as a workload that it needs, is said where it is used.
        if said.startswith((f"{path}.", f"{path}[")):
            raise HeadgateError(f"{place}: {subject.name}: {said[len(path) :].lstrip('.')}") from None
