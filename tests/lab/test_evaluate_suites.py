"""Suites are files: those of headgate, and a user's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from headgate import HeadgateError
from headgate.lab.evaluation import suite
from headgate.lab.evaluation.score import rescaled, run
from headgate.lab.evaluation.suite import FOLDER, named

from ..conftest import Cli

ONE = '{ name = "a", kind = "alone", rate = "10Mbit/s", rtt = "20ms" }'


def put(folder: Path, *lines: str) -> str:
    file = folder / "mine.toml"
    file.write_text("\n".join(lines))
    return str(file)


def test_the_small_suite_has_cases_of_the_large_one() -> None:
    large = suite("internet-1")
    assert [case for case in large if case in suite("smoke")] == suite("smoke") and len(suite("smoke")) == 4
    key = "0123456789abcdef" * 2
    assert set(suite("smoke", key)) < set(suite("internet-1", key))


def test_a_hidden_suite_stays_as_it_was() -> None:
    """The numbers of this key as suites in Python had them: HMAC-SHA-256 of it and `loss-3/rate`, and so on."""
    found = next(case for case in suite("internet-1", "0123456789abcdef" * 2) if case.name == "loss-3")
    assert (found.rate, found.rtt, found.buffer, found.loss, found.seed) == (
        16_732_000, 0.11377, 0.887, 0.013793, 699014597226258,
    )  # fmt: skip


def test_a_suite_of_ones_own_is_judged_as_one_of_headgate(tmp_path: Path, cli: Cli) -> None:
    whole = put(tmp_path, (FOLDER / "internet-1.toml").read_text("utf-8"))
    assert suite(whole) == suite("internet-1")
    # A case of the small suite has the run that it has there.
    line = next(one for one in (FOLDER / "smoke.toml").read_text("utf-8").splitlines() if '"call-1"' in one)
    file = put(tmp_path, "cases = [", line, "]")
    own = cli("evaluate", "reno", "--suite", file, "--rounds", "1", "--workers", "1", "--json")
    assert own.returncode == 0, own.stderr
    found = json.loads(own.stdout)
    assert found["suite"] == file
    (case,) = (case for case in suite("smoke") if case.name == "call-1")
    assert [own["digests"] for own in found["cases"]] == [[run(case, {"kind": "reno"}, 0)["digest"]]]


def test_a_folder_knows_a_suite_by_what_it_has_and_not_by_how_it_is_named(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Runs that this process made for another test are not written again.
    monkeypatch.setattr("headgate.lab.evaluation.judge._kept", {})
    line = next(one for one in (FOLDER / "smoke.toml").read_text("utf-8").splitlines() if '"call-1"' in one)
    file = Path(put(tmp_path, "cases = [", line, "]"))
    words = ("--rounds", "1", "--workers", "1", "--out", "kept")
    assert cli("evaluate", "reno", "--suite", file.name, *words).returncode == 0
    runs = (tmp_path / "kept/runs.jsonl").read_bytes()
    # The same one by another path, and a copy with a comment.
    (tmp_path / "copy.toml").write_text("# A copy.\n" + file.read_text("utf-8"), "utf-8")
    for same in (f"./{file.name}", file, "copy.toml"):
        assert cli("evaluate", "reno", "--suite", same, *words).returncode == 0
    assert (tmp_path / "kept/runs.jsonl").read_bytes() == runs
    file.write_text(file.read_text("utf-8").replace("call-1", "call-2"), "utf-8")
    done = cli("evaluate", "reno", "--suite", file.name, *words)
    assert done.returncode == 2 and "kept: holds the runs of another question: suite is " in done.stderr
    assert named("smoke") == "smoke" and named(str(tmp_path / "copy.toml")) != named(str(file))


def test_bounds_and_factor_of_a_hidden_suite_are_those_of_its_file(tmp_path: Path) -> None:
    cases = ", ".join(ONE.replace('"a"', f'"a{i}"') for i in range(40))
    file = put(tmp_path, f"cases = [{cases}]", "[hidden]", "factor = 10", 'rate = ["9Mbit/s", "11Mbit/s"]')
    found = suite(file, "0123456789abcdef" * 2)
    assert {min(case.rate for case in found), max(case.rate for case in found)} == {9e6, 11e6}
    # Of 40 round trips between a tenth and ten times 20 ms some are beyond a factor of 5 on either side.
    assert min(case.rtt for case in found) < 0.004 and max(case.rtt for case in found) > 0.1


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["cases = [", '{ name = "a" },', "]"], "line 2: cases[0]: expected the key `kind`"),
        ([f"cases = [{ONE[:-2]}, quue = 'fq' }}]"], 'cases[0]: found "quue"; expected keys of name, kind, rate'),
        ([f"cases = [{ONE.replace('alone', 'alon')}]"], 'cases[0].kind: found "alon"; expected "alone", "beside"'),
        ([f"cases = [{ONE.replace('10Mbit/s', '10ms')}]"], 'cases[0].rate: found "10ms"; expected a rate such as'),
        (
            ['cases = [{ name = "a", kind = "alone", rate = 1e7, rtt = "20ms" }]'],
            "found 10000000.0; expected a text with a unit",
        ),
        (
            [f"cases = [{ONE[:-2]}, queue = 'own.py' }}]"],
            'line 1: cases[0].queue: found "own.py"; expected one of fcfs, ',
        ),
        ([f"cases = [{ONE[:-2]}, other = 'cubik' }}]"], 'cases[0].other: found "cubik"'),
        ([f"cases = [{ONE},", f"{ONE}]"], 'line 2: cases[1].name: found "a"; expected a name that no case before has'),
        ([f"cases = [{ONE[:-2]}, loss = true }}]"], "cases[0].loss: found true; expected a number"),
        ([f"cases = [{ONE[:-2]}, steps = [0] }}]"], "cases[0].steps[0]: found 0; expected greater than or equal to"),
        ([f"cases = [{ONE}]", "[hidden]", 'rate = ["1Mbit/s"]'], "line 3: hidden.rate: expected one entry more"),
        (
            [f"cases = [{ONE}]", "[hidden]", "buffer = [3, 1]"],
            "hidden: found a table; expected bounds as [least, greatest]",
        ),
        (["cases = []"], "cases: found a list; expected a list of at least 1"),
        (["cases = ["], "expected cases in TOML; unclosed array"),
        (["x" * 200_000], "expected a file of cases, at most 100 KB"),
    ],
)
def test_what_is_wrong_with_a_suite_is_said_with_its_line(tmp_path: Path, lines: list[str], words: str) -> None:
    with pytest.raises(HeadgateError, match=re.escape(words)):
        suite(put(tmp_path, *lines))


def test_cases_that_tell_nothing_apart_are_refused() -> None:
    """The score is what is above an idle sender: over none there is nothing to divide by."""
    with pytest.raises(HeadgateError, match="suite: found cases in which a window of 2 packets is as good as it gets"):
        rescaled(100.0, 100.0)


def test_a_file_that_is_not_there(tmp_path: Path, cli: Cli) -> None:
    done = cli("evaluate", "reno", "--suite", str(tmp_path / "none.toml"))
    assert done.returncode == 2 and ": cannot be read: No such file" in done.stderr
