"""A paper in a folder of one's own: the recipe followed by the letter, and the errors about a wrong folder."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import headgate
from headgate.papers import PaperError, load_paper
from headgate.papers.build import build_scenario

from ..conftest import Cli

GUIDE = Path(__file__).parents[2] / "python/headgate/papers/README.md"


def written() -> dict[str, str]:
    """The files that the recipe asks for: each is named in a step and is in the block that follows."""
    text = GUIDE.read_text("utf-8")
    found = re.findall(r"`mypaper/([\w.]+)`(?:(?!```).)*?```\w+\n(.*?)```", text, re.DOTALL)
    return {name: textwrap.dedent(block) for name, block in found}


FILES = written()


#: One claim, in code.
PREDICATE = """from headgate.papers.claims import Claims, Runs, listed

CLAIMS = Claims()


@CLAIMS.claim("N1", "two-sources", "Both sources get the same throughput under FQ")
def equal_shares(runs: Runs) -> tuple[bool, str]:
    shares = runs.of("G/FQ", "throughput", "1", "2")
    return abs(shares[0] - shares[1]) < 0.01, f"{listed(shares)} packets/s"
"""


def write_paper(folder: Path) -> Path:
    """Makes the folder with the files that the recipe shows, but with one claim, in code."""
    write_recipe(folder)
    (folder / "claims.toml").unlink()
    (folder / "claims.py").write_text(PREDICATE)
    return folder


def write_recipe(folder: Path) -> Path:
    """Makes the folder with the files that the recipe shows."""
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_recipe(tmp_path / "mypaper")


def test_the_recipe_is_followed_by_the_letter(paper: Path, cli: Cli) -> None:
    assert sorted(FILES) == [
        "claims.py", "claims.toml", "figures.toml", "line.toml", "paper.toml", "table_1.csv", "tolerances.toml"
    ]  # fmt: skip
    done = cli("reproduce", "./mypaper", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (item,) = found["items"]
    assert (found["paper"], item["item"]) == ("mypaper", "two-sources")
    assert {n["verdict"] for n in item["numbers"]} == {"match"}
    assert [n["metric"] for n in item["numbers"]].count("utilisation") == 1
    assert [(c["id"], c["holds"], c["measured"]) for c in item["claims"]] == [
        ("N1", True, "5.00, 5.00 packets/s"),
        ("N2", True, "0.40, 1.60 s"),
    ]
    done = cli("reproduce", "./mypaper", "--seeds", "0", "--report", "out/mypaper")
    assert done.returncode == 0, done.stderr
    page = (paper.parent / "out" / "mypaper" / "index.html").read_text()
    assert "Two sources on a slow line" in page
    assert page.count("<svg") == 1


def test_only_one_file_must_be_there(paper: Path) -> None:
    for name in ("claims.py", "claims.toml", "figures.toml", "tolerances.toml"):
        (paper / name).unlink()
    result = headgate.reproduce(str(paper))
    (item,) = result.items
    assert item.findings == ()
    assert {n.verdict for n in item.numbers} == {"match"}


def test_numbers_find_their_variant_by_the_columns_of_axes(paper: Path) -> None:
    table = "window,source,metric,unit,value,mark\n2,1,delay,s,0.40,STATED\n8.0,1,delay,s,1.60,STATED\n"
    (paper / "table_1.csv").write_text(table)
    numbers = load_paper(str(paper)).items[0].numbers
    assert [(n.row, n.source, n.where["window"]) for n in numbers] == [("window 2", "1", "2"), ("window 8", "1", "8.0")]


def test_a_measure_is_any_column_of_any_table(paper: Path) -> None:
    metrics = """[metrics]
goodput = { column = "goodput_pps" }
slowest = { column = "goodput_pps", over = "least" }
busy = { table = "links", column = "utilisation", over = "most" }
late = { table = "intervals", column = "rtt_mean_s" }
idle = { table = "links", column = "utilisation", over = "least" }
"""
    change("paper.toml", "[metrics]\n", metrics)(paper)
    rows = [
        "G/FQ,*,,goodput,10.0",
        "G/FQ,ftp1,,goodput,5.0",
        "G/FQ,*,,slowest,5.0",
        "G/FQ,,*,busy,1.00",
        "G/FQ,2,,late,1.00",
        "G/FQ,,access1,idle,0.1",
    ]
    table = "variant,source,link,metric,value,mark\n" + "".join(f"{r},STATED\n" for r in rows)
    (paper / "table_1.csv").write_text(table)
    numbers = headgate.reproduce(str(paper)).items[0].numbers
    assert [n.published.source for n in numbers] == ["*", "ftp1", "*", "*", "2", "access1"]
    assert [round(n.ours.mean, 2) for n in numbers] == [10.0, 5.0, 5.0, 1.0, 1.0, 0.05]
    (paper / "table_1.csv").write_text(table.replace("access1", "*"))
    least = headgate.reproduce(str(paper)).items[0].numbers[-1]
    assert least.ours.mean < 0.05


SWEEP = """
[[items.sweeps]]
name = "{queue} {buffer_pkt:.0f}"
[items.sweeps.axes]
"links.slow.queue.buffer" = ["5pkt", "7pkt"]
[items.sweeps.cases.queue.plain]
"links.slow.queue" = { kind = "fcfs" }
[items.sweeps.cases.queue.fair]
"links.slow.queue" = { kind = "fq" }
"""


def test_measures_of_several_flows_in_units_of_their_own_on_a_topology(paper: Path) -> None:
    scenario = """duration = "70s"
interval = "10s"
[topology]
kind = "dumbbell"
line = { rate = "160kbit/s", queue = { kind = "fcfs", buffer = "20pkt" }, classify = "flow" }
[[flows]]
name = "cbr{i}"
from = "s{i}"
to = "d{i}"
count = 2
acknowledge = false
control = "none"
workload = { kind = "cbr", rate = "32kbit/s" }
[[flows]]
name = "web"
from = "s1"
to = "d1"
arrivals = { kind = "periodic", every = "10s" }
workload = { kind = "transfer", packets = 2 }
"""
    metrics = """[metrics]
rate = { counts = ["unique"], per_second = true, scale = 0.008, offset = 1 }
least = { column = "unique", over = "least", scale = 0.1 }
differ = { column = "unique", over = "deviation" }
arrives = { column = "unique", per = "sent", over = "mean" }
time = { table = "classes", column = "fct_mean_s", scale = 1000 }
"""
    table = """variant,source,metric,unit,value,mark
G/FQ,cbr1,rate,Mbit/s,1.032,STATED
G/FQ,cbr*,least,,24.0,STATED
G/FQ,cbr*,differ,,0,STATED
G/FQ,cbr*,arrives,,1.00,STATED
G/FQ,web,time,ms,,STATED
"""
    text = FILES["paper.toml"]
    text = text[: text.index("[metrics]")] + metrics + text[text.index("# A protocol pair") :]
    (paper / "paper.toml").write_text(text[: text.index("# More variants")])
    (paper / "line.toml").write_text(scenario)
    (paper / "table_1.csv").write_text(table)
    for name in ("tolerances.toml", "claims.py", "claims.toml", "figures.toml"):
        (paper / name).unlink()
    (item,) = load_paper(str(paper)).items
    # The pair's queue is that of the topology's line, and sources without flow control stay so.
    built = build_scenario(item, item.variant("G/FQ"))
    assert built["topology"]["line"]["queue"] == {"kind": "fq", "buffer": "20pkt"}
    assert [f.get("control") for f in built["flows"]] == ["none", {"kind": "generic"}]
    numbers = headgate.reproduce(str(paper)).items[0].numbers
    assert [n.verdict for n in numbers[:4]] == ["match"] * 4
    # The trivial model in the same units: two flows at 4 packets a second for 60 s, which all arrive.
    assert [n.trivial for n in numbers[:4]] == pytest.approx([1.032, 24.0, 0.0, 1.0])
    assert 100 < numbers[4].ours.mean < 300


def test_a_study_measures_numbers_too(paper: Path) -> None:
    change("paper.toml", 'mean = "rtt_mean_s"', "study = true, trivial = 0.1")(paper)
    change("paper.toml", "scenario =", 'study = "mine"\nscenario =')(paper)
    change(
        "table_1.csv",
        "G/FQ,1,,delay,s,1.00,STATED",
        "order of both,,,delay,order,O(log(n)),STATED\nG/FQ,1,,delay,s,1.00,EVALUATED",
    )(paper)
    values = {("delay", "order of both", ""): 1.0, ("delay", "G/FQ", "1"): 1.05}
    write(
        "mine.py",
        f"from headgate.papers.study import Shown\ndef study(runs, progress):\n    return Shown((), values={values})\n",
    )(paper)
    found = [n for n in headgate.reproduce(str(paper)).items[0].numbers if n.published.metric == "delay"]
    assert [(n.verdict, n.ours.mean, n.seeds, n.low, n.high, n.trivial) for n in found[:2]] == [
        ("match", 1.0, 0, 1.0, 1.0, 0.1),
        ("miss", 1.05, 0, 1.05, 1.05, 0.1),
    ]
    # What the study could not measure was not reproduced.
    assert [(n.published.row, n.verdict) for n in found[2:]] == [("window 2", "not-reproduced")]


def test_paths_that_lead_through_others_come_after_them(paper: Path) -> None:
    change("paper.toml", '"flows.*.control.window" = [2, 8]\n', '"flows.*.control.window" = [2, 8]\n' + SWEEP)(paper)
    item = load_paper(str(paper)).items[0]
    found = {v.name: build_scenario(item, v)["links"][-1]["queue"] for v in item.variants}
    assert found["fair 7"] == {"kind": "fq", "buffer": "7pkt"}
    assert list(found)[-4:] == ["plain 5", "fair 5", "plain 7", "fair 7"]
    (paper / "table_1.csv").write_text("queue,source,metric,value,mark\nfair,1,delay,0.40,STATED\n")
    with pytest.raises(PaperError, match="line 2: expected the place of one variant; queue = fair fits 2 of 8"):
        load_paper(str(paper))


def test_modules_of_two_folders_are_kept_apart(paper: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in paper.iterdir():
        (other / file.name).write_text(file.read_text().replace("N2", "N3"))
    found = [headgate.reproduce(str(p)).items[0].findings[1].id for p in (paper, other)]
    assert found == ["N2", "N3"]


Break = Callable[[Path], object]


def change(file: str, old: str, new: str) -> Break:
    def do(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text, old
        (folder / file).write_text(text.replace(old, new, 1))

    return do


def remove(file: str) -> Break:
    return lambda folder: (folder / file).unlink()


def write(file: str, text: str | bytes) -> Break:
    return lambda folder: (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())


#: What is done to the folder, and what the message must say.
BROKEN: list[tuple[str, Break, list[str]]] = [
    ("no paper", remove("paper.toml"), ["mypaper/paper.toml", "found no file"]),
    ("no TOML", write("paper.toml", "title = \n"), ["paper.toml: expected a file of a paper in TOML", "line 1"]),
    ("no UTF-8", write("paper.toml", b"title = '\xff'"), ["paper.toml: line 1: found the byte 0xff; expected text in UTF-8"]),
    ("no items", write("paper.toml", 'title="a"\nauthors="b"\nreference="c"'), ["paper.toml: expected the key `items`"]),
    ("no title", change("paper.toml", "title =", "titel ="), ["paper.toml: expected the key `title`"]),
    ("key", change("paper.toml", "phase =", "phases ="), ['found "phases"', 'Did you mean "phase"?']),
    ("type", change("paper.toml", 'scenario = "line.toml"', "scenario = 5"), ["items[0].scenario: found 5; expected a text"]),
    ("item key", change("paper.toml", "scenario =", "scenari ="), ["items[0]: ", '"scenari"', 'Did you mean "scenario"?']),
    ("scenario", change("paper.toml", "line.toml", "lane.toml"), ["items[0].scenario", "lane.toml", '"line.toml"?']),
    ("scenario's value", change("line.toml", '"80kbit/s"', '"80kbit"'), ["two-sources, variant G/FCFS", "rate", "80kbit"]),
    ("scenario's TOML", write("line.toml", "a b"), ["mypaper/line.toml: expected a file of a paper in TOML"]),
    ("queue", change("paper.toml", 'kind = "fq"', 'kind = "fqq"'), ["variant G/FQ", "fqq", "did you mean"]),
    ("pair", change("paper.toml", '"G/FCFS", "G/FQ"]\nt', '"G/FCSF", "G/FQ"]\nt'), ["items[0].pairs[0]", '"G/FCFS"?']),
    ("pair of a sweep", change("paper.toml", 'pairs = ["G/FQ"]', 'pairs = ["FQ"]'), ["items[0].sweeps[0].pairs", "G/FQ"]),
    ("sweep's name", change("paper.toml", "{window}", "{windo}"), ["sweeps[0].name", "window {windo}", "pair, window"]),
    ("sweep's axis", change("paper.toml", "= [2, 8]", "= []"), ["items[0].sweeps[0].axes", "expected a list of values"]),
    ("sweep's path", change("paper.toml", '"flows.*.c', '"flow.*.c'), ["two-sources, variant window 2: flow", "did you mean `flows`?"]),
    ("one name twice", change("paper.toml", "window {window}", "window"), ["sweeps[0]", "different names", '"window"']),
    ("metric's column", change("paper.toml", "rtt_p99_s", "rtt_pp99_s"), ["metrics.delay_p99.column", "rtt_p99_s"]),
    ("metric's table", change("paper.toml", '"links", c', '"link", c'), ["metrics.utilisation.table", '"links"?']),
    ("metric's counts", change("paper.toml", '"unique"', '"uniqe"'), ["metrics.throughput.counts[0]", '"unique"?']),
    ("two kinds", change("paper.toml", "mean =", 'column = "rtt_p50_s", mean ='), ["metrics.delay: expected one of the keys"]),
    ("table's file", change("paper.toml", "table_1", "table_2"), ["items[0].tables[0].file", "table_2.csv", "table_1.csv"]),
    ("table's only", change("paper.toml", '1.csv"', '1.csv", only = { scenario = 1 }'), ["tables[0].only", '"scenario"']),
    ("no rows", change("paper.toml", '1.csv"', '1.csv", only = { unit = "h" }'), ["tables[0]", "expected rows in table_1.csv"]),
    ("no mark", change("table_1.csv", ",mark", ",marks"), ["table_1.csv: line 1", "expected a column `mark`"]),
    ("mark", change("table_1.csv", "STATED", "STATD"), ["table_1.csv: line 2: mark", '"STATED"?']),
    ("metric", change("table_1.csv", ",throughput", ",troughput"), ["table_1.csv: line 2: metric", '"throughput"?']),
    ("value", change("table_1.csv", "5.00,S", "5.0O,S"), ["table_1.csv: line 2: value", '"5.0O"', "expected a number"]),
    ("infinite", change("table_1.csv", "5.00,S", "1e999,S"), ["table_1.csv: line 2: value", "expected a number"]),
    ("cells", change("table_1.csv", "5.00,STATED", "5.00"), ["table_1.csv: line 2", "expected 7 cells"]),
    ("variant", change("table_1.csv", "G/FCFS,1", "G/FCF,1"), ["table_1.csv: line 2: variant", '"G/FCFS"?']),
    ("no variant", change("table_1.csv", "variant,", "row,"), ["table_1.csv: line 2: row", "variant, pair, window"]),
    ("source", change("table_1.csv", "G/FCFS,2", "G/FCFS,3"), ["table 1: G/FCFS, throughput", '"3"', "ftp1, ftp2"]),
    ("pattern", change("table_1.csv", "G/FCFS,2", "G/FCFS,*"), ["table 1: G/FCFS, throughput", 'found "*"', "ftp1, ftp2"]),
    ("link", change("table_1.csv", ",,slow", ",,slaw"), ["table 1: G/FQ, utilisation", '"slow"?']),
    ("compare", change("tolerances.toml", '"value"', '"vale"'), ["tolerances.toml: rules[0].compare", '"value"?']),
    ("negative", change("tolerances.toml", "0.01", "-1"), ["rules[0].absolute", "found -1"]),
    ("no reason", change("tolerances.toml", "reason =", "because ="), ["tolerances.toml: rules[0]"]),
    ("rule's item", change("tolerances.toml", "absolute", 'item = "two"\nabsolute'), ["rules[0].item", '"two-sources"?']),
    ("no rule", change("tolerances.toml", "absolute", 'source = "1"\nabsolute'), ["none fits two-sources, table 1, G/FCFS, 2"]),
    ("no rules", write("tolerances.toml", ""), ["tolerances.toml: expected the key `rules`"]),
    ("figure's kind", change("figures.toml", '"utility"', '"utlity"'), ["figures[0].kind", '"utility"?']),
    ("figure's item", change("figures.toml", '"two-sources"', '"sources"'), ["figures[0].item", '"two-sources"?']),
    ("series", change("figures.toml", '"G/FCFS", ', '"FCFS", '), ["figures[0].series[0]", '"G/FCFS"?']),
    ("option", change("figures.toml", "item =", 'top = 5\nitem ='), ["figures[0]", '"top"']),
    ("no list", write("claims.py", "claims = []\n"), ["claims.py: expected `CLAIMS = Claims()`"]),
    ("Python", write("claims.py", "CLAIMS = (\n"), ["claims.py, line 1: cannot be imported; SyntaxError"]),
    ("import", write("claims.py", "import no_such_module\n"), ["claims.py: cannot be imported; ModuleNotFoundError"]),
    ("claim's item", change("claims.toml", "[two-sources.N2]", "[sources.N2]"), ["claims.py: claim N2", '"two-sources"?']),
    ("no study", change("paper.toml", 'mean = "rtt_mean_s"', "study = true"), ["items[0]: expected the key `study`", "delay"]),
    ("trivial", change("paper.toml", 'mean = "rtt_mean_s"', 'mean = "rtt_mean_s", trivial = 1'), ["metrics.delay.trivial", "found 1"]),
    ("order", change("table_1.csv", "5.00,S", "O(n log n),S"), ["line 2: value", "expected O(1), O(log(n)) or O(n)"]),
    ("study", change("paper.toml", "scenario =", 'study = "mine"\nscenario ='), ["two-sources.study", "mine.py"]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "parts"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_what_is_wrong_is_named_with_its_place(change: Break, parts: list[str], paper: Path, cli: Cli) -> None:
    change(paper)
    done = cli("reproduce", "./mypaper", "--seeds", "0", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    message = " ".join(done.stderr.split())
    assert [p for p in parts if p not in message] == [], message
    assert "Traceback" not in message


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("demers1988", 'Did you mean "demers1989"?'),
        ("mypaper", "Did you mean ./mypaper?"),
        ("./mypapers", "found no such folder"),
    ],
)
def test_a_paper_that_is_not_there(name: str, part: str, paper: Path, cli: Cli) -> None:
    done = cli("reproduce", name)
    assert done.returncode == 2
    assert part in " ".join(done.stderr.split())


MINE = "from headgate.papers.study import Shown\n\n\ndef study(runs, progress):\n    "

#: What is wrong in code that runs, and what the message must say: the file, the line, what was being done, and what happened.
FAILS: list[tuple[str, Break, list[str]]] = [
    ("exception", change("claims.py", "    return", "    1 / 0\n    return"), ["claims.py, line 9: claim N2: ZeroDivi"]),
    ("index", change("claims.py", "delays[1],", "delays[2],"), ["mypaper/claims.py, line 9: claim N2: IndexError: list index"]),
    ("metric", change("claims.py", '"delay"', '"dealy"'), ["claims.py, line 8: claim N2: there is no metric", '"delay"?']),
    ("no verdict", change("claims.py", "    return ", "    _ = "), ["claims.py: claim N2: found None; expected whether it holds"]),
    ("no text", change("claims.py", ', f"{listed(delays)} s"', ""), ["claims.py: claim N2: found", "expected whether it holds"]),
    ("study", write("mine.py", MINE + "runs.of('G/FQ', 'delay', '7')"), ["mypaper/mine.py, line 5: study of two-sources: source '7'"]),
    ("study's result", write("mine.py", MINE + "return 5"), ["mypaper/mine.py: study of two-sources: found 5; expected a Shown"]),
    ("drawing", write("mine.py", MINE + "return Shown((), {'figure-1': lambda: [][1]})"), ["mine.py, line 5: figure figure-1: IndexError"]),
    ("no drawing", write("mine.py", MINE + "return Shown(())"), ["mypaper/mine.py: figure figure-1: there is no figure of this study"]),
]  # fmt: skip


@pytest.mark.parametrize(("change_", "parts"), [b[1:] for b in FAILS], ids=[b[0] for b in FAILS])
def test_code_of_a_paper_that_fails_is_named_with_its_line(
    change_: Break, parts: list[str], paper: Path, cli: Cli
) -> None:
    change_(paper)
    if (paper / "mine.py").exists():
        change("paper.toml", "scenario =", 'study = "mine"\nscenario =')(paper)
        change("figures.toml", '"utility"', '"study"')(paper)
    done = cli("reproduce", "./mypaper", "--seeds", "0", "--report", "out")
    assert done.returncode == 2
    message = " ".join(done.stderr.split())
    assert [p for p in parts if p not in message] == [], message
    assert "Traceback" not in message
