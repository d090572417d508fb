"""Cases of the referee that are wrong: each gives one error with the file, the place, what was found and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from headgate.base.errors import HeadgateError
from headgate.lab.frame.subjects import Judged
from headgate.lab.referee import read, steps
from headgate.lab.referee.build import scenario
from headgate.lab.referee.case import Case
from headgate.lab.referee.files import LONGEST, made

from ..conftest import Cli

HEAD = 'title = "t"\nsource = "s"\nduration = "5s"\n'
LINE = 'line = { rate = "10Mbit/s" }\nflows = [{}]\n'
GOOD = HEAD + LINE + 'report = ["loss"]\n'


def line(text: str) -> str:
    """A case with this line."""
    return f"{HEAD}line = {{ {text} }}\nflows = [{{}}]\nreport = ['loss']\n"


def flow(text: str) -> str:
    """A case with this flow."""
    return f"{HEAD}line = {{ rate = '10Mbit/s' }}\nflows = [{{ {text} }}]\nreport = ['loss']\n"


def must(text: str, more: str = "") -> str:
    """A case with this bound."""
    return f"{HEAD}{LINE}must = [{{ {text} }}]\n{more}"


def stepped(text: str) -> str:
    """A case with this step."""
    return f"{HEAD}steps = [{{ {text} }}]\n"


def use(file: Path) -> Case:
    """All that happens with a case before something is run."""
    case = read(file, "own")
    if case.steps:
        steps.run(case, {"kind": "reno"})
    else:
        subject = Judged("reno", {"kind": "reno"}) if case.judges == "control" else Judged("pie", {"kind": "pie"})
        for cell in case.grid():
            scenario(case, cell, subject)
    return case


def error_of(tmp_path: Path, text: str | bytes) -> str:
    """The error that a file gives; it begins with the name of the file."""
    file = tmp_path / "mine.case"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(HeadgateError) as error:
        use(file)
    found = str(error.value)
    assert found.startswith((str(file), str(file)[:70])), found
    assert len(found) < 2000, "a long value is cut"
    return found.removeprefix(f"{file}: ").removeprefix(str(file))


def test_the_case_that_the_others_change_is_right(tmp_path: Path) -> None:
    (tmp_path / "mine.case").write_text(GOOD)
    assert use(tmp_path / "mine.case").name == "mine"


RATE = 'line = { rate = "$rate" }\nflows = [{}]\ncells = { rate = ["1Mbit/s", "2Mbit/s"] }\n'


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (GOOD + "flow = [{}]", 'flow: found an unknown key; expected one of title, source, judges'),
        (GOOD + "flow = [{}]", 'Did you mean "flows"?'),
        (must("metric = 'loss', at_mst = 1"), 'must.0.at_mst: found an unknown key; expected one of metric, of, from, to'),
        (must("metric = 'loss', at_mst = 1"), 'Did you mean "at_most"?'),
        (stepped("do = { ev = 'sent' }, expected = {}"), "steps.0.expected: found an unknown key; expected one of do"),
        (must("metric = 'utilization', at_least = 1"), "must.0.metric: found 'utilization'; expected one of utilisation"),
        (must("metric = 'utilization', at_least = 1"), 'Did you mean "utilisation"?'),
        (GOOD + "rules = ['fairnes']", "rules: found 'fairnes'; expected words of"),
        (GOOD + "rules = ['fairnes']", 'Did you mean "fairness"?'),
        (stepped("do = { ev = 'sent' }, expect = { cwnd = { at_least = 9, at_most = 7 } }"),
         "expected `at_least` to be no more than `at_most`"),
        (HEAD + LINE + "report = ['los']", "report.0.metric: found 'los'; expected one of"),
        (must("metric = 'loss', at_most = 1, when = { bufer = ['1BDP'] }", "cells = { buffer = ['1BDP'] }"),
         "when: found 'bufer'; expected a name under `cells`"),
        (HEAD + RATE + "must = [{ metric = 'loss', at_most = 1, when = { rate = ['3Mbit/s'] } }]",
         "when.rate: found '3Mbit/s'; expected a value of it"),
        (HEAD + RATE + "must = [{ metric = 'loss', at_most = 1, when = { rate = '1Mbit/s' } }]",
         "must.0.when.rate: found '1Mbit/s'; expected a list"),
        (HEAD + RATE.replace("$rate", "$rat") + "report = ['loss']",
         " (rate 1Mbit/s): found '$rat'; expected a name under `cells` after $"),
        (must("metric = 'loss', at_least = '0.5'"), "must.0.at_least: found '0.5'; expected a number"),
        (must("metric = 'loss', at_least = nan"), "must.0.at_least: found nan; expected a finite number"),
        (must("metric = 'loss', at_most = inf"), "must.0.at_most: found inf; expected a finite number"),
        (must("metric = 'loss', at_most = 1" + 400 * "0"), "must.0.at_most: found 1000"),
        (must("metric = 'loss', at_most = 1" + 5000 * "0"), "found a whole number with too many digits"),
        (must("metric = 'loss'"), "must.0: expected `at_least` or `at_most`"),
        (must("metric = 'loss', at_least = 0.5, at_most = 0.1"), "must.0: found at_least 0.5 and at_most 0.1; expected"),
        (must("metric = 'loss', at_most = 1, part = nan"), "must.0.part: found nan; expected a finite number"),
        (must("metric = 'loss', at_most = 1, origin = 'rfc'"), "must.0.origin: found 'rfc'; expected 'document', 'derived'"),
        (HEAD + LINE + "better_than = [{ metric = 'loss', zone = nan }]", "better_than.0.zone: found nan"),
        (HEAD + LINE + "better_than = [{ metric = 'loss', baseline = 'cubik' }]",
         "better_than: baseline: found 'cubik'; expected one of reno, cubic"),
        (HEAD + "judges = 'aqm'\n" + LINE + "better_than = [{ metric = 'loss' }]",
         "better_than: baseline: found 'cubic'; expected one of fcfs"),
        (must("metric = 'gauge_most', at_most = 1"), "must.0: expected `gauge`, the name of a gauge"),
        (must("metric = 'loss', at_most = 1, gauge = 'x'"), "must.0: expected `gauge`, the name of a gauge"),
        (must("metric = 'loss', at_most = 1, of = 'media'"), "loss: of: found 'media'; expected how a flow's name begins: own"),
        (flow("control = 'reno'"), "loss: of: found 'own'; expected how a flow's name begins: other"),
        (must("metric = 'loss', at_most = 1, from = '5'"), "must.0.from: found '5'; expected a time such as"),
        (must("metric = 'loss', at_most = 1, from = 5"), "must.0.from: found 5; expected a text"),
        (must("metric = 'loss', at_most = 1, from = '4s', to = '2s'"), "must.0: found from 4s to 2s; expected `from` before `to`"),
        (must("metric = 'loss', at_most = 1, from = '4s', to = '4s'"), "must.0: found from 4s to 4s; expected `from` before `to`"),
        (must("metric = 'loss', at_most = 1, to = '6s'"), "loss: to: found 6s; expected a time within the duration, 5s"),
        (must("metric = 'loss', at_most = 1, from = '5s'"), "loss: from: found 5s; expected a time within the duration, 5s"),
        (must("metric = 'queueing_p95', at_most = 1, from = '1s'"), "must.0: expected no `from` and `to` with queueing_p95"),
        (GOOD + "name = 'x'", "name: found 'x'; expected none: a case is named as its file"),
        (GOOD + "file = 'x'", "file: found 'x'; expected none"),
        (GOOD + "runs = 0", "runs: found 0; expected a number greater than or equal to 1"),
        (GOOD + "runs = 'x'", "runs: found 'x'; expected a whole number"),
        (GOOD + "quick = 1", "quick: found 1; expected true or false"),
        (GOOD + "rules = 'growth'", "rules: found 'growth'; expected a list"),
        (GOOD + "judges = 'queue'", "judges: found 'queue'; expected 'control' or 'aqm'"),
        (GOOD + "needs = ['quic']", "needs.0: found 'quic'; expected 'ecn', 'media', 'bbr', 'reno-window', 'cubic-window' or 'tcp-window'"),
        (GOOD.replace("'5s'", "'5'").replace('"5s"', '"5"'), "duration: found '5'; expected a time such as"),
        (GOOD.replace('"5s"', "2020-01-01"), "duration: found datetime.date(2020, 1, 1); expected a text"),
        (GOOD + "warm_up = '9s'", "warm_up: found 9s; expected less than the duration, 5s"),
        (GOOD + "interval = '0s'", "interval: found 0ps; expected a time above zero"),
        (GOOD + "scenario = { duration = '5s' }", "found `line` and `scenario`; expected one of `line`, `scenario` and `steps`"),
        (HEAD + LINE, "expected `must`, `must_not`, `better_than` or `report`"),
        (HEAD + "line = { rate = '1Mbit/s' }\nreport = ['loss']", "expected `flows`"),
        (HEAD + "line = { rate = '1Mbit/s' }\nflows = ['x']\nreport = ['loss']", "flows.0: found 'x'; expected a table"),
        ("", "title: missing; expected a value"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_named(tmp_path: Path, text: str, due: str) -> None:
    assert due in error_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (line("rate = '10Mbps'"), 'line.rate: found "10Mbps"; expected a rate'),
        (line("rtt = '40ms'"), "line.rate: missing; expected a rate"),
        (line("rate = 2020-01-01"), "line.rate: found date 2020-01-01; expected"),
        (line("rate = '1Mbit/s', duplicate = nan"), "line.duplicate: found nan; expected a finite number"),
        (line("rate = '1Mbit/s', rtt = '40'"), "line.rtt: found '40'; expected a time"),
        (line("rate = '1Mbit/s', rtt = 40"), "line.rtt: found 40; expected a time"),
        (line("rate = '1Mbit/s', rtt = '100000h'"), "line.rtt: found '100000h'; too large"),
        (line("rate = '1Mbit/s', bufer = '1BDP'"), "line.bufer: unknown key `bufer`"),
        (line("rate = '1Mbit/s', buffer = '1 BDQ'"), 'line.queue.buffer: found "1 BDQ"; expected a buffer'),
        (line("rate = '1Mbit/s', queue = 'codl'"), 'line.queue.kind: found "codl"; did you mean `codel`?'),
        (line("rate = '1Mbit/s', queue = 5"), "line.queue.kind: found 5; expected a queueing discipline"),
        (line("rate = { kind = 'steps', steps = [['x', 'y']] }"), 'line.rate.steps[0][0]: found "x"; expected a duration'),
        (line("rate = { kind = 'steps', steps = [5] }"), "line.rate.steps[0]: found 5; expected"),
        (flow("colour = 3"), "flows[0].colour: unknown key `colour`"),
        (flow("rtt = 3"), "flows[0].rtt: found 3; expected a time"),
        (flow("rtt = '1ms'"), "flows[0].rtt: found 1ms; expected at least that of the line"),
        (flow("count = 'x'"), 'flows[0].count: found "x"; expected a whole number'),
        (flow("count = 100000000"), "count: found 100000000; expected 1 to 1000000"),
        (flow("control = 'renoo'"), "flows[0].control"),
        (flow("control = ['a']"), 'flows[0].control: found ["a"]; expected a flow control'),
        (flow("control = { kind = ['a'] }"), 'flows[0].control.kind: found ["a"]; expected a flow control'),
        (flow("transport = 'linux'"), 'flows[0].transport: found "linux"; expected a table'),
        (GOOD + "events = [{ rate = '1Mbit/s' }]", "events[0]: expected a value for `at`, which is missing"),
        (GOOD + "events = [{ at = 'x', rate = '1Mbit/s' }]", 'events[0].at: found "x"; expected a duration'),
        (GOOD + "events = [{ at = '1s', rate = '1Mbps' }]", 'events[0].rate: found "1Mbps"; expected a rate'),
        (GOOD + "events = [{ at = '1s', link = 'x', rate = '1Mbit/s' }]", 'events[0].link: found "x"; expected the name'),
        (HEAD + "report = ['loss']\nscenario = { nodes = 3 }", "nodes: found 3; expected a list"),
        (HEAD + "report = ['loss']\nscenario = { links = [3], flows = [3] }", "links[0]: found 3; expected a table"),
        (HEAD + "report = ['loss']\nscenario = { duration = 3 }", "scenario.duration: found 3; expected a time"),
        (HEAD + "report = ['loss']\nscenario = { nodes = [], links = [{ name = 'line', delay = 'x' }], flows = [] }", "links[0]"),
        (
            HEAD + "judges = 'aqm'\nreport = ['loss']\nflows = [{ control = 'reno' }]\n"
            "line = { rate = '1Mbit/s', queue = { kind = 'subject', colour = 3 } }",
         "line.queue.colour: unknown key `colour`"),
    ],
)  # fmt: skip
def test_what_the_engine_finds_wrong_is_named_as_the_case_has_it(tmp_path: Path, text: str, due: str) -> None:
    assert due in error_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (stepped("do = { ev = 'jump' }"), "step 1: unknown variant `jump`"),
        (stepped("do = { ev = 'sent', t = 'x' }"), "step 1: t: found 'x'; expected a time"),
        (stepped("do = { ev = 'sent', t = [1] }"), "step 1: t: found [1]; expected a time"),
        (stepped("do = { ev = 'sent', t = nan }"), "step 1: t: found nan; expected a time"),
        (stepped("do = { ev = 'sent', t = -5 }"), "step 1: "),
        (stepped("do = { ev = 'sent', x = 2020-01-01 }"), "step 1: "),
        (stepped("do = { ev = 'sent', t = '2s' } }, { do = { ev = 'sent', t = '1s' }"),
         "step 2: t: found 1000000000; expected at least 2000000000"),
        (stepped("do = { ev = 'sent' }, every = 'x'"), "steps.0.every: found 'x'; expected a time"),
        (stepped("do = { ev = 'sent' }, times = 0"), "steps.0.times: found 0; expected a number greater than"),
        (stepped("do = { ev = 'sent' }, expect = { cwnd = nan }"), "steps.0.expect: cwnd: found nan; expected a number"),
        (stepped("do = { ev = 'sent' }, expect = { cwnd = { at_leat = 3 } }"), "steps.0.expect: cwnd: found {'at_leat': 3}; expected"),
        (stepped("do = { ev = 'sent' }, expect = { cwind = 3 }"), "step 1: expect: found 'cwind'; expected one of t, cwnd"),
        (stepped("do = { ev = 'sent' }") + "report = ['loss']", "expected no `must`, `must_not`, `better_than` or `report` beside `steps`"),
        (stepped("do = { ev = 'sent' }") + "cells = { a = [1] }", "expected no `flows`, `events` or `cells` beside `steps`"),
    ],
)  # fmt: skip
def test_a_wrong_step_is_named(tmp_path: Path, text: str, due: str) -> None:
    assert due in error_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (GOOD + "x = = 3", "(at line 7, column 5)"),
        (GOOD + "title = 'again'", "duplicate key (at line 7, column 1)"),
        (GOOD + "note = '\x00'", "line 7: found a zero byte, which no text has"),
        (GOOD + f"x = {5000 * '['}{5000 * ']'}", "found lists or tables too deep in each other"),
        (line(f"rate = '1Mbit/s', x = {300 * '{a='}1{300 * '}'}"), "deep"),
        (line(f"rate = '1Mbit/s', x = {90 * '['}1{90 * ']'}"), "deep"),
        (GOOD + f"{'.'.join(80 * 'a')} = 1", "at most 50 parts"),
        (GOOD + f"#{1_000_000 * 'x'}", f"found more than {LONGEST} bytes"),
        (b"\xff\xfe\x00", "line 1: found text in UTF-16; expected text in UTF-8"),
        (GOOD + "cells = { a = 'x' }", "cells.a: found 'x'; expected a list"),
        (GOOD + "cells = 3", "cells: found 3; expected a table"),
        (GOOD + "cells = { a = [] }", "cells: found 0; expected 1 to 200"),
        (GOOD + f"cells = [{201 * '{a=1},'}]", "cells: found 201; expected 1 to 200"),
        # Their product is never made.
        (GOOD + "[cells]\n" + "\n".join(f"a{i} = [{100 * '1,'}]" for i in range(12)), "expected 1 to 200"),
    ],
)
def test_a_file_that_is_none_or_too_large_is_refused(tmp_path: Path, text: str | bytes, due: str) -> None:
    assert due in error_of(tmp_path, text)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for place, due in (("none.case", "No such file or directory"), ("", "Is a directory"), (5000 * "x", "too long")):
        with pytest.raises(HeadgateError, match=f"{due}; expected the file of a case"):
            read(tmp_path / place)


def test_a_case_from_a_table_has_the_same_errors() -> None:
    with pytest.raises(HeadgateError, match="here: title: missing"):
        made({"source": "s"}, "mine", "here")


def test_the_command_refuses_wrong_cases_without_a_traceback(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "wrong.case").write_text(line("rate = '10Mbps'"))
    (tmp_path / "queue.case").write_text(
        GOOD.replace("flows = [{}]", "flows = [{ control = 'reno' }]") + "judges = 'aqm'"
    )
    (tmp_path / "steps.case").write_text(stepped("do = { ev = 'jump' }"))
    for words, due in (
        (("reno", "--case", "wrong.case"), "wrong.case: line.rate"),
        (("reno", "--case", "steps.case"), "steps.case: step 1"),
        (("reno", "--case", "none.case"), "none.case: No such file"),
        (("reno", "--case", "queue.case"), "--case: queue judges a queue (--aqm)"),
        (("--aqm", "pie", "--case", "wrong.case"), "--case: wrong judges a flow control"),
        (("renoo", "--case", "wrong.case"), "NAME: found 'renoo'"),
        (("--aqm", "codle", "--family", "a79"), "--aqm: found 'codle'"),
        (("reno", "--family", "a97"), "--family: found 'a97'; expected one of"),
        (
            ("reno", "--only", "s-01", "--no-worse-than", "cubik"),
            "--no-worse-than: found 'cubik'; expected one of reno",
        ),
    ):
        found = cli("referee", *words)
        assert found.returncode == 2, found.stderr
        assert due in found.stderr
        assert "Traceback" not in found.stderr
