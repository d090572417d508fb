"""The texts of variants are those of their scenarios, whether they are put together of pieces or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

import headgate
from headgate.sweep.texts import Texts

from ..studies import study

PUT_TOGETHER: list[dict[str, Any]] = [
    {"axes": {"links.slow.rate": ["40kbit/s", "80kbit/s"]}},
    {"axes": {"flows.*.weight": [3, 5], "links.fast.delay": ["1ms", "2ms"], "warm_up": ["10s", "11s"]}},
    {"axes": {"flows.*.weight": [1, 2], "links.slow.queue": [{"kind": "fq", "buffer": "9pkt"}, "fcfs"]}},
    {"zip": [{"name": "both", "links.slow.rate": ["40kbit/s", "80kbit/s"], "links.fast.rate": ["1Mbit/s", "2Mbit/s"]}]},
    {"cases": {"load": {"low": {"flows.0.start": "2s"}, "high": {"flows.0.start": "1s"}}}},
    {"axes": {"links.slow.loss": [0.1, 0.25]}},
    {"axes": {"links.*.rate": ["40kbit/s", "80kbit/s"], "links.slow.rate": ["50kbit/s", "60kbit/s"]}},
]
WHOLE: list[dict[str, Any]] = [
    # Through another path, the same place twice, places that differ, names and what is replaced anyway.
    {"axes": {"links.slow.queue": ["fcfs", "fq"], "links.slow.queue.buffer": ["9pkt", "20pkt"]}},
    {"axes": {"flows.*.weight": [1, 2], "flows.ftp{i}.weight": [3, 4]}},
    {"cases": {"which": {"rate": {"links.slow.rate": "40kbit/s"}, "delay": {"links.slow.delay": "5ms"}}}},
    {"axes": {"links.slow.name": ["slow", "lazy"], "links.fast.rate": ["1Mbit/s", "2Mbit/s"]}},
    {"axes": {"name": ["a", "b"]}},
    {"replications": 2},
]


@pytest.mark.parametrize("changed", [{}, {"name": "", "description": "", "seed": 0}], ids=["as it is", "changed"])
@pytest.mark.parametrize(
    ("table", "pieces"), [*((t, True) for t in PUT_TOGETHER), *((t, False) for t in WHOLE)], ids=lambda x: str(x)[:60]
)
def test_a_text_is_that_of_the_scenario(table: dict[str, Any], pieces: bool, changed: dict[str, Any]) -> None:
    variants = headgate.Sweep.of(headgate.Scenario(study(table, description='a "b" \\ ä'), "a.toml"))._variants
    texts = Texts(variants, changed)
    wanted = [json.dumps({**variants.data(v), **changed}) for v in range(len(variants))]
    assert [texts.of(v) for v in range(len(variants))] == wanted
    if table != WHOLE[4] or changed:
        assert bool(texts._between) == pieces


def test_a_text_like_a_mark_is_no_mark() -> None:
    table = {"axes": {"links.slow.rate": ["40kbit/s", "80kbit/s"]}}
    for description in ("\0", "\0000 0\0", "\0000 1\0"):
        variants = headgate.Sweep.of(headgate.Scenario(study(table, description=description), "a.toml"))._variants
        assert [Texts(variants).of(v) for v in range(2)] == [json.dumps(variants.data(v)) for v in range(2)]
