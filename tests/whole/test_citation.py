"""What follows from CITATION.cff and from the bibliography: files that are made from them, and references that nobody needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from typing import Any

import yaml

from headgate.base.bibliography import bibliography, sources
from headgate.base.catalogue import catalogue
from headgate.cli.schemes_used import PLACES
from headgate.papers.lists.papers import names
from headgate.papers.load import load_paper

from ..conftest import ROOT, of_docs

PAPER = (ROOT / "paper.md").read_text("utf-8")


def test_what_is_made_from_the_citation_is_what_it_says() -> None:
    done = subprocess.run(
        [sys.executable, "docs/citation.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_each_reference_is_in_use_and_each_reproduced_paper_has_one() -> None:
    cards = {one.key for kind in PLACES.values() for entry in catalogue(kind).values() for one in sources(entry.source)}
    # A comparison with the kernel is no paper.
    reproduced = {name for name in names() if not load_paper(name).ours} - {"linux_tcp"}
    pages = [(ROOT / page).read_text("utf-8") for page in ("docs/citation.py", "paper.md")]
    lists = set(re.findall(r"\w+", " ".join(pages)))
    assert reproduced <= set(bibliography())
    assert set(bibliography()) == cards | reproduced | (set(bibliography()) & lists)


def cff() -> dict[str, Any]:
    said: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return said


def front() -> dict[str, Any]:
    """The metadata of the paper."""
    said: dict[str, Any] = yaml.safe_load(PAPER.split("---\n")[1])
    return said


def test_the_metadata_of_the_paper_and_of_the_archive_agree_with_the_citation_and_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [author["name"] for author in cff()["authors"]]
    archive = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    assert cff()["title"] == project["name"]
    assert set(project["keywords"]) <= set(cff()["keywords"])
    assert project["license"] == " OR ".join(cff()["license"])
    assert front()["title"] == f"{project['name']}: {project['description'][0].lower()}{project['description'][1:]}"
    assert front()["tags"] == cff()["keywords"] == archive["keywords"]
    assert [author["name"] for author in front()["authors"]] == names
    assert [creator["name"] for creator in archive["creators"]] == names
    assert {author["affiliation"] for author in front()["authors"]} == {
        place["index"] for place in front()["affiliations"]
    }
    assert archive["version"] == cff()["version"]


def test_the_paper_has_its_sections_its_length_and_every_reference() -> None:
    assert re.findall(r"^# (.*)$", PAPER, re.M) == [
        "Summary", "Statement of need", "State of the field", "Functionality", "Quality control", "References",
    ]  # fmt: skip
    assert 250 <= len(PAPER.split("---\n", 2)[2].split()) <= 1000
    keys = of_docs("citation").cited(PAPER)
    assert len(keys) > 20
    assert keys == re.findall(r"^@\w+{(\w+),$", (ROOT / front()["bibliography"]).read_text("utf-8"), re.M)


def test_the_numbers_of_the_paper_are_those_of_generated_pages() -> None:
    def marked(page: str, mark: str) -> str:
        found = re.search(rf"<!-- {mark} -->(.*?)<!-- end -->", (ROOT / page).read_text("utf-8"), re.S)
        assert found is not None
        return " ".join(re.sub(r"\]\(\S+\)|\[", "", found[1]).split())

    text = " ".join(PAPER.split())
    for words in (marked("README.md", "schemes"), marked("docs/statement-of-need.md", "papers")):
        assert words in text, words
    # There is no other number but that of the digest's bits, and those in names.
    body = re.sub(r"\[@[^]]*\]|`[^`]*`|\w+-\d|64-bit|[A-Za-z]+\d+", "", text.split("# Summary")[1])
    assert set(re.findall(r"\d+", body)) == set(
        re.findall(r"\d+", marked("README.md", "schemes") + marked("docs/statement-of-need.md", "papers"))
    )
