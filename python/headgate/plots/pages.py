"""Pages: templates with the style of all reports."""

from __future__ import annotations

import re
from importlib import resources
from importlib.util import find_spec

from ..base.errors import missing_extra


def render(template: str, package: str, **values: object) -> str:
    """A page made of a template of a package, with the style of all reports."""
    from jinja2 import Environment
    from markupsafe import Markup, escape

    def text(package: str, file: str) -> str:
        return resources.files(package).joinpath(file).read_text("utf-8")

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    # Notes and claims have names of code between backticks.
    environment.filters["code"] = lambda text: Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
    style = Markup(text(__package__, "style.css"))
    return environment.from_string(text(package, template)).render(style=style, **values)


def require_extras() -> None:
    """Whether a report can be written, asked before long work.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    for library in ("jinja2", "matplotlib"):
        if find_spec(library) is None:
            raise missing_extra("a report", library, "plots")
