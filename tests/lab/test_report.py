"""The form that the reports of all judges have: on a terminal, as a page, and by the exit code."""

from __future__ import annotations

import shlex
from pathlib import Path

from headgate.lab.frame.report import FailedLine, JudgeReport, ReportTable, code, document, lines
from headgate.lab.referee.page import answer
from headgate.lab.referee.report import CaseVerdict, RefereeReport
from headgate.lab.training.measuring import ControlMeasured
from headgate.lab.training.policy import LearnedPolicy
from headgate.lab.training.report import answer as learnt

from ..conftest import Cli

HALVES = """title = "A loss halves the window"
source = "RFC 5681, section 3.1, equation 4"
window = 10
steps = [
  { do = { t = "0s", ev = "sent" }, times = 10 },
  { do = { t = "40ms", ev = "ack", rtt = "40ms" }, times = 4 },
  { do = { t = "45ms", ev = "loss" }, expect = { cwnd = { at_least = 4, at_most = 7 } } },
]
"""


def test_a_page_does_not_take_the_place_of_one_on_another_subject(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "halves.case").write_text(HALVES)
    words = ("referee", "aimd", "--case", "halves.case", "--out", "r")
    assert "page: r/index.html" in cli(*words).stdout.splitlines()
    page = (tmp_path / "r/index.html").read_bytes()
    for other, what in (
        (("cubic",), "referee on aimd;"),
        (("aimd", "--set", "decrease=0.4"), "referee on aimd with other parameters;"),
    ):
        said = cli("referee", *other, "--case", "halves.case", "--out", "r")
        assert said.returncode == 2
        assert f"r/index.html: found the report of {what} expected another name or folder" in " ".join(
            said.stderr.split()
        )
    assert (tmp_path / "r/index.html").read_bytes() == page
    # That of the same subject is made again, and one that no judge wrote is a file as any other.
    (tmp_path / "own.html").write_text("<html>")
    assert cli(*words).returncode < 2
    assert cli("referee", "cubic", "--case", "halves.case", "--html", "own.html").returncode < 2
    assert "referee on cubic" in (tmp_path / "own.html").read_text()


def test_a_report_fits_a_screen_and_says_what_shows_the_rest() -> None:
    failed = CaseVerdict(
        "s-01", "", {}, "must", "loss", "fail", value=(0.1, 0.1, 0.1), range=(0.0, 0.01), origin="ours"
    )
    worse = CaseVerdict("s-01", "", {}, "better_than", "loss", "worse", value=(0.1, 0.1, 0.1), baseline="reno",
                        baseline_value=(0.02, 0.02, 0.02))  # fmt: skip

    def told(many: int) -> list[str]:
        said = answer(
            RefereeReport("mine", [failed] * many + [worse], []), lambda case: f"headgate referee mine --only {case}"
        )
        return [line for _, line in lines(said, "", "headgate referee mine --html a.html")]

    few = told(3)
    assert few[0] == "mine fails 3 of 3 lines of ours and is worse than reno in 1 of 1 comparison."
    assert few[2:7] == [
        "failed",
        *["  s-01: loss is 0.1; expected at least 0 and at most 0.01 (ours)"] * 3,
        "      headgate referee mine --only s-01",
    ]
    assert few[7:9] == ["worse than a baseline", "  s-01: loss is 0.1; reno has 0.02"]
    many = told(40)
    assert len(many) <= 24 and max(map(len, many)) <= 80
    (rest,) = (line for line in many if "more:" in line)
    assert rest == f"  and {40 - many.index(rest) + 3} more: the command below has all"
    assert (
        many[-3:-1]
        == [
            "everything, as a page: headgate referee mine --html a.html",
            "the first of them: headgate referee mine --only s-01",
        ][::-1]
    )


def long(command: str = "") -> JudgeReport:
    failed = FailedLine("a", "3 s", "at most 2 s", "document", "RFC 0, section 1: " + "words " * 40, command)
    table = ReportTable("Rates", ["flow", "Mbit/s"], [["a", "1"]] * 30)
    return JudgeReport("judge", "it", "It fails.", failed=[failed] * 2, tables=[table])


def test_a_command_is_broken_over_lines_that_a_shell_reads_as_one() -> None:
    command = shlex.join(["headgate", "judge", "mine.py", *(f"--set=name{i}=a value" for i in range(12))])
    said = [line for _, line in lines(long(command), "", command)]
    assert max(map(len, said)) <= 80
    at = said.index("everything, as a page:")
    assert shlex.split("\n".join(said[at + 1 : -1]).replace("\\\n", "")) == shlex.split(command)
    assert said[-1] == "and 1 table on the page"
    assert [line for line in said if "RFC 0" in line] == [
        "  a is 3 s; expected at most 2 s (document, RFC 0, section 1: words words words"
    ] * 2


def test_of_what_stands_beside_the_first_is_shown_however_little_room_there_is() -> None:
    beside = [FailedLine(f"line {i}", "3 s", "at most 2 s", "ours", "", f"headgate judge --only {i}") for i in range(9)]
    see = [(f"number {i}", "headgate " + "word " * 30) for i in range(4)]
    said = [
        line
        for _, line in lines(
            JudgeReport("judge", "it", "It holds.", beside=("uncertain", beside), see=see), "it.html", ""
        )
    ]
    at = said.index("uncertain")
    assert said[at + 1] == "  line 0 is 3 s; expected at most 2 s (ours)"
    assert "more: the page has all" in "".join(said[at:]) and len(said) <= 24


def test_what_all_judges_say_is_in_their_json() -> None:
    found = document(long("headgate judge"), {"more": 1, "subject": "it"})
    assert list(found) == ["schema", "version", "subject", "sentence", "failed", "more"]
    assert found["schema"] == "headgate.judge/1" and found["failed"][0]["see"] == "headgate judge"
    assert (code(long()), code(JudgeReport("judge", "it", "It holds."))) == (1, 0)


def test_what_was_learnt_is_said_first() -> None:
    rows = [
        ControlMeasured(name, company, 3, share, 1.5, 0.01, 0.9, -0.1)
        for company in ("alone", "twin", "cubic")
        for name, share in (("aimd", 0.5), ("mine", 0.75))
    ]
    policy = LearnedPolicy([([[0.0] * 12], [0.0])], about={"generations": 2})
    found = learnt(policy, rows, Path("out/mine.py"), "mine")
    assert (
        found.sentence
        == "mine has learnt for 2 generations and got of its fair share 0.75 alone, 0.75 with its like and 0.75 beside cubic."
    )
    assert 'plugins = ["mine.py"] and control = "mine"' in found.notes[0] and code(found) == 0
    said = [line for _, line in lines(found, "", "")]
    assert [row.split()[0] for row in said[-6:]] == ["alone", "mine", "with", "mine", "beside", "mine"]


def test_a_page_of_one_suite_does_not_take_the_place_of_that_of_another(cli: Cli, tmp_path: Path) -> None:
    words = ("evaluate", "cubic", "--rounds", "1", "--html", "e.html", "--suite")
    assert cli(*words, "smoke").returncode < 2
    page = (tmp_path / "e.html").read_bytes()
    said = cli(*words, "internet-1")
    assert said.returncode == 2
    assert "found the report of evaluate on cubic with other parameters" in " ".join(said.stderr.split())
    assert (tmp_path / "e.html").read_bytes() == page
