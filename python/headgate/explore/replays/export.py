"""Downloads of a replay: the command and the Python lines that give the same, and a row for each packet."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from ... import _core
from ...base.choices import CONVENTIONS
from ...base.documents import parse_value
from ...base.errors import HeadgateError
from ...base.toml import value_text
from ...replays import replay
from ...scenario.baselines import PLAIN
from ..store import Finished
from ..wire import StoppedError
from .settings import Settings


def command(settings: Settings) -> str:
    """The line of a shell that gives the same numbers.

    The name of the trace is that of its file, without the folder.
    """
    data, whole, queue = settings.data, settings.resolved, _queue(settings)
    words = [
        "headgate",
        "replay",
        _file(settings.trace.name),
        "--queue",
        str(queue.pop("kind")),
        "--rate",
        str(whole["rate"]),
    ]
    if "buffer" in queue:
        words += ["--buffer", str(queue.pop("buffer"))]
    aqm = queue.pop("aqm", None)
    inside = {"aqm": aqm} if isinstance(aqm, str) else {f"aqm.{name}": value for name, value in (aqm or {}).items()}
    for name, value in {**queue, **inside}.items():
        words += ["--set", f"{name}={_value_text(value)}"]
    if settings.trace.kind == "capture":
        words += ["--classify", settings.reading.classify]
    if whole["seed"] != 1:
        words += ["--seed", str(whole["seed"])]
    for key, choices in CONVENTIONS.items():
        if data.get(key, choices[0]) != choices[0]:
            words += [f"--{key.replace('_', '-')}", data[key]]
    if data.get("lenient"):
        words.append("--lenient")
    return shlex.join(words)


def python_lines(run: Finished) -> str:
    """Python lines that give the same numbers."""
    settings: Settings = run.more["settings"]
    data, whole, done = settings.data, settings.resolved, run.done
    given: dict[str, Any] = {"queue": _queue(settings), "rate": whole["rate"]}
    if settings.trace.kind == "capture":
        given["classify"] = settings.reading.classify
    if whole["seed"] != 1:
        given["seed"] = whole["seed"]
    given |= {k: data[k] for k, choices in CONVENTIONS.items() if data.get(k, choices[0]) != choices[0]}
    if data.get("lenient"):
        given["lenient"] = True
    lines = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    port = done["ports"][0]
    return f"""import headgate

result = headgate.replay(
    {_file(settings.trace.name)!r},
{lines})
whole = next(result.summary.rows())
assert whole["packets"] == {done["packets"]}
assert sum(whole[f"drops_{{reason}}"] for reason in ("full", "evicted", "early")) == {port["drops"]}
for flow in result.flows.rows():
    print(flow["flow"], flow["throughput_bps"], "bit/s, mean wait", flow["delay_mean_s"], "s")
packets = result.packets()
"""


def rows_into(run: Finished, path: Path, control: _core.Control) -> None:
    """Writes a row for each packet, as `headgate replay --out` does; the name of the file says the form.

    Raises:
        StoppedError: the control stopped it.
    """
    settings: Settings = run.more["settings"]
    data, whole = settings.data, settings.resolved

    def report(share: float, packets: int) -> None:
        if control.stopped:
            raise StoppedError

    conventions = {key: data.get(key, choices[0]) for key, choices in CONVENTIONS.items()}
    replay(
        settings.trace.path, _queue(settings), str(whole["rate"]), classify=data.get("classify"), out=path, seed=whole["seed"],
        lenient=data.get("lenient", False), packets=False, series=False, progress=report, **conventions,
    )  # fmt: skip


def _queue(settings: Settings) -> dict[str, Any]:
    found = settings.data.get("queue", PLAIN)
    return {"kind": found} if isinstance(found, str) else dict(found)


def _value_text(value: Any) -> str:
    """A value as `--set` takes it: a text without quotes where that means the same."""
    return value if isinstance(value, str) and parse_value(value) == value else value_text(value)


def _file(name: str) -> str:
    """The name of a file as an argument, which must not look like an option."""
    return f"./{name}" if name.startswith("-") else name


def file_name(run: Finished) -> str:
    """A plain name for files that are made of a replay."""
    settings: Settings = run.more["settings"]
    return re.sub(r"[^A-Za-z0-9]+", "-", Path(settings.trace.name).stem).strip("-")[:60] or "replay"


def require(form: str) -> None:
    """Whether there are rows of packets in a form.

    Raises:
        HeadgateError: there are none.
    """
    if form not in ("csv", "parquet"):
        raise HeadgateError(f"form {form[:80]!r}; expected csv or parquet for the rows of packets")
