"""Our disciplines beside the queue discs of ns-3, packet by packet or over many seeds: see tests/oracle/README.md."""

import json
import sys
import tomllib
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import pyarrow as pa
import pytest

import headgate

HERE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(HERE))
from arrivals import STREAMS  # noqa: E402

TABLE = tomllib.loads((HERE / "queues.toml").read_text())
CASES = {case["name"]: case for case in TABLE["case"]}
EXACT = [name for name, case in CASES.items() if not case.get("random") and not case.get("roots")]
RANDOM = [name for name, case in CASES.items() if case.get("random")]
RATE = 10_000_000
MS = 1_000_000


def gold(name: str) -> dict:
    """What ns-3 did."""
    found = json.loads((HERE / "gold" / "queues" / f"{name}.json").read_text())
    assert found["package"] == TABLE["oracle"]["ns3"]["package"]
    assert found["stream"] == CASES[name]["stream"]
    return found


@cache
def trace(stream: str) -> pa.Table:
    """The arrivals as a table."""
    times, flows, sizes, capable = zip(*STREAMS[stream], strict=True)
    return pa.table(
        {
            "time_s": pa.array(times, pa.duration("ns")),
            "flow": [str(flow) for flow in flows],
            "size_bytes": sizes,
            "ecn": [2 * each for each in capable],
        }
    )


def ours(stream: str, queue: dict, seed: int = 1) -> dict:
    """What ours does, in the form of a gold file, with the mean wait in microseconds."""
    packets = headgate.replay(trace(stream), queue, f"{RATE}bit/s", seed=seed).packets()
    gone, marks = [list(map(bool, packets[name])) for name in ("dropped", "marked")]
    starts = [round(float(at) * 1e9) if not lost else None for at, lost in zip(packets["start_s"], gone, strict=True)]
    order = sorted((at, n) for n, at in enumerate(starts) if at is not None)
    dropped = [n for n, lost in enumerate(gone) if lost]
    waits = [at - STREAMS[stream][n][0] for at, n in order]
    return {
        "dropped": dropped,
        "at": [round(float(packets["drop_s"][n]) * 1e9) for n in dropped],
        "marked": [n for n, mark in enumerate(marks) if mark],
        "order": [n for _, n in order],
        "numbers": [len(dropped), sum(marks), sum(waits) / len(waits) / 1000],
    }


def first_difference(name: str, queue: dict) -> str:
    """What differs first, or nothing."""
    case, theirs = CASES[name], gold(name)
    mine = ours(case["stream"], queue)
    theirs["order"] = theirs["order"] or sorted(set(range(len(STREAMS[case["stream"]]))) - set(theirs["dropped"]))
    until = case.get("until", len(STREAMS[case["stream"]]))
    for what in ("dropped", "marked", "order"):
        a, b = ([n for n in each[what] if n < until] for each in (mine, theirs))
        # Beyond the last packet that is compared the order may differ.
        if a != b:
            return f"{what}: ours {[x for x in a if x not in set(b)][:5]}, ns-3 {[x for x in b if x not in set(a)][:5]}"
    apart = [
        n for n, a, b in zip(theirs["dropped"], mine["at"], theirs["at"], strict=False) if n < until and abs(a - b) > 1
    ]
    return f"times of the drops of {apart[:5]}" if apart else ""


@pytest.mark.parametrize("name", EXACT)
def test_each_packet_meets_the_same(name: str):
    assert first_difference(name, CASES[name]["ours"]) == "", CASES[name]["why"]
    theirs = gold(name)
    assert len(theirs["dropped"]) + len(theirs["marked"]) > 30


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("codel-bursts", {"target": "2ms"}),
        ("codel-bursts", {"interval": "41ms"}),
        ("codel-bursts", {"max_packet": "60000B"}),
        ("codel-bursts-marks", {"mark": False}),
        ("cobalt-phases", {"at_once": True}),
        ("cobalt-phases", {"max_packet": "1514B", "target": "3ms"}),
        ("drr_plus_plus", {"quantum": "1400B"}),
        ("drr_plus_plus", {"drop_batch": 8}),
        ("drr_plus_plus", {"buffer": "61pkt"}),
        ("drr_plus_plus-small", {"drop_batch": 5}),
        ("drr_plus_plus-small", {"kind": "drr"}),
        ("fq_cobalt", {"aqm": {"kind": "codel"}}),
    ],
)
def test_another_parameter_is_noticed(name: str, wrong: dict):
    queue = CASES[name]["ours"] | wrong
    if wrong.get("kind") == "drr":
        queue = {"kind": "drr", "buffer": queue["buffer"], "quantum": queue["quantum"]}
    assert first_difference(name, queue)


def pseudocode(stream: str, steps: bool) -> list[int]:
    """The packets that RFC 8289's pseudocode drops (section 5.5), with the root of the count or Linux's steps of Newton's method to it.

    These have 16 bits, and the clock then has 1024 ns. It is written apart from both, for one queue of packets of `max_packet` each.
    """
    unit = 1024 if steps else 1
    target, interval = 5 * MS // unit, 100 * MS // unit
    packets, now, head = STREAMS[stream], 0, 0
    above, next_drop, count, last, dropping, root = 0, 0, 0, 0, False, 0xFFFF
    dropped: list[int] = []

    def pause() -> int:
        return interval * root >> 16 if steps else round(interval / sqrt(count))

    def root_of(present: int) -> int:
        """A step towards the reciprocal of the root of the count."""
        three = (3 << 32) - count * present * present
        return (present * (three >> 2) >> 31) & 0xFFFF

    def meet() -> bool:
        """Whether the packet at the head has waited too long, as all have for an interval; `above` is when that will be."""
        nonlocal above
        after = sum(1 for k in range(head + 1, min(head + 3, len(packets))) if packets[k][0] < now)
        if now // unit - packets[head][0] // unit < target or after < 2:
            above = 0
            return False
        if above == 0:
            above = now // unit + interval
            return False
        return now // unit > above if steps else now >= above

    while head < len(packets):
        now = max(now, packets[head][0])
        ok = meet()
        dropping = dropping and ok
        if dropping:
            while dropping and now // unit >= next_drop:
                dropped.append(head)
                head, count = head + 1, count + 1
                root = root_of(root)
                dropping = meet()
                if dropping:
                    next_drop += pause()
        elif ok:
            dropped.append(head)
            head += 1
            meet()
            dropping, more = True, count - last
            count, again = (more, True) if more > 1 and now // unit - next_drop < 16 * interval else (1, False)
            root = root_of(root) if again else 0xFFFF
            last, next_drop = count, now // unit + pause()
        now += round(packets[head][2] * 8e9 / RATE) if head < len(packets) else 0
        head += 1
    return dropped


def test_codel_differs_by_the_root_of_the_count_alone():
    case = CASES["codel-phases"]
    mine, theirs = ours(case["stream"], case["ours"])["dropped"], gold("codel-phases")["dropped"]
    assert mine[:2] == theirs[:2] and mine[2] != theirs[2]
    assert pseudocode(case["stream"], steps=False) == mine
    assert pseudocode(case["stream"], steps=True) == theirs
    assert len(mine) > 100


def apart(name: str, queue: dict) -> list[str]:
    """Which means over the runs are too far from those of ns-3."""
    case, theirs = CASES[name], gold(name)["runs"]
    mine = [ours(case["stream"], queue, seed)["numbers"] for seed in range(1, len(theirs) + 1)]
    found = []
    for what, a, b in zip(("drops", "marks", "wait"), zip(*mine, strict=True), zip(*theirs, strict=True), strict=True):
        error = sqrt((stdev(a) ** 2 + stdev(b) ** 2) / len(a))
        if abs(mean(a) - mean(b)) > 4 * error + case.get(what, 0) * mean(b):
            found.append(f"{what}: ours {mean(a):.2f}, ns-3 {mean(b):.2f}, standard error {error:.2f}")
    return found


@pytest.mark.parametrize("name", RANDOM)
def test_means_over_seeds_are_those_of_ns3(name: str):
    assert apart(name, CASES[name]["ours"]) == [], CASES[name]["why"]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("red", {"max_p": 0.15}),
        ("pie", {"alpha": 0.25}),
        ("pie", {"target": "12ms"}),
        ("pie-burst", {"target": "8ms"}),
        ("pie-derandomised", {"derandomise": False}),
        ("pie-marks", {"mark_threshold": 0.3}),
        ("fq_pie", {"aqm": {"kind": "pie", "max_burst": "0s", "beta": 2.5}}),
    ],
)
def test_another_parameter_has_other_means(name: str, wrong: dict):
    assert apart(name, CASES[name]["ours"] | wrong)
