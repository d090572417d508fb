"""Downloads of a run: the scenario as TOML, the data of a view as CSV or Parquet, and the Python lines that give the same."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np

from ..base.toml import file_text
from ..results.tables import Table
from ..scenario.scenario import Scenario
from .replays import export as replay_export
from .store import Finished
from .views import View
from .wire import RequestError

#: The forms, with the types of their files and their endings.
FORMS = {
    "toml": ("application/toml", "toml"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "parquet": ("application/vnd.apache.parquet", "parquet"),
    "python": ("text/x-python; charset=utf-8", "py"),
}

#: The forms of a replay, whose scenario is a line of a shell.
OF_REPLAY = {"command": ("text/plain; charset=utf-8", "sh"), **{k: v for k, v in FORMS.items() if k != "toml"}}


def exported(run: Finished, form: str, view: str | None = None) -> tuple[bytes, str, str]:
    """A file: its contents, its type, and its name.

    Args:
        run: that it is about.
        form: one of `FORMS`.
        view: of csv and parquet: the view whose data are wanted; the first one unless given.

    Raises:
        RequestError: no such form or view.
    """
    replay = run.done.get("kind") == "replay"
    forms = OF_REPLAY if replay else FORMS
    if form not in forms:
        raise RequestError(400, f"form {form[:80]!r}; expected one of {', '.join(forms)}")
    kind, ending = forms[form]
    if form == "command":
        return (
            f"{replay_export.command(run.more['settings'])}\n".encode(),
            kind,
            f"{replay_export.file_name(run)}.{ending}",
        )
    if replay and form == "python":
        return replay_export.python_lines(run).encode(), kind, f"{replay_export.file_name(run)}.{ending}"
    name = (
        replay_export.file_name(run)
        if replay
        else re.sub(r"[^A-Za-z0-9]+", "-", str(run.scenario.get("name", ""))).strip("-")[:60] or "scenario"
    )
    if form == "toml":
        return file_text(run.scenario).encode(), kind, f"{name}.{ending}"
    if form == "python":
        return lines_of(run).encode(), kind, f"{name}.{ending}"
    shown = (run.view(view) if view is not None else run.views[0]).whole(run)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"view.{ending}"
        table_of(shown).save(file)
        return file.read_bytes(), kind, f"{name}-{shown.name}.{ending}"


def table_of(view: View) -> Table:
    """The points of a view: a row for each, with the series that it belongs to."""
    names = [np.full(x.t.size, x.name, dtype=object) for x in view.lines]
    return Table(
        {
            "series": np.concatenate(names) if names else np.empty(0, dtype=object),
            "time_s": np.concatenate([x.t for x in view.lines]) if names else np.empty(0),
            "value": np.concatenate([x.y for x in view.lines]) if names else np.empty(0),
        }
    )


def lines_of(run: Finished) -> str:
    """Python lines that give the same run, with the same digest."""
    as_run = Scenario(run.as_run)
    data = as_run.to_json()
    # The lines are the user's own program, and what they run was run on the page.
    allowing = ", allow_code=True" if as_run.codes() else ""
    # Replication k is that of the streams (seed, k): those before it are run too.
    many, which = (f", replications={run.number + 1}", f'.split("-")[{run.number}]') if run.number else ("", "")
    return f'''"""{_quoted(str(run.scenario.get("name") or "A scenario"))}, as headgate's explorer ran it."""

import json

import headgate

scenario = headgate.Scenario.from_dict(
    json.loads(
        {_wrapped(data)}
    ){allowing}
)
results = scenario.run(seed={run.seed}{many})
assert results.digest{which} == "{run.done["digest"]}"
for flow in results.flow_summaries():
    print(flow.flow, flow.goodput_bps.mean, "bit/s")
'''


def _quoted(text: str) -> str:
    """A text for the inside of a docstring: no end of it, no escape, one line.

    >>> _quoted('a "quoted" name')
    "a 'quoted' name"
    """
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable.replace("\\", "/").replace('"', "'")


def _wrapped(text: str, width: int = 100) -> str:
    """A text as Python literals of a line each."""
    return "\n        ".join(repr(text[i : i + width]) for i in range(0, len(text), width))
