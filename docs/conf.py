"""How the documentation is built. Stale summaries of the papers end the build: see docs/verdicts.py."""

import inspect
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
import verdicts

project = "headgate"
author = "The headgate developers"
copyright = "2026, the headgate developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click", "live"]
html_theme = "furo"
html_title = "headgate"
exclude_patterns = ["_build", "jupyter_execute", "papers/_generated", "_generated", "_evidence"]
# The notebook runs when the documentation is built, and a cell that fails ends the build. It is stored without outputs.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpicky = False
# Options keep their two hyphens.
smartquotes = False
man_pages = [("reference/commands", "headgate", "simulates, measures and compares congestion control", [author], 1)]


def _refuse_stale(_: Sphinx) -> None:
    verdicts.check()


def _keep_colons(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """The text of a property as it stands: napoleon takes what is before its first colon for a type."""
    if what == "property":
        lines[:] = [*inspect.cleandoc(getattr(obj, "__doc__", None) or "").splitlines(), ""]


def setup(app: Sphinx) -> None:
    """Looks at the summaries before anything is built."""
    app.connect("builder-inited", _refuse_stale)
    app.connect("autodoc-process-docstring", _keep_colons, priority=900)
