"""The live examples of the documentation: each scheme and each how-to has one or says why not, and each of them runs."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from headgate.base.catalogue import catalogue
from headgate.explore.controls import controls
from headgate.explore.lesson import lessons
from headgate.explore.page_scenario import prepared
from headgate.scenario.links import LONGEST, link_of, parts_of, scenario_in
from headgate.scenario.scenario import Scenario

from ..conftest import ROOT, of_docs

PAGES = of_docs("live_pages")
EXAMPLES = list(PAGES.all_examples())
IDS = [f"{page}-{name}" if name else page for page, name, _ in EXAMPLES]


def among(path: str, paths: tuple[str, ...]) -> bool:
    """As in web/src/controls.ts."""
    return any(path == each or (path.startswith(f"{each}.") and path != f"{each}.kind") for each in paths)


def shown(live: Any) -> list[dict[str, Any]]:
    return [each for each in controls(Scenario(live.scenario)) if among(each["path"], live.controls)]


def test_every_scheme_has_an_example() -> None:
    found = Counter((page, name) for page, name, _ in EXAMPLES if name)
    lists = ("aqms", "disciplines", "flow-controls")
    own = {(f"reference/{kind}", n) for kind in lists for n, entry in catalogue(kind).items() if not entry.plugin}
    assert set(found) == own and set(found.values()) == {1}
    for kind in lists:
        # The sections of a page are found by the names of the schemes.
        page = (ROOT / f"docs/reference/{kind}.md").read_text("utf-8")
        assert [line[4:-1] for line in page.splitlines() if line.startswith("## `")] == list(catalogue(kind))


def test_every_how_to_has_an_example_or_a_reason() -> None:
    how_tos = sorted(page.stem for page in (ROOT / "docs/how-to").glob("*.md"))
    having = [name.removeprefix("how-to/") for name in PAGES.PAGES if name.startswith("how-to/")]
    assert sorted([*having, *PAGES.WITHOUT]) == how_tos
    assert all(PAGES.WITHOUT.values())


@pytest.mark.parametrize(("page", "name", "live"), EXAMPLES, ids=IDS)
def test_an_example_runs_and_has_its_controls(page: str, name: str, live: Any) -> None:
    scenario = Scenario(live.scenario)
    assert len(parts_of(link_of(scenario))["s"]) < LONGEST / 100
    assert scenario_in(parts_of(f"#{live.fragment()}")["s"]) == live.scenario
    found = shown(live)
    if name:
        entry = catalogue(page.removeprefix("reference/"))[name]
        # No slider has a value that is not set, or a list.
        single = [p.name for p in entry.parameters if not isinstance(p.default, list | dict | None)]
        paths = {each["path"].removeprefix(f"{live.controls[0]}.").split(".")[0] for each in found}
        assert set(single) - paths == set() and paths <= {p.name for p in entry.parameters}
    else:
        for path in live.controls:
            assert any(among(each["path"], (path,)) for each in found), f"{path} is no control"
    flows = prepared(scenario).run(seed=1).flow_summaries()
    assert sum(flow.goodput_bps.mean > 0 for flow in flows) >= min(2, len(flows))


def test_examples_stand_behind_a_block_of_their_page() -> None:
    for name, page in PAGES.PAGES.items():
        text = (ROOT / f"docs/{name}.md").read_text("utf-8")
        blocks = text.split("```")[1::2]
        assert not page.after or any(page.after in block for block in blocks), name
    assert {"index", "lessons", "tutorial"} <= set(PAGES.LEADS)
    assert all((ROOT / f"docs/{name}.md").is_file() for name in PAGES.LEADS)


def test_the_lessons_are_found_by_their_titles() -> None:
    page = (ROOT / "docs/lessons.md").read_text("utf-8")
    assert all(f"\n## {i}. {lesson.title}\n" in page for i, lesson in enumerate(lessons().values(), 1))


def test_the_site_shows_what_is_hidden_elsewhere(tmp_path: Path) -> None:
    with patch.object(sys, "path", [str(ROOT / "web"), *sys.path]):
        import make_site  # type: ignore[import-not-found]
    page = tmp_path / "reference/aqms.html"
    page.parent.mkdir()
    plain = tmp_path / "plain.html"
    for file, parts in ((page, [PAGES.frame("codel", EXAMPLES[0][2])]), (plain, [])):
        led = PAGES.lead("index", *PAGES.LEADS["index"])
        file.write_text("\n".join(["<html><head></head><body>", *parts, led, "</body></html>"]), "utf-8")
    before = page.read_text("utf-8")
    assert before.count("<details") == before.count('<details class="live" hidden ') and "<script" not in before
    make_site.reveal(tmp_path)
    after = page.read_text("utf-8")
    assert "hidden" not in after and '<script type="module" src="../explore/assets/frames.js">' in after
    assert "hidden" not in plain.read_text("utf-8") and "<script" not in plain.read_text("utf-8")
