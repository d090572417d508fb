"""headgate infer: hidden settings of synthetic papers are found where numbers decide them, and none where they do not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.papers.inference.likelihood import FARTHEST, RowScale
from headgate.papers.inference.posterior import Gains, SettingGrid, gains, marginal
from headgate.papers.inference.report import uncertain
from headgate.papers.inference.result import Answer, Block, Inference, Why
from headgate.papers.inference.rows import rows_of
from headgate.papers.inference.search import combinations, parts_of
from headgate.papers.levels import Level, Unknown
from headgate.papers.load import load_paper
from headgate.papers.model import PaperError
from headgate.papers.runs import open_work

from ..conftest import Cli
from ..synthetic import BUFFER, FIRST, make, print_numbers

LEVELS = ("6pkt", "8pkt", "10pkt", "13pkt")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that the papers of this module have in common."""
    return tmp_path_factory.mktemp("runs")


def inferred(folder: Path, kept: Path) -> headgate.Inference:
    with open_work(None, kept) as work:
        return headgate.infer(str(folder), starts=3, work=work)


@pytest.mark.slow
def test_a_hidden_setting_is_found_in_20_of_20_papers(tmp_path: Path, kept: Path) -> None:
    folder = make(tmp_path / "paper", BUFFER + FIRST)
    for paper in range(20):
        hidden = paper % 4
        print_numbers(folder, {"buffer": hidden}, run=500 + paper)
        answer = inferred(folder, kept).answer("buffer")
        expected = "confirmed" if LEVELS[hidden] == "10pkt" else "found"
        assert (answer.outcome, answer.words) == (expected, LEVELS[hidden]), paper


@pytest.mark.slow
def test_nothing_is_found_where_numbers_do_not_decide(tmp_path: Path, kept: Path) -> None:
    """The first timeout changes less than starts do; and numbers that no setting made say nothing of the buffers."""
    folder = make(tmp_path / "paper", BUFFER + FIRST)
    claimed = []
    for paper in range(20):
        print_numbers(folder, {"first": paper % 3}, run=700 + paper)
        claimed += [
            a.words for a in [inferred(folder, kept).answer("first")] if a.outcome == "found" and a.level != paper % 3
        ]
        print_numbers(folder, {}, run=700 + paper, scatter=1.5)
        claimed += [a.words for a in inferred(folder, kept).answers if a.outcome == "found"]
    assert len(claimed) <= 1, claimed


def unknown(*names: str, default: int = 0, is_range: bool = False) -> Unknown:
    levels = tuple(Level(n, 1 / len(names), {"x": n}) for n in names)
    return Unknown("u", "it", "nothing", levels, default, default, is_range)


def grid_of(u: Unknown, rows: int) -> SettingGrid:
    levels, prior = combinations([u], [u], {})
    return SettingGrid((u,), levels, prior, u.default, np.arange(rows) % 4)


def test_a_level_that_most_rows_want_and_one_refutes_is_not_settled() -> None:
    u = unknown("a", "b")
    agreed = np.array([[0.0, 3.0]] * 8)
    assert marginal(grid_of(u, 8), agreed, 0).level == 1
    refuted = agreed.copy()
    refuted[5] = [0.0, -40.0]
    assert marginal(grid_of(u, 8), refuted, 0).level is None


def test_unseen_gain_counts_every_row_once_and_never_by_itself() -> None:
    """One row wants a level that the others do not care about: with it unseen nothing speaks for the level."""
    u = unknown("a", "b")
    loglik = np.zeros((8, 2))
    loglik[3, 1] = 10.0
    found = gains(grid_of(u, 8), loglik)
    # In the turn of its part the other rows leave both levels at a half: log((1 + e^10) / 2); in other turns nothing is gained.
    assert found.unseen == pytest.approx(math.log((1 + math.e**10) / 2))
    assert marginal(grid_of(u, 8), loglik, 0).level is None
    each = gains(grid_of(u, 8), np.array([[0.0, 1.0]] * 8))
    assert each.seen == pytest.approx(6.0)
    assert each.unseen < 8.0


def test_what_the_prior_alone_says_is_not_settled() -> None:
    levels = (Level("a", 0.9, {"x": 1}), Level("b", 0.1, {"x": 2}))
    u = Unknown("u", "it", "nothing", levels, 0, 0)
    assert marginal(grid_of(u, 8), np.zeros((8, 2)), 0).level is None
    assert marginal(grid_of(u, 8), np.array([[0.3, 0.0]] * 8), 0).level == 0


def test_neighbours_of_a_range_stand_together() -> None:
    u = unknown("1s", "2s", "4s", "8s", "16s", is_range=True)
    loglik = np.array([[0.0, 0.0, 3.0, 3.1, 0.0], [0.0, 0.0, 3.1, 3.0, 0.0]] * 4)
    assert marginal(grid_of(u, 8), loglik, 0).level in (2, 3)
    assert marginal(grid_of(unknown("1s", "2s", "4s", "8s", "16s"), 8), loglik, 0).level is None


def test_the_prior_weighs() -> None:
    levels = (Level("a", 0.999, {"x": 1}), Level("b", 0.001, {"x": 2}))
    u = Unknown("u", "it", "nothing", levels, 0, 0)
    loglik = np.array([[0.0, 0.5]] * 8)
    assert marginal(grid_of(u, 8), loglik, 0).posterior[0] > 0.9


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=9),
    st.floats(-50, 50),
    st.floats(-50, 50),
)
def test_no_row_is_further_away_than_its_cells_can_be(runs: list[tuple[float, float]], a: float, b: float) -> None:
    row = _Row(2)
    y, paper = np.array(runs), np.array([a, b])
    scale = RowScale(row, {"x": y})  # type: ignore[arg-type]
    found = scale.loglik(y, paper)
    assert -0.5 * scale.independent * FARTHEST**2 - 1e-9 <= found <= 1e-9
    assert scale.loglik(np.array([paper]), paper) == 0.0
    assert 1.0 <= scale.independent <= 2.0


def test_a_cell_that_only_one_of_both_has_is_far_away() -> None:
    row = _Row(1)
    y = np.array([[1.0], [1.0]])
    scale = RowScale(row, {"x": y})  # type: ignore[arg-type]
    assert scale.loglik(y, np.array([np.nan])) == -0.5 * FARTHEST**2
    assert scale.loglik(y * np.nan, np.array([np.nan])) == 0.0


class _Row:
    """What a scale looks at."""

    def __init__(self, cells: int) -> None:
        self.numbers = ("n",) * cells
        self.close = np.full(cells, 0.1)


def test_rows_of_all_kinds_are_in_all_parts() -> None:
    rows = rows_of(load_paper("demers1989"), load_paper("demers1989").items)
    parts = parts_of(rows)
    assert set(parts.tolist()) == {0, 1, 2, 3}
    assert max(np.bincount(parts)) - min(np.bincount(parts)) <= 3
    assert parts_of(rows[:1]).tolist() == [0]
    assert parts_of(rows[:3]).tolist() == [0, 1, 2]


def test_statements_are_rows_where_there_are_more_of_them_than_rows_of_numbers() -> None:
    paper = load_paper("hasegawa2001")
    figures = paper.item("figures")
    assert {r.kind for r in rows_of(paper, [figures])} == {"study"}
    stated = rows_of(paper, [figures], claims=True)
    assert {r.kind for r in stated} == {"claim"} and len(stated) == 44
    old = load_paper("demers1989")
    first = [old.item("scenario-3")]
    assert [r.name for r in rows_of(old, first, claims=True)] == [r.name for r in rows_of(old, first)]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('values = ["6pkt"]\ndefault = "6pkt"', "expected at least two levels"),
        ('values = ["6pkt", "8pkt"]\ndefault = "7pkt"', "expected one of the levels: 6pkt, 8pkt"),
        ('default = "7pkt"', "expected one of `values`, `cases` and `range`"),
        ('range = ["6pkt", "8s"]\ndefault = "7pkt"', "expected two quantities of one unit"),
        ('range = ["8pkt", "6pkt"]\ndefault = "7pkt"', "expected the lower end first"),
        ('values = ["6pkt", "8pkt"]\nprior = [1]\ndefault = "6pkt"', "expected 2 weights"),
    ],
)
def test_a_wrong_unknown_is_refused_with_its_place(tmp_path: Path, entry: str, message: str) -> None:
    text = f'[unknowns.buffer]\nabout = "x"\nallowed = "y"\nsets = ["links.slow.queue.buffer"]\n{entry}\n'
    with pytest.raises(PaperError, match=r"unknowns\.buffer") as e:
        load_paper(str(make(tmp_path / "paper", text)))
    assert message in str(e.value)


def test_a_path_that_leads_nowhere_is_refused_before_anything_is_run(tmp_path: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER.replace("links.slow", "links.slwo"))
    done = cli("infer", folder)
    assert done.returncode == 2
    assert "slwo" in done.stderr and "slow" in done.stderr


def test_levels_of_a_range_and_a_default_between_them(tmp_path: Path) -> None:
    text = BUFFER.replace(
        'values = ["6pkt", "8pkt", "10pkt", "13pkt"]',
        'range = ["4pkt", "64pkt"]\nscale = "log"\nwhole = true\nparts = 4',
    )
    (u,) = load_paper(str(make(tmp_path / "paper", text))).unknowns
    assert [x.name for x in u.levels] == ["6pkt", "11pkt", "23pkt", "45pkt", "10pkt"]
    assert u.levels[u.default].name == "10pkt"


def test_the_command_prints_answers_and_json_and_draws(tmp_path: Path, kept: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER)
    print_numbers(folder, {"buffer": 0}, run=500)
    common = ("infer", folder, "--starts", 3, "--resume", kept)
    done = cli(*common, "--figure", tmp_path / "p.svg")
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert said[:2] == ["The numbers of paper settle 1 of 1 unknown: buffer is 6pkt, where the folder has", "10pkt."]
    assert len(said) <= 24 and f"headgate reproduce {folder} --unknown buffer=6pkt" in " ".join(
        done.stdout.replace("\\\n", "").split()
    )
    assert "buffer: found" in (tmp_path / "p.svg").read_text()
    answer = json.loads(cli(*common, "--json", "--count").stdout)
    assert (answer["schema"], answer["subject"], answer["failed"]) == ("headgate.infer/1", "paper", [])
    assert answer["sentence"] == " ".join(said[:2])
    assert answer["blocks"][0]["unknowns"][0]["level"] == "6pkt"
    counts = {c["setting"]: c["match"] for c in answer["counts"]}
    assert counts["inferred"] > counts["default"] == counts["text"]


def test_the_page_has_the_rest_and_belongs_to_what_was_asked(tmp_path: Path, kept: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER)
    print_numbers(folder, {"buffer": 0}, run=500)
    common = ("infer", folder, "--starts", 3, "--resume", kept, "--html", "i.html")
    done = cli(*common)
    assert done.returncode == 0 and "page: i.html" in done.stdout.splitlines()
    page = (tmp_path / "i.html").read_text()
    assert "12 rows in 4 parts, 4 settings; gain on seen rows 79.5" in page and "<svg" in page
    other = cli(*common, "--unknown", "buffer")
    assert other.returncode == 2 and "found the report of infer on paper with other parameters" in other.stderr
    assert (tmp_path / "i.html").read_text() == page


def open_answer(why: Why, unseen: float = 0.5, by_chance: float = 0.0) -> Block:
    """A block with one unknown that is undetermined, and 40 null papers whose gains are 0 to 39."""
    u = unknown("a", "b c")
    answer = Answer(u, "undetermined", np.array([0.3, 0.7]), None, unseen, 2.0, by_chance, 1.0, (), why)
    nulls = {"shuffled": tuple(Gains(0.0, float(k)) for k in range(40))}
    return Block((("near x", "near y"),), 2, (answer,), Gains(1.0, 36.0), nulls, {"u": 0}, False, {})


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (open_answer("odds"), "u: gain on unseen rows is 0.5; expected at least 1.4 (ours, how-to/infer, rule 4)"),
        (open_answer("null", 1.9), "u: gain on unseen rows is 1.9; expected more than 2.0 as of null papers (ours, how-to/infer, rule 5)"),
        # 95 % of 0 to 39 stay below 0.95 * 39.
        (open_answer("beyond"), "u: gain of the setting on unseen rows is 36.0; expected more than 37.0 as of null papers (ours, "
                                "how-to/infer, rule 5)"),
        (open_answer("chance", by_chance=0.15), "u: share of our own runs that settle another level is 0.15; expected at most 0.1 (ours, "
                                                "how-to/infer, rule 5)"),
    ],
)  # fmt: skip
def test_what_is_uncertain_is_said_with_number_bound_and_command(block: Block, text: str) -> None:
    (line,) = uncertain(Inference("p", ("near",), (block,), 9, 1, 10), "./p")
    assert (line.text(), line.see) == (text, "headgate reproduce ./p --unknown 'u=b c'")


def test_why_a_level_is_not_settled_is_the_rule_that_decided() -> None:
    u = unknown("a", "b")
    refuted = np.array([[0.0, 3.0]] * 8)
    refuted[5] = [0.0, -40.0]
    assert not marginal(grid_of(u, 8), refuted, 0).agreed
    weak = marginal(SettingGrid((Unknown("u", "it", "", (Level("a", 0.9, {}), Level("b", 0.1, {})), 0, 0),), np.array([[0], [1]]),
                                np.array([0.9, 0.1]), 0, np.arange(8) % 4), np.array([[0.05, 0.0]] * 8), 0)  # fmt: skip
    # 8 rows of 0.05 are 0.4, less than log 4.
    assert weak.agreed and weak.level is None and weak.unseen < math.log(4)


def test_bad_options_are_refused(tmp_path: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER)
    done = cli("infer", folder, "--unknown", "bufer")
    assert done.returncode == 2 and "buffer" in done.stderr
    nothing = make(tmp_path / "none", "")
    assert "expected a table [unknowns]" in cli("infer", nothing).stderr


def test_reproduce_with_another_level(tmp_path: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER.replace('default = "10pkt"', 'default = "10pkt"\ntext = "13pkt"'))
    print_numbers(folder, {"buffer": 0}, run=500)

    def matches(*words: object) -> int:
        return int(json.loads(cli("reproduce", folder, "near", "--json", *words).stdout)["counts"]["match"])

    assert matches("--unknown", "buffer=6pkt") > matches()
    assert matches("--text-alone") == matches("--unknown", "buffer=13pkt") != matches()
    assert "buffer = 13pkt" in cli("reproduce", folder, "near", "--text-alone").stdout
    assert "expected one of 6pkt, 8pkt" in cli("reproduce", folder, "--unknown", "buffer=7pkt").stderr
    assert "expected one of buffer" in cli("reproduce", folder, "--unknown", "bufer=7pkt").stderr
    assert cli("reproduce", "all", "--text-alone").returncode == 2
