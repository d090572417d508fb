"""What was decided about single packets as they arrived and as they left, as the page of a packet tells it."""

from __future__ import annotations

import pytest

from ..explorer import Page, scenario
from ..explorer import page as page
from .test_explore_packets import numbers_of, queue


def test_a_drop_at_departure_is_told_with_the_numbers_of_the_departure(page: Page) -> None:
    """Under CoDel, by the rule itself and with it on each queue of a scheduler."""
    for links in (queue("codel", buffer="60pkt"), queue("drr", aqm={"kind": "codel"})):
        run = page.run(scenario(links=links))["run"]
        drops = page.get(f"/api/run/{run}/packets", port="slow", kind="drop", limit=50).json()["packets"]
        dropped = [p for p in drops if p["reason"] == "sojourn"]
        assert len(dropped) > 3
        for packet in dropped:
            way = page.get(f"/api/run/{run}/packet/slow/{packet['id']}").json()
            arrival, departure = way["decision"]["taken"]
            assert (arrival["moment"], arrival["at"], arrival["decision"]) == ("arrival", packet["arrived"], "queued")
            assert (departure["moment"], departure["at"]) == ("departure", packet["dropped"])
            assert (departure["decision"], departure["reason"]) == ("dropped", "sojourn")
            numbers = numbers_of(way, "departure")
            assert numbers["sojourn"]["value"] == pytest.approx(packet["dropped"] - packet["arrived"])
            assert numbers["above target"]["value"] >= numbers["interval"]["value"] == pytest.approx(0.1)
            assert numbers["left behind"]["value"] > numbers["max packet"]["value"] == 1500
            assert numbers.get("next signal", {"value": 0})["value"] <= 0
            assert "sojourn" not in numbers_of(way, "arrival")
            assert "held" in numbers_of(way, "arrival")
            assert "as it was about to leave" in way["decision"]["rule"]
            place = way["story"].index("So it was dropped as it left.")
            assert any("at least the interval of 100 ms" in line for line in way["story"][:place])
            assert not any("to make room" in line for line in way["story"])
        # One that was sent passed both moments, and says why it was sent.
        sent = page.get(f"/api/run/{run}/packets", port="slow", kind="all", limit=200).json()["packets"]
        told = [
            page.get(f"/api/run/{run}/packet/slow/{p['id']}").json()
            for p in sent[::9]
            if p["reason"] is None and p["left"]
        ]
        for way in told:
            assert [t["decision"] for t in way["decision"]["taken"]] == ["queued", "sent"]
            assert any(line.startswith("It had waited") for line in way["story"])
            assert "So it was dropped as it left." not in way["story"]


def test_a_mark_has_its_moment(page: Page) -> None:
    flows = [{**flow, "control": {"kind": "dctcp"}} for flow in scenario()["flows"]]
    red = {"buffer": "60pkt", "min_threshold": "2pkt", "max_threshold": "9pkt", "max_p": 0.2, "weight": 0.1}
    for kind, more, moment in (("codel", {}, "departure"), ("red", red, "arrival")):
        run = page.run(scenario(links=queue(kind, mark=True, **more), flows=flows))["run"]
        packets = page.get(f"/api/run/{run}/packets", port="slow", kind="all", limit=1000).json()["packets"]
        marked = [p for p in packets if p["marked"] and p["left"]]
        assert marked
        for packet in marked[:9]:
            way = page.get(f"/api/run/{run}/packet/slow/{packet['id']}").json()
            assert [t["moment"] for t in way["decision"]["taken"] if t["decision"] == "marked"] == [moment]
            assert f"as it {'left' if moment == 'departure' else 'arrived'}." in " ".join(way["story"])
