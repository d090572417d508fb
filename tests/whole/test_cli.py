"""Commands as a user types them, and the machine-readable forms."""

from __future__ import annotations

import json
import re
import signal
import tomllib
from pathlib import Path

import jsonschema
import pytest

from headgate.base.catalogue import KINDS, catalogue
from headgate.cli import group
from headgate.cli.commands import list as lists
from headgate.results.results import TABLES

from ..conftest import ROOT, Cli, dumbbell

EXAMPLES = sorted((ROOT / "scenarios").glob("*.toml"))
STUDIES = [f for f in EXAMPLES if "\n[sweep" in f.read_text()]
SCENARIOS = [f for f in EXAMPLES if f not in STUDIES]


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda f: f.stem)
def test_every_example_runs(file: Path, cli: Cli) -> None:
    done = cli("run", file, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    got = json.loads(done.stdout)
    assert {"scenario", "seed", "digest", "version", "flows", "links"} <= set(got)
    for flow in got["flows"]:
        assert {"mean", "std", "ci95"} <= set(flow["goodput_pps"])
        assert {"mean", "std", "ci95"} <= set(flow["rtt_s"])
        assert flow["drops"] >= 0
        assert flow["retransmissions"] >= 0
    # A line that an event changes has no one rate and delay to compare with; nor has one with frames, jitter or a trace.
    scenario = tomllib.loads(file.read_text())
    changed = {e["link"] for e in scenario.get("events", []) if "rate" in e or "delay" in e}
    changed |= {
        x["name"] for x in scenario.get("links", []) if {"framing", "jitter"} & x.keys() or isinstance(x["rate"], dict)
    }
    for port in got["calibration"]:
        if port["link"].removesuffix(":reverse") in changed:
            continue
        assert port["achieved_rate_bps"] == pytest.approx(port["rate_bps"], rel=1e-6)
        assert port["achieved_delay_s"] == pytest.approx(port["delay_s"], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("file", STUDIES, ids=lambda f: f.stem)
def test_every_study_is_right(file: Path, cli: Cli) -> None:
    done = cli("sweep", file, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    assert all(v["error"] is None for v in json.loads(done.stdout)["variants"])


def test_check_resolves_to_itself(cli: Cli, tmp_path: Path) -> None:
    first = cli("check", SCENARIOS[0])
    assert first.returncode == 0
    (tmp_path / "resolved.json").write_text(first.stdout)
    assert cli("check", "resolved.json").stdout == first.stdout


def test_the_schema_accepts_the_examples_and_refuses_unknown_keys(cli: Cli) -> None:
    schema = json.loads(cli("schema").stdout)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    for file in EXAMPLES:
        kind(schema).validate(tomllib.loads(file.read_text()))
    with pytest.raises(jsonschema.ValidationError):
        kind(schema).validate({**dumbbell(), "durration": "1s"})


def test_a_command_in_the_process_of_a_test_leaves_its_signals_alone(cli: Cli) -> None:
    assert cli("list", "papers").returncode == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_entry_says_how_it_deviates_from_its_source(cli: Cli) -> None:
    shown = " ".join(cli("list", "disciplines", "fq").stdout.split())
    assert "deviations from it: - Of packets with equal bids, which the papers leave open, the earlier arrival" in shown
    for kind in KINDS:
        for name, entry in catalogue(kind).items():
            # An empty list would mean that the head of its file has another form than the reader expects.
            assert entry.deviations and all(d[:1].isupper() or not d[:1].isalpha() for d in entry.deviations), name


@pytest.mark.parametrize("kind", lists.all_kinds())
def test_lists(kind: str, cli: Cli) -> None:
    entries = json.loads(cli("list", kind, "--json").stdout)
    assert entries
    printed = cli("list", kind).stdout
    for entry in entries:
        assert set(entry) == {"name", "source", "parameters"}
        assert entry["name"] in printed


@pytest.mark.parametrize("kind", lists.all_kinds())
def test_a_list_has_a_line_for_each_entry(kind: str, cli: Cli) -> None:
    entries = lists.catalogue(kind, more=True)
    heading, rule, *lines, empty, hint = cli("list", kind).stdout.splitlines()
    assert max(map(len, [heading, rule, *lines, hint])) <= 80
    assert empty == ""
    assert [line.split()[0] for line in lines] == [entry["name"] for entry in entries]
    start = heading.index("what it is")
    texts = [line[start:].rstrip() for line in lines]
    # Each says something else, but for other names of the same. Those that are written here are complete sentences; titles of papers are
    # not ours to shorten.
    assert kind == "short-names" or len(set(texts)) == len(texts)
    for text, entry in zip(texts, entries, strict=True):
        whole = " ".join(entry["summary"].split())
        assert whole.startswith(text.removesuffix(" …")), entry["name"]
        assert kind in ("papers", "short-names") or whole in (text, f"{text}.") or whole.startswith(f"{text}. "), text


def test_a_narrow_terminal_cuts_a_line_between_words(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = cli("list", "framings").stdout.splitlines()
    assert [line.rstrip() for line in lines[2:5]] == [
        "ethernet  Ethernet: 38 bytes with each …",
        "atm       ATM cells of 53 bytes that …",
        "fixed     A fixed number of bytes with …",
    ]


@pytest.mark.parametrize("kind", lists.all_kinds())
def test_a_list_has_every_description_and_describes_one_in_full(kind: str, cli: Cli) -> None:
    entries = lists.catalogue(kind, more=True)
    printed = cli("list", kind, "--long").stdout.splitlines()
    assert max(map(len, printed)) <= 80
    # The column in the middle, of each entry.
    start, end = printed[0].index("what it is"), max(printed[0].find("source"), printed[0].find("stands for"))
    column = " ".join(" ".join(line[start:end] for line in printed[2:-2]).split())
    assert column == " ".join(" ".join(entry["summary"].split()) for entry in entries)
    for entry in entries:
        one = cli("list", kind, entry["name"])
        assert one.returncode == 0
        assert max(map(len, one.stdout.splitlines())) <= 80, entry["name"]
        words = " ".join(one.stdout.split())
        for text in [entry["name"], entry["summary"], entry["source"], *entry.get("gauges", [])]:
            assert " ".join(text.split()) in words
        for parameter in entry["parameters"]:
            assert parameter["name"] in words
            assert " ".join(parameter["description"].split()) in words
            for key in ("default", "minimum", "maximum"):
                if parameter.get(key) is not None and key != "default":
                    assert f"{parameter[key]:g}" in words
            for meaning in parameter.get("meanings", []):
                assert " ".join((meaning or "").split()) in words


def test_a_list_without_a_kind_lists_the_kinds(cli: Cli) -> None:
    done = cli("list")
    assert done.returncode == 0
    for kind in lists.all_kinds():
        assert f"\n{kind} " in done.stdout
    assert [e["name"] for e in json.loads(cli("list", "--json").stdout)] == list(lists.all_kinds())
    assert cli("list", "controls").stdout == cli("list", "flow-controls").stdout
    assert [e["name"] for e in json.loads(cli("list", "controls", "cubic", "--json").stdout)] == ["cubic"]
    wrong = cli("list", "disciplines", "FQ")
    assert wrong.returncode == 2 and 'Did you mean "fq"?' in wrong.stderr


def test_out_writes_everything_and_diff_reads_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(dumbbell()))
    for name, seed, form in (("one", 1, "csv"), ("two", 1, "parquet"), ("three", 1, "json")):
        assert cli("run", "a.json", "--seed", seed, "--out", name, "--format", form).returncode == 0
        assert sorted(p.name for p in (tmp_path / name).iterdir()) == sorted(
            [*(f"{table}.{form}" for table in TABLES), "manifest.json", "summary.json"]
        )
    equal = cli("diff", "one", "two")
    assert equal.returncode == 0
    assert "equal" in equal.stdout
    (tmp_path / "b.json").write_text(json.dumps(dumbbell(queue={"kind": "fcfs", "buffer": "3pkt"})))
    other = cli("diff", "one", "b.json", "--json")
    assert other.returncode == 1
    found = json.loads(other.stdout)
    # The fifth packet is the first that finds the buffer of three full.
    assert found["equal"] is False
    assert found["event"] is not None
    assert found["events"][0] != found["events"][1]


@pytest.mark.parametrize("command", [[], *([name] for name in sorted(group.cli.commands))], ids=" ".join)
def test_help_fits_80_columns_and_breaks_no_word(command: list[str], cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli(*command, "--help").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if re.search(r"\w-$", line)]


def test_help_has_examples(cli: Cli) -> None:
    for command in ("run", "quick", "show", "sweep", "replay", "reproduce", "check", "schema", "list", "diff", "bench"):
        done = cli(command, "--help")
        assert done.returncode == 0
        assert f"headgate {command}" in done.stdout


@pytest.mark.slow
def test_bench(cli: Cli) -> None:
    done = cli("bench", "--quick", "--repeats", 1, "--json")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert {"name", "queue", "flows", "offered_pps", "bottleneck_pps", "cpu_s", "rss_mb"} <= set(got["workloads"][0])
    assert {"name", "flows", "ns_per_packet"} == set(got["disciplines"][0])
    # One gateway and one line: the data of W1 has one hop, that of W2 is acknowledged.
    w1, w2 = got["workloads"]
    assert w1["hops_pps"] == pytest.approx(w1["bottleneck_pps"], rel=0.01)
    assert w2["hops_pps"] == pytest.approx(2 * w2["bottleneck_pps"], rel=0.01)
    first, modern = got["controls"]
    assert (first["control"], first["times"], modern["control"]) == ("jk_reno", 1.0, "reno")
    assert modern["times"] == pytest.approx(first["bottleneck_pps"] / modern["bottleneck_pps"])
    # A flow under a flow control keeps records that one without does not.
    sizes = got["engine"]["bytes_per_controlled_flow"]
    assert all(got["engine"]["bytes_per_flow"] < size for size in sizes.values())
    assert got["engine"]["side_by_side"]["equal_digests"]
    assert got["engine"]["side_by_side"]["of_ideal"] > 0
