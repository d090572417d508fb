"""The settings beside the text alone of hasegawa2001: how many runs an outcome rests on, and what they change."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from headgate.papers import build, load
from headgate.papers.hasegawa2001 import settings


@pytest.mark.parametrize(("others", "due"), [([3, 3, 0], 4), ([3, 2], 3), ([5], 4), ([0, 0], 1), ([], 1)])
def test_variants_that_are_traces_take_no_run_from_the_others(others: list[int], due: int) -> None:
    runs = SimpleNamespace(item=SimpleNamespace(seeds=3), seeds={str(k): [None] * n for k, n in enumerate(others)})
    assert settings.runs_each(runs) == due  # type: ignore[arg-type]


def test_settings_change_what_they_name_and_nothing_else() -> None:
    item = load.load_paper("hasegawa2001").item("figures")
    text = build.build_scenario(item, item.variant("DRR Vegas 400"))
    both = build.build_scenario(item, item.variant("both DRR Vegas 400"))
    changed = {**both, "name": text["name"], "duration": text["duration"], "interval": text["interval"]}
    assert changed["links"][-1]["queue"].pop("quantum") == "250B"
    assert text["links"][-1]["queue"].pop("quantum") == "2KB"
    assert [link.pop("jitter", None) for link in changed["links"]] == [{"mean": "20ms"}] * 4 + [None]
    assert changed == text
    reverse = build.build_scenario(item, item.variant("jitter reverse RED Reno 400"))
    assert [link["name"] for link in reverse["links"] if "jitter" in link] == [f"subscriber{i}" for i in (1, 2, 3, 4)]
