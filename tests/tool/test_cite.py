"""How to cite headgate and the schemes in use: every scheme has references, and every way to name schemes finds them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

import headgate
from headgate.base.bibliography import bibliography, own, sources
from headgate.base.catalogue import catalogue
from headgate.cli.schemes_used import PLACES, schemes_of
from headgate.scenario.links import link_of
from headgate.scenario.scenario import Scenario

from ..conftest import ROOT, Cli

SCHEMES = [(kind, entry.name) for kind in dict.fromkeys(PLACES.values()) for entry in catalogue(kind).values()]


@pytest.mark.parametrize(("kind", "name"), SCHEMES)
def test_each_part_of_the_source_of_a_scheme_has_a_reference(kind: str, name: str) -> None:
    source = catalogue(kind)[name].source
    found = [part for part in source.split("; ") if not sources(part)]
    assert not found, f"{found} of {source!r} is in no `cited` of bibliography.toml"


@pytest.mark.parametrize("key", sorted(bibliography()))
def test_an_entry_has_what_its_type_needs(key: str) -> None:
    found = bibliography()[key]
    needed = {
        "inproceedings": {"booktitle", "year"},
        "incollection": {"booktitle", "publisher", "year"},
        "article": {"journal", "volume", "number", "year"},
        "techreport": {"institution", "year"},
        "phdthesis": {"school", "year"},
        "book": {"publisher", "year"},
        "misc": {"howpublished"},
    }[found.type]
    assert needed <= set(found.fields)
    assert found.title and all(re.fullmatch(r"[^,]+(, [^,]+)?", name) for name in found.authors)
    assert re.fullmatch(r"\d{4}", found.fields.get("year", "1989"))
    assert re.fullmatch(r"10\.\d{4,5}/\S+", found.fields.get("doi", "10.1145/1"))
    # The braces of BibTeX are in pairs, and no field has a line of its own.
    text = found.bibtex()
    assert text.count("{") == text.count("}") and len(text.splitlines()) == 2 + text.count("= {")


def test_the_year_in_a_card_is_that_of_the_reference() -> None:
    for found in bibliography().values():
        said = [
            words[-4:]
            for words in found.cited
            if re.search(r" \d{4}$", words) and not words.startswith(("RFC", "arXiv"))
        ]
        assert all(year == found.fields["year"] for year in said), found.key
        # The words of a card have the surname of the first author.
        assert not said or found.cited[0].startswith(found.authors[0].split(",")[0]), found.key


def test_headgate_is_cited_as_citation_cff_says() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (own().title, list(own().authors)) == (said["title"], [author["name"] for author in said["authors"]])
    assert own().fields["note"] == f"Version {said['version']}" == f"Version {headgate.__version__}"


def test_a_scenario_is_cited_by_what_it_resolves_to(cli: Cli) -> None:
    found = json.loads(cli("cite", ROOT / "scenarios/two-sources.toml", "--json").stdout)
    # The links of hosts have the queue that they have unless given.
    assert [(one["list"], one["name"]) for one in found["schemes"]] == [
        ("disciplines", "fcfs"), ("disciplines", "fq"), ("flow-controls", "jk_reno"), ("workloads", "ftp"), ("workloads", "telnet"),
    ]  # fmt: skip
    assert [one["key"] for one in found["references"]] == ["demers1989", "jacobson1990", "rfc2001"]
    assert found["version"] == headgate.__version__ and found["headgate"]["key"] == "headgate"


def test_all_variants_of_a_study_count() -> None:
    found = schemes_of([Scenario.from_file(ROOT / "scenarios/queues-and-rates.toml")])
    assert [one.name for one in found if one.list == "disciplines"] == ["fcfs", "fq", "random_drop", "red"]


def test_an_aqm_within_a_queue_counts() -> None:
    scenario = headgate.quick.scenario("10Mbit/s", "20ms", "cubic", queue="drr:aqm=codel")
    assert [(one.list, one.name) for one in schemes_of([scenario])][:3] == [
        ("disciplines", "fcfs"), ("disciplines", "drr"), ("aqms", "codel"),
    ]  # fmt: skip


def test_a_link_and_a_line_are_cited_as_the_file(cli: Cli) -> None:
    scenario = headgate.quick.scenario("50Mbit/s", "20ms", ["cubic", "bbr3"], queue="cake")
    linked = cli("cite", link_of(scenario), "--json").stdout
    assert linked == cli("cite", "50Mbit/s", "20ms", "cubic", "bbr3", "cake", "--json").stdout
    assert {"bbr3", "cake", "cubic"} <= {one["name"] for one in json.loads(linked)["schemes"]}


def test_names_alone_are_schemes(cli: Cli) -> None:
    # A discipline and an AQM have this name.
    found = json.loads(cli("cite", "codel", "--json").stdout)
    assert [(one["list"], one["references"]) for one in found["schemes"]] == [
        ("disciplines", ["rfc8289"]),
        ("aqms", ["rfc8289"]),
    ]


def test_bibtex_is_a_file_of_entries_and_nothing_else(cli: Cli) -> None:
    text = cli("cite", "cubic", "--bibtex").stdout
    assert re.findall(r"^@\w+{(\w+),$", text, re.M) == ["headgate", "ha2008", "rfc9438"]
    assert all(re.match(r"@|  \w+ = {|}|$", line) for line in text.splitlines())


def test_an_own_control_has_no_source_and_its_code_is_not_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')")
    text = (ROOT / "scenarios/two-sources.toml").read_text("utf-8").replace('kind = "jk_reno"', 'kind = "mine"')
    file = tmp_path / "own.toml"
    file.write_text('plugins = ["mine.py"]\n' + text)
    done = cli("cite", file)
    assert re.search(r"^  flow-controls  mine +none of headgate's own: cite its author$", done.stdout, re.M), (
        done.stderr
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.toml"], "nowhere.toml: expected a scenario file"),
        (["cubix"], "found 'cubix'. Did you mean"),
        (["a.toml", "cubic"], "FILE: found 'cubic' beside a.toml; expected files alone, or words alone"),
        (["cubic", "--json", "--bibtex"], "--bibtex: found it beside --json"),
    ],
)
def test_what_is_wrong_is_named(cli: Cli, words: list[str], said: str) -> None:
    done = cli("cite", *words)
    assert said in done.stderr and not done.stdout and done.returncode == 2
