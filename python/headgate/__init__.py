"""headgate: queueing disciplines and congestion control, simulated, measured and compared with the papers.

>>> import headgate
>>> scenario = headgate.Scenario.from_dict({
...     "duration": "70s",
...     "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
...     "links": [
...         {"from": "a", "to": "g", "rate": "800kbit/s"},
...         {"from": "g", "to": "b", "rate": "80kbit/s", "queue": {"kind": "fq", "buffer": "20pkt"}},
...     ],
...     "flows": [{"name": "ftp{i}", "from": "a", "to": "b", "count": 2, "control": {"kind": "generic"}}],
... })
>>> results = scenario.run(seed=1)
>>> round(sum(f.goodput_pps.mean for f in results.flow_summaries()), 1)
10.0
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from ._core import PluginError, ScenarioError, __version__
from .base.errors import HeadgateError, MissingExtraError, TraceError
from .base.moved import MOVED, OldPaths

if TYPE_CHECKING:
    from . import analysis, exports, lab, papers, plots, plugins, stats, sweep
    from .base.catalogue import catalogue, schema
    from .comparison import Compared, Difference, compare, to_xarray
    from .explore.widget import widget
    from .lab.attacks import attack
    from .lab.contracts import contract
    from .lab.evaluation import evaluate
    from .lab.games import game
    from .papers import Reproduction, reproduce
    from .papers.inference import Inference, infer
    from .plots.build import plot
    from .plots.traces import timeline
    from .plugins import control, discipline, parameter
    from .replays import Replay, replay
    from .results.results import Results
    from .scenario.examples import example
    from .scenario.scenario import Scenario
    from .sweep import Study, Sweep, gather, open_study

__all__ = [
    "Compared",
    "Difference",
    "HeadgateError",
    "Inference",
    "MissingExtraError",
    "PluginError",
    "Replay",
    "Reproduction",
    "Results",
    "Scenario",
    "ScenarioError",
    "Study",
    "Sweep",
    "TraceError",
    "__version__",
    "analysis",
    "attack",
    "catalogue",
    "compare",
    "contract",
    "control",
    "discipline",
    "evaluate",
    "example",
    "exports",
    "game",
    "gather",
    "infer",
    "lab",
    "open_study",
    "papers",
    "parameter",
    "plot",
    "plots",
    "plugins",
    "replay",
    "reproduce",
    "schema",
    "stats",
    "sweep",
    "timeline",
    "to_xarray",
    "widget",
]

#: The packages and modules that are offered here, and the names, each with where it stands. All are loaded on first use, so that
#: `import headgate` costs milliseconds.
_MODULES = {
    **{
        room: room
        for room in (
            "analysis",
            "exports",
            "lab",
            "papers",
            "plots",
            "plugins",
            "quick",
            "stats",
            "sweep",
        )
    },
    "errors": "base.errors",
    "summaries": "results.summaries",
    "tables": "results.tables",
}
_NAMES = {
    "Scenario": "scenario.scenario",
    "Results": "results.results",
    "infer": "papers.inference",
    "Inference": "papers.inference",
    "reproduce": "papers",
    "Reproduction": "papers",
    "Sweep": "sweep",
    "Study": "sweep",
    "gather": "sweep",
    "open_study": "sweep",
    "compare": "comparison",
    "Compared": "comparison",
    "Difference": "comparison",
    "to_xarray": "comparison",
    "attack": "lab.attacks",
    "contract": "lab.contracts",
    "control": "plugins",
    "discipline": "plugins",
    "evaluate": "lab.evaluation",
    "game": "lab.games",
    "parameter": "plugins",
    "plot": "plots",
    "timeline": "plots",
    "replay": "replays",
    "Replay": "replays",
    "catalogue": "base.catalogue",
    "schema": "base.catalogue",
    "example": "scenario.examples",
    "widget": "explore.widget",
}


# First: the folders of the new paths would answer for the old ones otherwise, and load their modules a second time.
sys.meta_path.insert(0, OldPaths)


def __getattr__(name: str) -> object:
    if name in _MODULES or name in MOVED:
        return importlib.import_module(f".{_MODULES.get(name, name)}", __name__)
    if name in _NAMES:
        return getattr(importlib.import_module(f".{_NAMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
