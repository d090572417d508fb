"""Statements of claims in a file beside their predicates, and what is wrong in them."""

from __future__ import annotations

from pathlib import Path

import pytest

import headgate
from headgate.papers import PaperError

from ..conftest import Cli
from .test_paper_folders import Break, change, paper, write

__all__ = ["paper"]


def stated(text: str) -> Break:
    """Statements in a file beside the predicates."""
    return write("claims.toml", text)


def test_statements_of_claims_may_stand_in_a_file(paper: Path) -> None:
    stated('[two-sources]\nN0 = "nobody tests it"\nN2 = "Windows wait"\n')(paper)
    (finding,) = headgate.reproduce(str(paper)).items[0].findings
    assert (finding.id, finding.text, finding.holds) == ("N2", "Windows wait", True)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[two-sources]\nN1 = 'Shares are equal'\n", "mypaper/claims.toml: expected the statement of claim N2"),
        ("[two-sources]\nN1 = 5\n", "mypaper/claims.toml: two-sources.N1: found 5; expected a text"),
        ("[two-sources]\nN1 = ''\n", "expected a text that is not empty"),
        ("[two]\nN2 = 'Shares are equal'\n", 'claim N2: found "two"'),
        ("N1\n", "mypaper/claims.toml: expected statements in TOML"),
    ],
)
def test_what_is_wrong_in_the_statements_is_named(text: str, part: str, paper: Path, cli: Cli) -> None:
    stated(text)(paper)
    done = cli("reproduce", "./mypaper")
    assert done.returncode == 2
    assert part in " ".join(done.stderr.split())


def test_a_claim_that_names_no_metric_says_so(paper: Path) -> None:
    change("claims.py", '"delay"', '"dealy"')(paper)
    with pytest.raises(PaperError, match="delay"):
        headgate.reproduce(str(paper))
