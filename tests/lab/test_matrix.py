"""`headgate matrix`: the numbers of its scenarios by hand, harm by its formula, pairs in both orders, and what is said of bad input."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import headgate
from headgate.lab.frame.report import table_lines
from headgate.lab.matrix import MEASURES, Matrix, MatrixResult, harm
from headgate.lab.matrix.cells import count
from headgate.lab.matrix.figures import draw
from headgate.lab.matrix.report import answer
from headgate.plots.canvas import to_svg
from headgate.quick.lists import read_controls, read_queues

from ..conftest import ROOT, Cli
from ..own_plugins import control, put

SMALL = ("--controls", "cubic,reno", "--queues", "fcfs,fq", "--rate", "10Mbit/s", "--duration", "4s", "--runs", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix") / "out"


@pytest.fixture(scope="module")
def result(folder: Path) -> MatrixResult:
    matrix = Matrix(
        "cubic,reno", queues="fcfs,fq", rate="10Mbit/s", duration="4s", runs=2, ratio="4", flows=2, web=True
    )
    return matrix.run(folder, workers=1)


def test_the_cells_are_all_pairs_and_each_alone(result: MatrixResult) -> None:
    equal, far = ([c for c in result.cells if c.condition.queue == "fq" and c.condition.ratio == x] for x in (1, 4))
    assert [(c.a, c.b) for c in equal] == [
        ("cubic", "cubic"),
        ("cubic", "reno"),
        ("reno", "reno"),
        ("cubic", None),
        ("reno", None),
    ]
    assert {(c.a, c.b, c.far) for c in far} == {
        *((a, b, False) for a in ("cubic", "reno") for b in ("cubic", "reno", None)),
        ("cubic", None, True),
        ("reno", None, True),
    }
    assert len(equal) + len(far) == count(2, 1)


def test_the_numbers_are_those_of_the_scenarios_by_hand(result: MatrixResult, folder: Path) -> None:
    for cell in (result.cells[1], result.cells[-3], result.cells[0]):
        by_hand = headgate.Scenario.from_file(folder / result.file_of(cell)).run(replications=2)
        runs = result.study.select(cell=_name(result, cell.variant)).runs
        assert "-".join(runs["digest"].to_pylist()) == by_hand.digest
        flows, links = by_hand.flows, by_hand.links
        for k in range(2):
            rows = [i for i, run in enumerate(flows["run"]) if run == k]
            line = next(i for i, run in enumerate(links["run"]) if run == k and links["link"][i] == "bottleneck")
            assert result.runs("utilisation", cell)[k] == links["utilisation"][line]
            goodput = {}
            for side in ("a", "b") if cell.b else ("a",):
                mine = [i for i in rows if re.fullmatch(rf"{side}\d", flows["flow"][i])]
                assert len(mine) == 2
                seconds = flows["end_s"][mine[0]] - flows["start_s"][mine[0]]
                assert seconds == pytest.approx(3.0)
                goodput[side] = sum(flows["unique_bytes"][i] for i in mine) * 8 / seconds
                assert result.runs("goodput", cell, side)[k] == pytest.approx(goodput[side])
                lost = sum(flows["drops"][i] + flows["lost"][i] for i in mine) / sum(flows["sent"][i] for i in mine)
                assert result.runs("loss", cell, side)[k] == pytest.approx(lost)
                delay = np.mean([flows["owd_p95_s"][i] for i in mine])
                assert result.runs("delay_p95", cell, side)[k] == pytest.approx(delay)
            if cell.b:
                assert result.runs("share", cell)[k] == pytest.approx(goodput["a"] / sum(goodput.values()))
            (sparse,) = (i for i in rows if flows["flow"][i] == "sparse")
            assert result.runs("sparse_p99", cell)[k] == flows["owd_p99_s"][sparse]
            (web,) = (i for i in rows if flows["flow"][i] == "web")
            assert np.array_equal(result.runs("web_p95", cell)[k], flows["fct_p95_s"][web], equal_nan=True)


def _name(result: MatrixResult, variant: int) -> str:
    return str(result.study.axes[0].columns["cell"][variant])


def test_b_is_as_far_away_as_was_asked(result: MatrixResult, folder: Path) -> None:
    (cell,) = (c for c in result.cells if c.far and c.a == "reno" and c.condition.queue == "fq")
    near, _ = result.cell(cell.condition, "cubic", "reno")
    assert near is not None
    for which, flow, round_trip in ((cell, "a1", 0.16), (near, "a1", 0.04), (near, "b2", 0.16)):
        table = headgate.Scenario.from_file(folder / result.file_of(which)).run().flows
        least = table["rtt_min_s"][list(table["flow"]).index(flow)]
        assert round_trip < least < round_trip + 0.01
    # A bandwidth-delay product is that of the nearer flows.
    assert 'buffer = "50KB"' in (folder / result.file_of(near)).read_text("utf-8")


def test_harm_by_hand() -> None:
    # A has 10 alone and 4 beside B: it lost six tenths. Its delay grew from 20 to 50: three fifths of what it has now is B's.
    assert harm([10.0], [4.0]).tolist() == [pytest.approx(0.6)]
    assert harm([20.0], [50.0], less_is_better=True).tolist() == [pytest.approx(0.6)]
    # What B is good for is below 0; nothing lost in both is no harm; a loss where there was none is all of it.
    assert harm([5.0, 4.0], [6.0, 4.0]).tolist() == [pytest.approx(-0.2), 0.0]
    assert harm([0.0, 0.0], [0.0, 0.1], less_is_better=True).tolist() == [0.0, 1.0]
    assert np.isnan(harm([0.0], [1.0]))[0]
    assert np.isnan(harm([np.nan], [1.0]))[0]


def test_harm_of_a_matrix_is_that_of_its_cells(result: MatrixResult, folder: Path) -> None:
    rows = pq.read_table(folder / "cells.parquet").to_pylist()

    def value(ratio: float, a: str, b: str, far: bool, measure: str) -> np.ndarray:  # type: ignore[type-arg]
        found = [
            r[measure]
            for r in rows
            if (r["queue"], r["ratio"], r["a"], r["b"]) == ("fcfs", ratio, a, b)
            and (("alone, as far" in _name(result, r["variant"])) == far or ratio == 1)
        ]
        assert len(found) == 2
        return np.array(found)

    equal, unequal = (c for c in result.conditions if c.queue == "fcfs")
    x, y = value(1, "cubic", "", False, "goodput_a"), value(1, "cubic", "reno", False, "goodput_a")
    assert result.at("harm", equal, "cubic", "reno").mean == pytest.approx(np.mean((x - y) / x))
    # Reno is B there: what it suffers is read off the other side.
    x, y = value(1, "reno", "", False, "goodput_a"), value(1, "cubic", "reno", False, "goodput_b")
    assert result.at("harm", equal, "reno", "cubic").mean == pytest.approx(np.mean((x - y) / x))
    x, y = value(1, "reno", "", False, "delay_p95_a"), value(1, "cubic", "reno", False, "delay_p95_b")
    assert result.at("harm_delay", equal, "reno", "cubic").mean == pytest.approx(np.mean((y - x) / y))
    # With unequal round trips B is compared with itself as far away.
    cell, _ = result.cell(unequal, "cubic", "reno")
    assert cell is not None
    x, y = value(4, "reno", "", True, "goodput_a"), value(4, "cubic", "reno", False, "goodput_b")
    assert result.mean("harm", cell, "b").mean == pytest.approx(np.mean((x - y) / x))


def test_pairs_with_equal_round_trips_are_read_in_both_orders(result: MatrixResult) -> None:
    equal, far = result.conditions[0], result.conditions[-1]
    grid = result.grid("share", equal)
    assert grid[0][1].mean + grid[1][0].mean == pytest.approx(1)
    assert grid[0][1].half == pytest.approx(grid[1][0].half)
    assert result.at("utilisation", equal, "cubic", "reno") == result.at("utilisation", equal, "reno", "cubic")
    cell, exchanged = result.cell(equal, "reno", "cubic")
    assert exchanged
    assert cell is not None
    assert result.at("goodput", equal, "reno", "cubic") == result.mean("goodput", cell, "b")
    # Where B is further away, the orders are different experiments.
    assert result.cell(far, "reno", "cubic")[0] != result.cell(far, "cubic", "reno")[0]


def test_what_stands_out_comes_first(result: MatrixResult) -> None:
    off = [abs(s.value.mean - 0.5) for s in result.surprises["share"]]
    assert off == sorted(off, reverse=True)
    assert len(off) == 5
    most = max(abs(result.mean("share", c).mean - 0.5) for c in result.cells if c.b and c.a != c.b)
    assert off[0] == most
    assert result.surprises["sparse_p95"][0].cell.condition.queue == "fcfs"


def test_tables_fit_80_columns_and_break_between_columns(result: MatrixResult) -> None:
    said = answer(result, Path("m"), result.measures)
    assert len(said.tables) == len(result.measures) * len(result.conditions)
    for table in said.tables:
        for width in (80, 30):
            assert max(map(len, table_lines(table, width))) <= width
    lines = [line.split() for line in table_lines(replace(said.tables[0], title=""), 20)]
    assert lines[0] == ["A", "cubic"]
    assert lines[4] == ["A", "reno"]


def test_a_heat_map_has_the_number_of_each_cell(result: MatrixResult) -> None:
    drawing = draw(result, "sparse_p95").matplotlib
    text = to_svg(drawing)
    for condition in result.conditions:
        for row in result.grid("sparse_p95", condition):
            for mean in row:
                assert f">{mean.mean * 1e3:.1f}<" in text
    # Greys alone: what is red, green and blue is equal.
    from matplotlib.collections import QuadMesh

    for axes in drawing.axes:
        (mesh,) = (c for c in axes.collections if isinstance(c, QuadMesh))
        mesh.update_scalarmappable()
        colours = mesh.get_facecolor()
        assert np.ptp(colours[:, :3], axis=1).max() < 1e-9


def test_the_command_prints_json_and_writes_its_files(cli: Cli, tmp_path: Path) -> None:
    done = cli("matrix", *SMALL, "--json", "--out", "m", "--workers", 1)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert json.loads((tmp_path / "m/matrix.json").read_text("utf-8")) == found
    pair, alone = found["cells"][1], found["cells"][3]
    assert pair["b"] == "reno"
    assert {k for k in pair if k.startswith("harm")} == {
        f"{name}_{side}" for name, m in MEASURES.items() if m.of == "harm" for side in "ab"
    }
    assert alone["b"] is None
    assert "share" not in alone
    html = (tmp_path / "m/index.html").read_text("utf-8")
    for cell in found["cells"]:
        assert (tmp_path / "m" / cell["scenario"]).is_file()
        assert f"headgate explore m/{cell['scenario']}" in html
    again = cli("check", f"m/{pair['scenario']}")
    assert again.returncode == 0
    # A terminal has a screen of it, and all tables that were asked for.
    text = cli("matrix", *SMALL, "--out", "m", "--resume").stdout.splitlines()
    assert text[0].startswith("The most unequal pair of cubic, reno: ") and "page: m/index.html" in text
    assert len(text) <= 25 and re.match(r"and \d tables? on the page", text[-1])
    text = cli("matrix", *SMALL, "--out", "m", "--resume", "--show", "share,harm,goodput,loss").stdout.splitlines()
    assert sum(line.startswith("harm of B to the goodput of A: ") for line in text) == len(found["cells"]) // 5
    assert max(map(len, text)) <= 80


@pytest.mark.slow
def test_a_matrix_goes_on_after_it_was_stopped(tmp_path: Path, cli: Cli) -> None:
    words = ["matrix", *map(str, SMALL), "--no-report", "--workers", "1", "--out"]
    long = [w if w != "4s" else "100s" for w in words]
    program = "from headgate.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *long, str(tmp_path / "killed")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    chunks = tmp_path / "killed/study"
    # There is no saying how long a machine takes: until something is there.
    while process.poll() is None and not list(chunks.rglob("runs*.parquet")):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(headgate.open_study(chunks).runs)
    assert 0 < before <= 20
    other = cli(*long, tmp_path / "killed")
    assert other.returncode == 2
    assert "--resume" in other.stderr
    assert cli(*long, tmp_path / "killed", "--resume").returncode == 0
    assert cli(*long, tmp_path / "whole").returncode == 0
    assert len(headgate.open_study(chunks).runs) == 20
    one, two = (pq.read_table(tmp_path / name / "cells.parquet") for name in ("killed", "whole"))
    assert one.equals(two)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--controls", "cubc"), 'Did you mean "cubic".* Expected flow controls: of '),
        (("--controls", "cubic,web"), "found 'web'; expected flow controls"),
        (("--controls", "cubic*2"), "without a number"),
        (("--controls", "bbr,bbr3"), "each flow control once"),
        (("--controls", "cubic:windw=3"), "expected one of"),
        (("--controls", "cubic", "--queues", "codell"), 'Did you mean "codel"'),
        (("--controls", "cubic", "--queues", "red:gentl=true"), "--queues: red: .*gentle"),
        (("--controls", "cubic", "--queues", "fq,fq"), "twice"),
        (("--controls", "cubic", "--rate", "20"), "--rate: .*did you mean `20Mbit/s`"),
        (("--controls", "cubic", "--rtt", "fast"), "--rtt: "),
        (("--controls", "cubic", "--buffer", "2miles"), "buffer"),
        (("--controls", "cubic", "--ratio", "near"), "--ratio: .*numbers from 0.01 to 100"),
        (("--controls", "cubic", "--warm-up", "70s"), "--warm-up: .*less than the duration"),
        (("--controls", "cubic", "--show", "shar"), 'Did you mean "share"'),
        (("--controls", "cubic", "--show", "web_p95"), "--show: "),
        (("--controls", "cubic", "--limit", "1ms"), "expected to take .* of processor time"),
    ],
    ids=lambda x: " ".join(x[-2:]) if isinstance(x, tuple) else "",
)
def test_bad_input_is_said_before_anything_is_run(
    options: tuple[str, ...], said: str, cli: Cli, tmp_path: Path
) -> None:
    done = cli("matrix", *options)
    assert done.returncode == 2
    assert re.search(said, done.stderr, re.DOTALL)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_too_many_cells_are_refused_before_their_scenarios_are_made() -> None:
    rates = ",".join(f"{n}Mbit/s" for n in range(1, 2001))
    with pytest.raises(headgate.HeadgateError, match="40000 cells; expected at most 20000"):
        Matrix("cubic,reno", queues="fcfs,fq,red,codel", rate=rates)


def test_the_estimate_adds_up_trials() -> None:
    matrix = Matrix("cubic,reno", queues="fcfs", duration="10s", runs=3, sparse=None)
    ticks = iter(range(1000))
    # Each trial takes one tick, short or long: only the fixed part of five scenarios with three runs each is left.
    assert matrix.estimate(lambda: float(next(ticks))) == 15.0


def test_a_dry_run_lists_the_cells(cli: Cli, tmp_path: Path) -> None:
    done = cli("matrix", *SMALL, "--dry-run")
    assert "10 cells, 20 runs" in done.stdout
    assert "cubic and reno: fcfs, 10Mbit/s, 40ms, 1bdp" in done.stdout
    assert json.loads(cli("matrix", *SMALL, "--dry-run", "--json").stdout)["runs"] == 20
    assert not list(tmp_path.iterdir())


def test_lists_keep_the_parameters_of_their_entries() -> None:
    assert read_controls("cubic:transport.ecn=true,packet=500B,reno") == [
        "cubic:transport.ecn=true,packet=500B",
        "reno",
    ]
    assert read_queues("droptail,red:gentle=true,max_p=0.1") == ["fcfs", "red:gentle=true,max_p=0.1"]
    matrix = Matrix("cubic:packet=500B,reno", queues="fcfs", flows=3, duration="2s", sparse="game")
    flows = matrix.scenarios[1].data["flows"]
    assert [(f["name"], f.get("count"), f.get("packet")) for f in flows] == [
        ("a{i}", 3, "500B"),
        ("b{i}", 3, None),
        ("sparse", None, "100B"),
    ]


def test_what_is_beside_is_the_same_in_every_cell() -> None:
    matrix = Matrix("vegas,reno", queues="fcfs,fq", duration="8s", warm_up="3s", web=True, ratio="4")
    for made in matrix.scenarios:
        sparse, web = made.data["flows"][-2:]
        assert (sparse["name"], sparse["workload"]["rate"]) == ("sparse", "80kbit/s")
        assert (web["name"], web["control"]) == ("web", "cubic")
        assert made.data["hosts"] == {"noise": "1pkt"}
        assert made.data["warm_up"] == "3s"


def test_equal_scenarios_are_run_once() -> None:
    # A port with strict priorities and one with FCFS differ; a queue with its own buffer is the same with any other.
    matrix = Matrix("cubic", queues="fcfs:buffer=20pkt", buffer="1bdp,2bdp", duration="2s")
    assert len(matrix.cells) == 4
    assert len(matrix.scenarios) == 2


def test_the_page_is_that_of_its_run() -> None:
    done = subprocess.run(
        [sys.executable, "docs/matrix.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_examples_of_the_help_are_valid(cli: Cli) -> None:
    text = cli("matrix", "--help").stdout
    examples = re.findall(r"headgate (matrix --controls (?:.|\n)*?)(?=\n +headgate |\Z)", text)
    assert len(examples) == 3
    for example in examples:
        words = [w for w in example.replace("\\\n", " ").split() if w != "--resume"]
        assert cli(*words, *(() if "--dry-run" in words else ("--dry-run",))).returncode == 0


def test_a_control_in_a_file_is_known_to_the_processes_wherever_it_stands(tmp_path: Path, cli: Cli) -> None:
    """Its file goes into the study, also where the first cell does not name it, and into the scenarios of the cells that do."""
    put(tmp_path, control())
    own = ("--controls", "reno,own", "--plugin", "mine.py", "--max-memory", "2GB")
    words = ("--queues", "fcfs", "--rate", "1Mbit/s", "--duration", "1s", "--runs", 1, "--sparse", "none")
    done = cli("matrix", *words, *own, "--no-report", "--workers", 1, "--out", "m")
    assert done.returncode == 0, done.stdout
    named = [headgate.Scenario.from_file(file).data.get("plugins") for file in sorted(tmp_path.glob("m/cells/*"))]
    assert [entries and entries[0]["name"] for entries in named] == [None, "mine.py", "mine.py", None, "mine.py"]
    # The command that is said for the page has all that it needs.
    said = done.stdout.replace(" \\\n   ", "")
    assert "--plugin mine.py" in said and "--max-memory 2GB" in said
