"""Beyond Hasegawa et al. 2001: what the variants are, and predictions that can fail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from headgate.papers import build, load
from headgate.papers.beyond import subscribers
from headgate.papers.claims import Claim, Runs, claims_of

PAPER = load.load_paper("beyond")
ITEM = PAPER.item("subscribers")

#: Throughput over input link that a made-up run gives, by the beginning of its variant's name.
WORLD = {
    "RED": [0.88, 0.74, 0.48, 0.25],
    "FIFO": [0.87, 0.74, 0.48, 0.24],
    "enhanced RED": [0.5, 0.5, 0.45, 0.4],
    "DRR": [0.5, 0.45, 0.42, 0.38],
    "DRR+": [0.45, 0.44, 0.42, 0.4],
    "SACK DRR": [0.42, 0.42, 0.42, 0.41],
}


def made_up(**faults: list[float]) -> Runs:
    """Runs in which each variant gives what its discipline does, but for those that `faults` names."""
    base = {}
    for variant in ITEM.variants:
        what, queue = variant.name.rsplit(" ", 1)[0], ""
        queue = next(q for q in sorted(WORLD, key=len, reverse=True) if what.endswith(q))
        got = next((v for k, v in faults.items() if what == k.replace("_", " ")), WORLD[queue])
        prefixes = ("up", "down") if what.startswith("both ways") else ("c",)
        names = [f"{p}{bw}{'-1' if p == 'c' else ''}" for p in prefixes for bw in subscribers.INPUTS]
        flows = {"flow": np.array(names, dtype=object), "goodput_of_weight_bps": 64e3 * np.array(got * len(prefixes))}
        base[variant.name] = SimpleNamespace(table=lambda _, flows=flows: flows)
    return cast("Runs", SimpleNamespace(base=base, seeds={}))


def claim(name: str) -> Claim:
    return next(c for c in claims_of(PAPER) if c.id == name)


@pytest.mark.parametrize("name", [f"S{i}" for i in range(1, 9)])
def test_predictions_hold_where_the_world_is_as_predicted(name: str) -> None:
    holds, text = claim(name).test(made_up())
    assert holds, text


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("S1", {"200_RED": [0.88, 0.74, 0.48, 0.4]}),
        ("S2", {"200_FIFO": [0.96, 0.9, 0.4, 0.1]}),
        ("S3", {"20_DRR+": [0.9, 0.4, 0.4, 0.4]}),
        ("S4", {"starts_DRR": [0.9, 0.4, 0.4, 0.4]}),
        ("S5", {"SACK_DRR": [0.5, 0.45, 0.42, 0.38]}),
        ("S6", {"CUBIC_RED": [0.45, 0.44, 0.42, 0.4]}),
        ("S7", {"CUBIC_enhanced RED": [0.96, 0.9, 0.4, 0.1]}),
        ("S8", {"both_ways_DRR": [0.96, 0.9, 0.4, 0.1]}),
    ],
)
def test_a_planted_fault_is_noticed(name: str, faults: dict[str, Any]) -> None:
    assert not claim(name).test(made_up(**faults))[0]


def test_the_networks_are_the_papers_with_more_connections() -> None:
    build.check_items(PAPER, [ITEM])
    for n in (20, 200):
        scenario = build.build_scenario(ITEM, ITEM.variant(f"{n} RED 400"))
        counts = {f["name"]: (f["count"], f["weight"]) for f in scenario["flows"]}
        assert sorted(counts.values()) == [(n // 4, w) for w in (1, 2, 4, 8)]
        line = next(link for link in scenario["links"] if link["name"] == "line")
        assert (line["rate"]["forward"], line["queue"]["buffer"]) == (f"{100 * n}kbit/s", f"{15 * n}KB")
        assert (line["queue"]["min_threshold"], line["queue"]["max_p"]) == (f"{2.5 * n:.0f}KB", 0.02)
    sack = build.build_scenario(ITEM, ITEM.variant("SACK DRR 560"))
    assert {f["transport"]["recovery"] for f in sack["flows"]} == {"sack"}
    starts = build.build_scenario(ITEM, ITEM.variant("starts RED 400"))
    assert {f["start_spread"] for f in starts["flows"]} == {"2500s"} and starts["warm_up"] == "2500s"
