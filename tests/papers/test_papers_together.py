"""`headgate reproduce all`: several papers, their table, their report, and items that fail."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headgate.papers import load_paper
from headgate.papers.misses import UNKNOWN, mechanisms_of
from headgate.papers.model import PaperError
from headgate.papers.whole.page import time_text
from headgate.papers.whole.run import papers_of

from ..conftest import Cli
from .test_paper_folders import change, write_paper
from .test_resume import HELD

#: A claim that fails, about one of two pairs.
FAILING = """

@CLAIMS.claim("N2", "two-sources", "FCFS gives the first source twice as much")
def twice(runs: Runs) -> tuple[bool, str]:
    shares = runs.of("G/FCFS", "throughput", "1", "2")
    return shares[0] > 1.9 * shares[1], f"{listed(shares)} packets/s"
"""

#: Why it fails, and why a number is missed.
MECHANISMS = """
[[mechanisms]]
claims = ["N2"]
text = "Both have the same window."

[[mechanisms]]
item = "two-sources"
row = "window 2"
text = "The line is <short>."
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two papers: one as in the recipe, and one of which something is missed; `all` means these."""
    folders = [write_paper(tmp_path / name) for name in ("first1990", "second1991")]
    second = folders[1]
    change("table_1.csv", "window 2,1,,delay,s,0.40", "window 2,1,,delay,s,0.90")(second)
    change("table_1.csv", "G/FQ,2,,delay_p99,s,1.0", "G/FQ,2,,delay_p99,s,7.0")(second)
    (second / "claims.py").write_text((second / "claims.py").read_text() + FAILING)
    (second / "mechanisms.toml").write_text(MECHANISMS)
    monkeypatch.setattr(
        "headgate.papers.whole.run.papers_of", lambda ours=False: [load_paper(f"./{f.name}") for f in folders]
    )
    return folders


def test_the_papers_of_the_package() -> None:
    names = [p.name for p in papers_of()]
    early, late = ["demers1989", "floyd1991", "keshav1991", "kim1994", "stoica1998"], ["kuzmanovic2003", "arun2022"]
    assert names == [*early, "hasegawa2001", *late]
    assert sorted({p.name for p in papers_of(ours=True)} - set(names)) == ["beyond", "linux-tcp"]


def test_a_table_over_all_papers(two: list[Path], cli: Cli) -> None:
    done = cli("reproduce", "all", "--resume", "kept")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("first1990 two-sources     7 of 7 numbers, 1 of 1 claims, ")
    assert lines[1].startswith("second1991 two-sources    5 of 7 numbers, 1 of 2 claims, ")
    assert max(map(len, lines)) <= 80
    rows = {cells[0]: cells[1:] for line in lines if len(cells := line.split()) > 5}
    # Tested, match, trivial model, only ours, miss, others that were tested and match, claims that hold and fail.
    assert rows["first1990"][:2] == ["7", "7"] and rows["second1991"][:2] == ["7", "5"]
    assert rows["second1991"][4] == "2" and rows["second1991"][-2:] == ["1", "1"]
    # Both papers run the same.
    assert re.search(r"^168 runs, 84 of which were there already; .* of processor time$", done.stdout, re.M)
    again = cli("reproduce", "all", "--resume", "kept")
    assert ", kept" in again.stdout and "168 runs, 168 of which were there already; " in again.stdout


def test_machines_get_the_same_whether_it_was_interrupted_or_not(two: list[Path], cli: Cli, tmp_path: Path) -> None:
    first = cli("reproduce", "all", "--json")
    # Without a folder runs are kept all the same.
    assert (tmp_path / "out" / "runs" / "kept.json").exists()
    again = cli("reproduce", "all", "--json", "--threads", "1")
    assert first.stdout == again.stdout
    found = json.loads(first.stdout)
    assert set(found) == {"headgate", "papers", "reproductions", "failures"}
    assert found["failures"] == []
    row = found["papers"][1]
    assert row["paper"] == "second1991" and row["title"] == "Two sources on a slow line"
    counts = {k: v for k, v in row.items() if k not in ("paper", "title")}
    whole = json.loads(cli("reproduce", "./second1991", "--json").stdout)
    assert found["reproductions"][1] == whole
    assert set(counts) == {"printed", "others", "claims"}
    printed, claims = counts["printed"], counts["claims"]
    assert (printed["tested"], printed["match"], printed["miss"]) == (7, 5, 2)
    assert (claims["hold"], claims["fail"], claims["open"]) == (1, 1, 0)
    assert set(counts["others"].values()) == {0}
    assert printed["only_ours"] == whole["skill"]["only_ours"]
    assert claims["trivial"] == whole["claims_of_nulls"]["trivial"]


def test_an_item_that_fails_takes_no_other_with_it(two: list[Path], cli: Cli) -> None:
    claims = two[0] / "claims.py"
    claims.write_text(claims.read_text().replace("shares = ", "shares = 1 / 0, "))
    done = cli("reproduce", "all", "--report", "report")
    assert done.returncode == 1
    assert done.stderr.startswith("first1990 two-sources failed: ") and "division by zero" in done.stderr
    assert "failed: first1990 two-sources: " in done.stdout
    assert "second1991 two-sources    5 of 7 numbers" in done.stdout
    page = (two[0].parent / "report" / "index.html").read_text()
    assert "went wrong" in page and "division by zero" in page
    found = json.loads(cli("reproduce", "all", "--json").stdout)
    assert [(f["paper"], f["item"]) for f in found["failures"]] == [("first1990", "two-sources")]
    assert [len(r["items"]) for r in found["reproductions"]] == [0, 1]


def test_files_that_are_wrong_end_it_before_anything_is_run(two: list[Path], cli: Cli) -> None:
    (two[1] / "mechanisms.toml").write_text(MECHANISMS.replace('"N2"', '"N3"'))
    done = cli("reproduce", "all")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'second1991/mechanisms.toml: mechanisms[0].claims: found "N3"; expected the name of a claim' in done.stderr
    (two[1] / "mechanisms.toml").write_text(MECHANISMS.replace("window 2", "window 3"))
    assert (
        'mechanisms[1].row: found "window 3"; expected a pattern that fits some row' in cli("reproduce", "all").stderr
    )
    (two[1] / "mechanisms.toml").write_text(MECHANISMS)
    change("line.toml", '"80kbit/s"', '"80kbit"')(two[1])
    done = cli("reproduce", "all")
    assert (done.returncode, done.stdout) == (2, "") and "80kbit" in done.stderr


def test_the_report(two: list[Path], cli: Cli, tmp_path: Path) -> None:
    done = cli("reproduce", "all", "--report", "report")
    assert done.stdout.endswith("report: report/index.html\n")
    report = tmp_path / "report"
    index, first, second = (
        (report / f).read_text() for f in ("index.html", "first1990/misses.html", "second1991/misses.html")
    )
    # Each page leads to the others, and every place that a page leads to is there.
    for page in [*report.glob("*.html"), *report.glob("*/*.html")]:
        for link in re.findall(r'href="([^"]+)"', page.read_text()):
            file, _, place = link.partition("#")
            target = (page.parent / file).resolve() if file else page
            assert target.is_file(), (page, link)
            assert not place or f'id="{place}"' in target.read_text(), (page, link)
    assert 'href="second1991/misses.html">2 missed</a>' in index
    assert 'href="second1991/misses.html">1 fails</a>' in index
    assert "Of 14 numbers that the papers print and that could be tested, 12 match" in index
    assert "Numbers that no paper prints" in index
    assert re.search(r"<td>fq</td><td class=\"of\">\d of \d numbers, 1 of 1 claims</td>", index)
    assert re.search(
        r"<td>fcfs</td><td class=\"of\">2 of 2 numbers</td><td class=\"of\">2 of 2 numbers, 0 of 1 claims</td>", index
    )
    assert "Made by <code>headgate reproduce all --report report</code>, on threads of one process, on " in index
    assert "first1990 20, second1991 20" in index
    assert "Nothing is missed." in first
    assert "N2: FCFS gives the first source twice as much" in second and "Both have the same window." in second
    assert "The line is &lt;short&gt;." in second and "1: 0.9, ours 0.4" in second
    assert UNKNOWN in second and "3 entries, of which 2 have a known mechanism" in second
    # Never by colour alone, and the page itself never scrolls sideways.
    assert 'aria-label="of 7 printed numbers that were tested: ' in index and "✗" in index
    assert "table { display: block; max-width: 100%; overflow-x: auto" in index


def test_the_mechanisms_of_the_package_speak_about_what_is_there() -> None:
    # Nothing of floyd1991 is missed: no number of it is judged, and its claims hold.
    assert [p.name for p in papers_of() if not mechanisms_of(p)] == ["floyd1991"]
    with pytest.raises(PaperError, match="there is no paper"):
        load_paper("all")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["all", "scenario-2"], "all: expected no items beside it"), (["all", "--details"], "all: expected no --details"),
     (["demers1989", "--ours"], "--ours: expected `all` beside it")],
)  # fmt: skip
def test_options_that_do_not_fit(words: list[str], said: str, cli: Cli) -> None:
    done = cli("reproduce", *words)
    assert done.returncode == 2 and said in done.stderr


def test_ctrl_c(two: list[Path], tmp_path: Path) -> None:
    code = HELD.replace(
        "from headgate.cli import main",
        "from headgate.papers import load_paper\nfrom headgate.papers.whole import run\n"
        "run.papers_of = lambda ours=False: [load_paper('./first1990')]\nfrom headgate.cli import main",
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, "reproduce", "all", "--json"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while child.poll() is None and not list((tmp_path / "out").glob("runs/chunk-*.runs")):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGINT)
    out, err = child.communicate()
    assert (child.returncode, out) == (130, "")
    assert err == "stopped; finished runs are in out/runs. Go on with:\n  headgate reproduce all --json\n"


def test_times_in_words() -> None:
    assert [time_text(s) for s in (0.04, 9.94, 59.4, 60, 3599, 3600)] == [
        "0.0 s", "9.9 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min"
    ]  # fmt: skip


def test_lines_and_the_bar_do_not_meet_in_a_terminal(two: list[Path], tmp_path: Path) -> None:
    code = (
        "from headgate.papers import load_paper\nfrom headgate.papers.whole import run\n"
        "run.papers_of = lambda ours=False: [load_paper('./first1990'), load_paper('./second1991')]\n"
        "from headgate.cli import main\nmain()"
    )
    ours, theirs = pty.openpty()
    command, where = [sys.executable, "-c", code, "reproduce", "all"], {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    child = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=where)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so at the end.
        while part := os.read(ours, 4096):
            shown += part
    assert child.wait() == 0, shown
    os.close(ours)
    # What is on the screen in a line: after the last return to its beginning, or since it was cleared.
    lines = [re.split(r"\r|\x1b\[2K", line.rstrip("\r"))[-1] for line in shown.decode().split("\n")]
    plain = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in lines]
    assert [
        line for line in plain if " claims, " in line and not line.startswith(("first1990 two", "second1991 two"))
    ] == []
    assert any(line.startswith("first1990 two-sources     7 of 7 numbers, 1 of 1 claims") for line in plain), plain
    assert any("item 2 of 2" in line for line in re.split(r"\r|\n", shown.decode()))


def test_a_full_disk_ends_everything(two: list[Path], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("headgate.papers.runs.store.atomic", full)
    done = cli("reproduce", "all", "--resume", "kept")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: kept: cannot be written: No space left on device; ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("paper", "asked", "items"),
    [
        ("kim1994", "figure-14", "plane"),
        ("kim1994", "Figure 29", "reference"),
        ("kim1994", "fig. 26", "files"),
        ("kim1994", "connections", "plane"),
        ("kim1994", "table 1", "reference and gigabit"),
        ("keshav1991", "figure-6.7", "scenario-2"),
        ("keshav1991", "table-6.11", "scenario-8"),
        ("hasegawa2001", "figure 21", "figures"),
    ],
)
def test_who_asks_for_a_figure_or_a_table_learns_which_item_has_it(paper: str, asked: str, items: str) -> None:
    with pytest.raises(PaperError) as e:
        load_paper(paper).item(asked)
    assert str(e.value).startswith(f'there is no item of {paper} "{asked}"; expected one of ')
    assert re.search(rf"\. It is made by the items? {items}\.$", str(e.value))


@pytest.mark.parametrize(
    "asked", ["figure-98", "figure-99", "table 2", "table 6.1", "reference ", "figure", "", "figure-1.2.3"]
)
def test_what_no_item_has_is_plainly_unknown(asked: str) -> None:
    for paper in ("kim1994", "keshav1991"):
        with pytest.raises(PaperError, match="there is no item of") as e:
            load_paper(paper).item(asked)
        assert "It is made by" not in str(e.value), (paper, asked)


def test_a_paper_that_is_not_named_lists_those_that_there_are(cli: Cli) -> None:
    done = cli("reproduce")
    assert done.returncode == 2
    assert "Missing argument 'PAPER': expected all, a folder, or one of arun2022, beyond," in " ".join(
        done.stderr.split()
    )
