"""What the explorer counts of papers, and which of our values stands beside a number of sources that are alike."""

from __future__ import annotations

from .test_explore_papers import reproduced, showing


def test_the_list_counts_printed_numbers_and_others_apart() -> None:
    shown = showing(reproduced("demers1989", "scenario-4", "scenario-5"))
    try:
        (paper,) = shown.get("/api/papers").json()["papers"]
        of = {
            item["name"]: [{c["verdict"]: c["count"] for c in item[k]} for k in ("numbers", "others")]
            for item in paper["items"]
        }
        # Scenario 5 is known from another copy of the paper only.
        assert sum(of["scenario-4"][0].values()) == 32 and of["scenario-4"][1] == {}
        assert of["scenario-5"][0] == {} and sum(of["scenario-5"][1].values()) == 48
    finally:
        shown.explorer.runs.close()


def test_a_number_of_sources_that_are_alike_shows_ours_of_the_same_rank() -> None:
    reproduction = reproduced("demers1989", "scenario-2")
    shown = showing(reproduction)
    try:
        tables = shown.get("/api/papers/item", paper="demers1989", item="scenario-2").json()["tables"]
        ours = {n["number"]: n["ours"] for table in tables for n in table["numbers"]}
        numbers = reproduction.items[0].numbers
        ranked = [
            k
            for k, n in enumerate(numbers)
            if n.same_rank is not None and n.same_rank != n.ours.mean and n.judgement.tested
        ]
        assert ranked
        assert {k for k, text in ours.items() if text.endswith("§")} == set(ranked)
    finally:
        shown.explorer.runs.close()
