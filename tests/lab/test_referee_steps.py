"""Cases of steps: what is met and what not, rounds, and errors of cases and of flow controls."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import HeadgateError
from headgate.lab.frame.subjects import Judged, has, named
from headgate.lab.referee import judge, steps
from headgate.lab.referee.case import Case
from headgate.lab.referee.files import cases, made

RENO = Judged("reno", {"kind": "reno"})
SENT, ACK, LOSS = {"ev": "sent"}, {"ev": "ack", "rtt": "100ms"}, {"ev": "loss"}
ROUND = {"ev": "round", "rtt": "100ms"}


def case(*entries: dict[str, Any], **more: Any) -> Case:
    """A case of steps, each as its file has it."""
    return made({"title": "a", "source": "b", "steps": list(entries), **more}, "own", "own.case")


def step(do: dict[str, Any], times: int = 1, **more: Any) -> dict[str, Any]:
    """A step."""
    return {"do": do, "times": times, **more}


def windows(*entries: dict[str, Any], control: str = "reno", **more: Any) -> list[float]:
    """The window after each of these steps."""
    asked = [{**entry, "expect": {"cwnd": 0}} for entry in entries]
    return [found["value"] for found in steps.run(case(*asked, **more), {"kind": control})]


def test_how_far_steps_are_is_told() -> None:
    """Also within one case, whose rounds may take long: a fault in the share would be an estimate of nothing."""
    told: list[tuple[float, int, int]] = []
    rounds = case(step(ROUND, 4), step(SENT))
    judge(RENO, [rounds, rounds], workers=0, progress=lambda *far: told.append(far))
    shares = [share for share, _, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and {total for _, _, total in told} == {2}
    # Of five turns in each of two cases.
    assert {0.1, 0.2, 0.3, 0.4, 0.5, 0.6} <= {round(share, 3) for share in shares}
    assert [done for _, done, _ in told][-1] == 2


def test_a_window_is_that_of_the_events() -> None:
    # RFC 5681 from ten packets: one packet an acknowledgement, half after a loss, once.
    assert windows(step(SENT, 10), step(ACK), step(ACK, 4), step(LOSS), step(LOSS)) == [10, 11, 15, 7, 7]


def test_the_initial_window_is_ten_packets_or_that_of_the_case() -> None:
    assert windows(step(SENT)) == [10]
    assert windows(step(SENT), window=3) == [3]


def test_rounds_double_a_window_and_halve_no_time() -> None:
    # Two rounds of slow start, and then one packet a round trip: of 20 packets on a loss 10.
    assert windows(step(ROUND), step(ROUND), step(LOSS), step(ROUND), step(ROUND)) == [20, 40, 20, 20, 21]


def test_a_round_takes_a_round_trip() -> None:
    # An event at a time before that is refused, with the time in nanoseconds.
    with pytest.raises(HeadgateError, match="step 2: t: found 199999999; expected at least 200000"):
        windows(step({**ROUND, "rtt": "200ms"}), step({"ev": "sent", "t": 199_999_999}))
    assert windows(step({**ROUND, "rtt": "200ms"}), step({"ev": "sent", "t": "200ms"})) == [20, 20]


def test_a_round_sends_no_more_than_the_window_allows() -> None:
    # Of 20 packets out after the first round and a loss, 19 are acknowledged, and clock out new ones once fewer than ten are out.
    assert windows(step(ROUND), step(LOSS), step(ROUND), step({**ACK, "n": 10})) == [20, 10, 10, 10]
    with pytest.raises(HeadgateError, match="outstanding"):
        windows(step(ROUND), step(LOSS), step(ROUND), step({**ACK, "n": 11}))


def test_an_acknowledgement_of_several_packets_counts_them_all() -> None:
    # Reno counts acknowledgements. Then nothing is out, a round sends and acknowledges eleven packets, and 22 are out.
    assert windows(step(SENT, 10), step({**ACK, "n": 10}), step(ROUND), step({**ACK, "n": 22})) == [10, 11, 22, 23]


def test_a_round_without_use_does_not_open_the_window() -> None:
    assert windows(step({**ROUND, "limited": False}, 3), step(ROUND)) == [10, 20]


def test_repeated_steps_are_apart_by_their_time() -> None:
    found = step(SENT, 5, every="10ms")
    assert windows(found, step({"ev": "sent", "t": "40ms"})) == [10, 10]
    with pytest.raises(HeadgateError, match="step 2"):
        windows(found, step({"ev": "sent", "t": "39ms"}))


@pytest.mark.parametrize(
    ("wanted", "met"),
    [(10, True), (10.1, False), ({"at_least": 10}, True), ({"at_least": 10.1}, False), ({"at_most": 10}, True),
     ({"at_most": 9.9}, False), ({"at_least": 9, "at_most": 11}, True), ({"at_least": 11, "at_most": 12}, False), ("none", False)],
)  # fmt: skip
def test_an_expectation_is_met_within_its_bounds(wanted: Any, met: bool) -> None:
    (found,) = steps.run(case(step(SENT, expect={"cwnd": wanted})), RENO.table)
    assert (found["step"], found["value"], found["met"]) == (1, 10, met)


def test_a_threshold_is_none_before_the_first_loss() -> None:
    found = steps.run(
        case(
            step(SENT, expect={"ssthresh": "none"}),
            step(LOSS, expect={"ssthresh": "none"}),
            step(SENT, expect={"ssthresh": 5}),
        ),
        RENO.table,
    )
    assert [entry["met"] for entry in found] == [True, False, True]
    assert steps.words(found[1]) == "step 2: ssthresh is 5; expected none"
    assert steps.words({**found[0], "wanted": 3}) == "step 1: ssthresh is none; expected 3"


def test_a_verdict_names_the_first_step_that_is_not_met() -> None:
    wrong = case(
        step(SENT, 10), step(ACK, expect={"cwnd": 11}), step(ACK, expect={"cwnd": 11}), step(ACK, expect={"cwnd": 0})
    )
    (entry,) = judge(RENO, [wrong]).entries
    assert (entry.verdict, entry.why, entry.nulls) == (
        "fail",
        "step 3: cwnd is 12; expected 11",
        {"fixed": "fail"},
    )
    assert [found["met"] for found in entry.steps] == [True, False, False]


def test_what_a_fixed_window_passes_is_weak() -> None:
    (entry,) = judge(RENO, [case(step(SENT, expect={"cwnd": 10}))]).entries
    assert entry.verdict == "pass" and entry.weak
    (entry,) = judge(RENO, [case(step(SENT, expect={"cwnd": 10}), step(ACK, expect={"cwnd": 11}))]).entries
    assert (entry.verdict, entry.nulls) == ("pass", {"fixed": "fail"})
    (entry,) = judge(RENO, [case(step(ROUND, expect={"cwnd": 20}), origin="derived")]).entries
    assert (entry.verdict, entry.weak, entry.origin) == ("pass", False, "derived")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (step({"ev": "send"}), "unknown variant `send`"),
        (step({"ev": "ack", "rtt": "fast"}), "found 'fast'; expected a time such as '40ms'"),
        (step({"ev": "sent", "t": [1]}), r"found \[1\]; expected a time"),
        (step({"ev": "round"}), "expected of a round `rtt`"),
        (step({"ev": "round", "rtt": "0s"}), "expected of a round `rtt`"),
        (step({**ROUND, "n": 3}), "expected of a round `rtt`"),
        (step({**ROUND, "limited": 3}), "expected of a round `rtt`"),
        (step(ACK), "expected a packet that is outstanding"),
        (step({"ev": "loss", "n": 3}), "found 3; expected at most 0"),
        (step(SENT, expect={"rate": 3}), "found 'rate'; expected one of t, cwnd, ssthresh, pacing"),
        (step(SENT, every="soon"), "every: found 'soon'; expected a time"),
    ],
)
def test_a_wrong_step_is_named(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(HeadgateError, match=f"own.case: step(s.1.|s? 2: .*){words}"):
        judge(RENO, [case(step({"ev": "app_limited"}), entry)])


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"do": 3}, "steps.0.do: found 3; expected a table"),
        ({"do": SENT, "times": 0}, "steps.0.times: found 0; expected a number greater than or equal to 1"),
        ({"do": SENT, "expect": {"cwnd": {"least": 3}}}, "steps.0.expect: cwnd: found"),
        ({"do": SENT, "expect": {"cwnd": "any"}}, "steps.0.expect: cwnd: found"),
        ({"do": SENT, "wait": 3}, "steps.0.wait: found an unknown key"),
    ],
)
def test_a_wrong_file_is_named(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(HeadgateError, match=f"own\\.case: {words}"):
        case(entry)


def test_a_case_needs_a_word_of_the_list() -> None:
    with pytest.raises(HeadgateError, match=r"own\.case: needs.0: found 'windows'; expected 'ecn'"):
        case(step(SENT), needs=["windows"])
    with pytest.raises(HeadgateError, match="--declares: found 'reno'; expected one of ecn"):
        named("reno", "control", declares=("reno",))


def test_who_has_which_window() -> None:
    words = ("reno-window", "cubic-window", "tcp-window", "bbr")
    kinds = {
        kind: [has(Judged(kind, {"kind": kind}), word) for word in words]
        for kind in ("newreno", "cubic_linux", "bbr3", "aimd")
    }
    assert kinds == {"newreno": [True, False, True, False], "cubic_linux": [False, True, True, False],
                     "bbr3": [False, False, False, True], "aimd": [False] * 4}  # fmt: skip
    declared = named("aimd", "control", declares=("reno-window",))
    assert [has(declared, word) for word in words] == [True, False, True, False]


def test_a_control_without_a_window_has_no_verdict() -> None:
    (entry,) = judge(Judged("netblt", {"kind": "netblt"}), [case(step(SENT, expect={"cwnd": 10}))]).entries
    assert entry.verdict == "n/a" and "with a window" in entry.why
    (entry,) = judge(
        Judged("vegas", {"kind": "vegas"}), [case(step(SENT, expect={"cwnd": 3}), needs=["reno-window"])]
    ).entries
    assert (entry.verdict, entry.why) == ("n/a", "the subject has no reno-window")


BROKEN = '''
import headgate


@headgate.control("broken_{0}")
class Broken:
    """Wrong."""

    def on_ack(self, ack):
        {1}
'''


@pytest.mark.parametrize(
    ("own", "line", "words"),
    [
        ("raises", "raise ValueError('no')", "step 2: on_ack: .*no"),
        ("none", "self.window = 0", "step 2: on_ack: .*window"),
        ("open", "self.window *= 50", "step 3: found a window of .*; expected at most 20000"),
    ],
)
def test_a_control_that_fails_is_invalid(tmp_path: Path, own: str, line: str, words: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(BROKEN.format(own, line))
    played = case(step(SENT), step(ACK, expect={"cwnd": 10}), step(ROUND, 3))
    (entry,) = judge(named(str(file), "control"), [played]).entries
    assert entry.verdict == "invalid"
    assert re.search(words, entry.why), entry.why


COUNTS = '''
import headgate


@headgate.control("counts_losses")
class Counts:
    """The window is ten packets and those that acknowledgements said were lost."""

    def on_start(self, window):
        self.window = window

    def on_ack(self, ack):
        self.window += ack.lost
'''


def test_an_acknowledgement_tells_of_the_losses_before_it_once(tmp_path: Path) -> None:
    """As in a run, where an acknowledgement shows them; those of a timeout are told by the timeout."""
    (tmp_path / "counts.py").write_text(COUNTS)
    played = case(
        step(SENT, 10), step(ACK, expect={"cwnd": 10}), step(LOSS, 3), step(ACK, expect={"cwnd": 13}),
        step(ACK, expect={"cwnd": 13}), step({"t": "5s", "ev": "loss", "timeout": True}), step(ACK, expect={"cwnd": 13}),
    )  # fmt: skip
    (entry,) = judge(named(str(tmp_path / "counts.py"), "control"), [played]).entries
    assert entry.verdict == "pass", entry.why


def test_the_transport_of_a_table_is_that_of_its_flows() -> None:
    from headgate.lab.referee.build import scenario

    own = {
        "title": "a",
        "source": "b",
        "line": {"rate": "1Mbit/s"},
        "flows": [{"transport": {"ecn": "off"}}],
        "report": ["loss"],
    }
    subject = named(json.dumps({"kind": "cubic", "transport": {"min_timeout": "1ms"}}), "control")
    flow = json.loads(scenario(made(own, "own", "own.case"), {}, subject)[0].to_json())["flows"][0]
    assert flow["control"] == {"kind": "cubic"}
    assert flow["transport"] == {"preset": "linux", "ecn": "off", "min_timeout": "1ms"}
    with pytest.raises(HeadgateError, match="transport: found 3; expected a table"):
        named('{"kind": "cubic", "transport": 3}', "control")


def test_a_subject_with_other_parameters_is_not_its_baseline() -> None:
    own = {"title": "a", "source": "b", "duration": "3s", "line": {"rate": "5Mbit/s", "buffer": "20pkt"}, "flows": [{}],
           "better_than": [{"metric": "loss", "baseline": "cubic"}]}  # fmt: skip
    (entry,) = judge(
        Judged("cubic", {"kind": "cubic", "beta": 0.3}), [made(own, "own", "own.case")], fresh=True, workers=0
    ).entries
    assert entry.value != entry.baseline_value


def test_the_cases_of_steps_say_what_reno_and_cubic_do() -> None:
    chosen = cases("steps")
    assert len(chosen) >= 30 and all(played.steps for played in chosen)
    for kind, fails in (
        ("reno", []),
        ("newreno", []),
        ("sack", []),
        ("cubic", []),
        ("cubic_linux", ["s-25", "s-28"]),
        ("bbr3", []),
    ):
        report = judge(Judged(kind, {"kind": kind}), chosen)
        assert [entry.case for entry in report.entries if entry.verdict == "fail"] == fails, kind
        assert not [entry.case for entry in report.entries if entry.weak], kind
