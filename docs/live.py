"""Live examples in the documentation, and links to the explorer: an extension of Sphinx.

What it adds is hidden, and costs a page nothing but its text: `make site`, which puts the explorer beside the documentation, shows it and
adds the script (web/src/frames.ts) that loads an example when it is opened. So nothing is there that does not work.
"""

from __future__ import annotations

import hashlib
import html
import json

from docutils import nodes
from live_pages import LEADS, PAGES, all_examples, frame, lead, schemes
from sphinx.application import Sphinx
from sphinx.config import Config

from headgate.explore.lesson import lessons


def _insert(after: nodes.Element, text: str) -> None:
    parent = after.parent
    parent.insert(parent.index(after) + 1, nodes.raw("", text, format="html"))


def _first(section: nodes.Element, kind: type[nodes.Element]) -> nodes.Element:
    return next(each for each in section.children if isinstance(each, kind))


def _add(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    found = schemes(docname)
    if not found and docname not in {*PAGES, *LEADS}:
        return
    top = next(doctree.findall(nodes.section))
    sections = {section[0].astext(): section for section in doctree.findall(nodes.section)}
    for name, live in found.items():
        _insert(_first(sections[name], nodes.paragraph), frame(f"Try <code>{html.escape(name)}</code> here", live))
    if docname in PAGES:
        page = PAGES[docname]
        blocks = [each for each in doctree.findall(nodes.literal_block) if page.after and page.after in each.astext()]
        text = frame("Try it here", page.live(docname))
        _insert(blocks[0] if blocks else _first(top, nodes.paragraph), text)
    if docname == "lessons":
        for i, lesson in enumerate(lessons().values(), 1):
            title = f"{i}. {lesson.title}"
            words = ("Predict, and see it in your browser:", "open this lesson", f"#page=lessons&lesson={lesson.name}")
            _insert(_first(sections[title], nodes.paragraph), lead(docname, *words))
    if docname in LEADS:
        _insert(_first(top, nodes.paragraph), lead(docname, *LEADS[docname]))


def _fingerprint(app: Sphinx, config: Config) -> None:
    # Pages are written again where an example changes, though their text does not.
    text = json.dumps([[page, name, live.fragment()] for page, name, live in all_examples()] + [LEADS])
    config.live_examples = hashlib.sha256(text.encode()).hexdigest()


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the examples to pages of HTML."""
    app.add_config_value("live_examples", "", "html")
    app.connect("config-inited", _fingerprint)
    app.connect("doctree-resolved", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
