"""The referee: verdicts, runs that are kept, and the files of a report."""

import json
import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.base.errors import HeadgateError
from headgate.lab.frame.report import code
from headgate.lab.frame.subjects import Judged, named
from headgate.lab.referee import judge, outputs, shipped, verdict
from headgate.lab.referee.files import made
from headgate.lab.referee.page import answer
from headgate.lab.referee.report import CaseVerdict, RefereeReport, sentence

from ..own_plugins import control, headgate_command, put

CASE = {
    "title": "A small line",
    "source": "a test",
    "duration": "6s",
    "warm_up": "2s",
    "line": {"rate": "5Mbit/s", "rtt": "20ms", "buffer": "$buffer"},
    "flows": [{}],
    "cells": {"buffer": ["1BDP", "4BDP"]},
    "runs": 3,
    "must": [{"metric": "utilisation", "at_least": 0.9}],
    "must_not": [{"metric": "timeouts", "at_least": 1}],
    "better_than": [{"metric": "queueing_mean", "baseline": "cubic"}],
    "report": ["loss"],
}
TEXT = """title = "A small line"
source = "a test"
duration = "3s"
line = { rate = "5Mbit/s", rtt = "20ms", buffer = "2BDP" }
flows = [{}]
runs = 2
must = [{ metric = "utilisation", at_least = 0.5 }]
"""


def case(**changes):
    return made({**CASE, **changes}, "small", "small.case", "tests")


def of(report, kind, place="buffer 1BDP"):
    (entry,) = (entry for entry in report.entries if entry.kind == kind and entry.place == place)
    return entry


@pytest.fixture(scope="module")
def reno():
    return judge(named("reno", "control"), [case()], workers=2)


def test_a_control_is_judged_beside_trivial_senders_and_a_baseline(reno):
    assert [entry.kind for entry in reno.entries] == ["must", "must_not", "better_than", "report"] * 2
    must = of(reno, "must")
    assert must.verdict == "pass" and must.value[0] > 0.95 and must.range == (0.9, math.inf)
    # A sender that never listens fills the line as well; Reno has no timeouts, and it sends nothing again.
    assert must.nulls["unresponsive"] == "pass"
    assert of(reno, "must_not").nulls == {"fixed": "pass", "unresponsive": "pass"} and of(reno, "must_not").weak
    better = of(reno, "better_than")
    assert better.baseline == "cubic" and better.verdict in ("better", "same", "open") and better.baseline_value[0] > 0
    assert of(reno, "report").verdict == "report"
    assert code(answer(reno)) == 0
    assert reno.counts()["ours"]["pass"] == 4 and reno.counts()["than cubic"]
    assert reno.counts()["ours"]["weak"] == sum(entry.weak for entry in reno.entries) > 0


def test_equal_judgements_are_equal_with_any_number_of_processes(reno):
    again = judge(named("reno", "control"), [case()], workers=1)
    assert json.dumps(again.to_dict()) == json.dumps(reno.to_dict())


def test_a_control_that_does_not_use_its_line_fails():
    slow = judge(named('{"kind": "generic", "window": 2}', "control"), [case()], workers=1)
    assert of(slow, "must").verdict == "fail" and code(answer(slow)) == 1
    assert of(slow, "must").nulls["unresponsive"] == "pass"
    assert sentence(of(slow, "must")).startswith("small (buffer 1BDP): fail: utilisation is 0.")
    # The time in the queue is short: that alone would make it better than CUBIC.
    assert of(slow, "better_than").verdict == "better"


def test_against_itself_everything_is_the_same():
    own = judge(named("cubic", "control"), [case()], workers=1)
    assert {entry.verdict for entry in own.entries if entry.kind == "better_than"} == {"same"}


def test_runs_are_kept_and_not_made_again(tmp_path, monkeypatch):
    subject = named("reno", "control")
    first = judge(subject, [case()], out=tmp_path / "out", workers=1)
    kept = (tmp_path / "out/runs.jsonl").read_text().splitlines()
    # A run that was cut off by a sudden end is made again, the others are not.
    (tmp_path / "out/runs.jsonl").write_text("\n".join(kept[:-1]) + "\n" + kept[-1][:20])
    ran = []
    from headgate.lab.frame.jobs import Runner

    make = Runner.make

    def counted(self, jobs):
        jobs = list(jobs)
        ran.extend({job.key for job in jobs if self._store.get(job.key) is None and job.key not in self._made})
        make(self, jobs)

    monkeypatch.setattr(Runner, "make", counted)
    again = judge(subject, [case()], out=tmp_path / "out", workers=1)
    assert len(ran) == 1 and again.to_dict() == first.to_dict()
    # The rest of the broken line is still there.
    assert len((tmp_path / "out/runs.jsonl").read_text().splitlines()) == len(kept) + 1


def test_where_a_bound_is_open_more_runs_are_made(reno):
    mean, low, high = of(reno, "better_than").value
    assert low < mean < high
    line = [{"metric": "queueing_mean", "at_least": mean}]
    found = judge(named("reno", "control"), [case(must=line, must_not=[], better_than=[])], workers=2)
    one, other = (of(found, "must", f"buffer {buffer}") for buffer in ("1BDP", "4BDP"))
    assert (one.verdict, one.seeds) == ("open", 9) and other.seeds == 3 and other.verdict == "pass"
    assert code(answer(found)) == 0 and code(answer(found, strict=True)) == 1
    few = judge(named("reno", "control"), [case(must=line, must_not=[], better_than=[])], workers=2, more=False)
    assert of(few, "must").seeds == 3


def test_the_exit_code_knows_baselines(reno):
    worse = CaseVerdict("a", "", {}, "better_than", "loss", "worse", baseline="cubic")
    report = RefereeReport("x", [worse], [])
    assert [code(answer(report, no_worse_than=name)) for name in ("", "reno", "cubic")] == [0, 0, 1]


def test_a_folder_of_something_else_is_an_error(tmp_path):
    (tmp_path / "runs.jsonl").write_text("hello\n")
    with pytest.raises(HeadgateError, match=r"runs\.jsonl: expected runs, one a line"):
        judge(named("reno", "control"), [case()], out=tmp_path)


def test_a_fault_of_a_plugin_is_invalid(tmp_path):
    subject = named(str(put(tmp_path, control("        self.window = float('nan')"))), "control")
    found = judge(subject, [case()], workers=1)
    assert {entry.verdict for entry in found.entries} == {"invalid"} and code(answer(found)) == 1
    assert "window: found NaN" in found.entries[0].why or "window" in found.entries[0].why
    good = judge(
        named(str(put(tmp_path, control("        self.window = 40.0"), "good.py")), "control"), [case()], workers=1
    )
    assert of(good, "must").verdict == "pass"


def test_an_aqm_is_judged_in_its_queue():
    queue = case(
        judges="aqm", flows=[{"control": "cubic"}], better_than=[{"metric": "queueing_mean", "baseline": "fcfs"}]
    )
    found = judge(named("codel", "aqm"), [queue], workers=1)
    assert of(found, "better_than", "buffer 4BDP").verdict == "better"
    tail = judge(named("fcfs", "aqm"), [queue], workers=1)
    assert of(tail, "better_than", "buffer 4BDP").verdict == "same"
    assert set(of(found, "must").nulls) == {"drop-tail", "short"}


def test_what_a_case_needs():
    found = judge(named("reno", "control"), [case(needs=["bbr"])], workers=1)
    assert {(entry.verdict, entry.why) for entry in found.entries} == {("n/a", "the subject has no bbr")}


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8), st.floats(-5, 5), st.floats(0, 5))
def test_of_a_bound_and_its_opposite_one_holds_unless_both_are_open(values, least, width):
    most = least + width
    one, other = verdict.bound(values, least, most), verdict.bound(values, least, most, forbidden=True)
    assert (one, other) in {("pass", "fail"), ("fail", "pass"), ("open", "open")}


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=2, max_size=8), st.floats(0, 0.5))
def test_better_and_worse_are_each_others_mirror(pairs, zone):
    own, base = [a for a, _ in pairs], [b for _, b in pairs]
    more, less = verdict.better(own, base, "more", zone), verdict.better(own, base, "less", zone)
    assert {"better": "worse", "worse": "better"}.get(more, more) == less


def test_a_case_is_weak_if_trivial_senders_pass_all_of_it():
    def with_nulls(**nulls):
        return CaseVerdict("a", "", {}, "must", "loss", "pass", nulls=nulls)

    both, one = with_nulls(fixed="pass", unresponsive="pass"), with_nulls(fixed="pass", unresponsive="fail")
    other = with_nulls(fixed="fail", unresponsive="pass")
    for entries, weak in (([both], True), ([one], False), ([both, one], False), ([one, other], False), ([], False)):
        assert RefereeReport("x", entries, []).weak("a") is weak


def test_a_scenario_that_is_none_is_an_error():
    from headgate.lab.frame.jobs import Runner
    from headgate.lab.frame.part import Place
    from headgate.lab.frame.store import RunStore
    from headgate.lab.frame.work import RunJob

    with Runner(RunStore(), workers=1) as runner, pytest.raises(HeadgateError, match=r"x: .*duration"):
        runner.make([RunJob('{"name": "x", "flows": []}', 1, (), Place(1.0, 0.0, []))])


def test_missing_values_are_not_applicable():
    assert verdict.bound([None, None], 0, 1) == "n/a"
    assert verdict.better([None], [1.0], "more", 0.05) == "n/a"
    assert verdict.bound([None, 0.5], 0, 1) == "pass"


def failing():
    none, most = -math.inf, math.inf
    entries = [
        CaseVerdict(
            "a", "rate <1>", {}, "must", "loss", "fail", value=(0.1,) * 3, range=(none, 0.01), origin="document"
        ),
        CaseVerdict(
            "a", "rate <1>", {}, "must", "utilisation", "pass", value=(1,) * 3, range=(0.9, most), origin="ours"
        ),
        CaseVerdict("a", "", {}, "run", "", "invalid", why="bad \x00 & worse"),
        CaseVerdict("a", "", {}, "must", "jain", "open", value=(0.9, 0.8, 1.0), range=(0.9, most), origin="practice"),
    ]
    return RefereeReport("some <control>", entries, [case().model_copy(update={"name": "a"})])


def test_junit_has_a_test_for_each_verdict():
    from headgate.lab.referee import junit

    root = ET.fromstring(junit.text(failing()))
    (suite,) = root
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1"
    }  # fmt: skip
    assert [child.tag for test in suite for child in test] == ["failure", "system-out", "error", "skipped"]
    assert suite[2][0].get("message") == "a: invalid: bad ? & worse"


def test_the_badge_never_adds_lines_of_different_origins():
    from headgate.lab.referee import badge

    picture = ET.fromstring(badge.svg(failing()))
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["headgate referee: some <control>", "documents 0/1, others 1/1"]


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids, self.open = set(), set(), []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id"))
        self.links.update(v for k, v in attrs if k in ("href", "src"))
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_leads_to_its_evidence(tmp_path):
    subject = named('{"kind": "generic", "window": 2}', "control")
    report = judge(subject, [case()], workers=1)
    outputs.write(report, answer(report), subject, str(tmp_path))
    page = Links()
    page.feed((tmp_path / "index.html").read_text())
    assert page.open == []
    # The worst verdict of a cell stands for it.
    assert (tmp_path / "index.html").read_text().count(">F</a>") == 2
    files = {link for link in page.links if not link.startswith("#")}
    assert {link for link in page.links if link.startswith("#")} <= {f"#{name}" for name in page.ids}
    assert files == {f"index-files/small-{n}.{ending}" for n in (0, 1) for ending in ("toml", "svg")}
    assert all((tmp_path / file).stat().st_size > 500 for file in files)
    # What a cell's file says is what was run.
    done = headgate_command("run", "index-files/small-0.toml", "--json", cwd=tmp_path)
    again = json.loads(done.stdout)
    assert again["digest"] in of(report, "must").digests or done.returncode == 0
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["schema"] == "headgate.referee/1" and data["cases"][0]["entries"][0]["verdict"] == "fail"
    assert (tmp_path / "badge.svg").exists() and (tmp_path / "junit.xml").exists()


def test_baselines_that_are_shipped_are_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    shipped.ship("some", [("b", [1.0, None]), ("a", [0.25])])
    assert shipped.shipped("some") == {"a": {"values": [0.25]}, "b": {"values": [1.0, None]}}
    assert shipped.shipped("none") == {}


def test_the_command(tmp_path):
    (tmp_path / "mine.case").write_text(TEXT)
    done = headgate_command(
        "referee", "reno", "--case", "mine.case", "--junit", "out.xml", "--badge", "b.svg", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout and all(len(line) <= 80 for line in done.stdout.splitlines())
    assert ET.parse(tmp_path / "out.xml").getroot().tag == "testsuites" and (tmp_path / "b.svg").exists()
    slow = headgate_command(
        "referee", '{"kind": "generic", "window": 1}', "--case", "mine.case", "--json", cwd=tmp_path
    )
    assert slow.returncode == 1 and json.loads(slow.stdout)["cases"][0]["entries"][0]["verdict"] == "fail"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["renoo"], r"NAME: found 'renoo'; expected a flow control: a name .*, a file .* Did you mean"),
        ([], "NAME: expected either a flow control or --aqm"),
        (["reno", "--aqm", "codel"], "NAME: expected either a flow control or --aqm"),
        (["reno", "--only", "nothing-*"], "no case is left"),
        (["reno", "--case", "none.case"], r"none\.case: No such file"),
        (["reno", "--case", "mine.case", "--set", "x"], "--set x: expected NAME=VALUE, such as beta=0.5"),
        (["reno", "--case", "mine.case", "--set", "=0.5"], "--set =0.5: expected NAME=VALUE, such as beta=0.5"),
        (["reno", "--case", "mine.case", "--html", "a.txt"], r"--html: found 'a\.txt'; expected a name that ends with \.html"),
        (["--aqm", "codel", "--case", "mine.case"], "--case: mine judges a flow control"),
        (["reno", "--family", "r98"], "--family: found 'r98'; expected one of"),
        (["{", "--case", "mine.case"], "NAME: {: expected a table with `kind`"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_call_is_said(cli, tmp_path, words, error):
    (tmp_path / "mine.case").write_text(TEXT)
    done = cli("referee", *words)
    assert done.returncode == 2 and re.search(error, " ".join(done.stderr.split())), done.stderr


def test_subjects_from_files_with_several_schemes(tmp_path):
    file = put(tmp_path, control() + control().replace('"own"', '"other"').replace("class Own", "class Other"))
    with pytest.raises(HeadgateError, match="has 2 of the kind flow control; expected --control with one of"):
        named(str(file), "control")
    assert named(str(file), "control", "other").table == {"kind": "other"}
    with pytest.raises(HeadgateError, match="--control: found 'x'; expected one of"):
        named(str(file), "control", "x")
    assert isinstance(named("reno", "control", parameters={}), Judged)
