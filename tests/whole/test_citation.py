"""What follows from CITATION.cff and from the bibliography: files that are made from them, and references that nobody needs."""

from __future__ import annotations

import re
import subprocess
import sys

from headgate.base.bibliography import bibliography, sources
from headgate.base.catalogue import catalogue
from headgate.cli.schemes_used import PLACES
from headgate.papers.lists.papers import names
from headgate.papers.load import load_paper

from ..conftest import ROOT


def test_what_is_made_from_the_citation_is_what_it_says() -> None:
    done = subprocess.run(
        [sys.executable, "docs/citation.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_each_reference_is_in_use_and_each_reproduced_paper_has_one() -> None:
    cards = {one.key for kind in PLACES.values() for entry in catalogue(kind).values() for one in sources(entry.source)}
    # A comparison with the kernel is no paper.
    reproduced = {name for name in names() if not load_paper(name).ours} - {"linux_tcp"}
    lists = set(re.findall(r"\w+", (ROOT / "docs/citation.py").read_text("utf-8")))
    assert reproduced <= set(bibliography())
    assert set(bibliography()) == cards | reproduced | (set(bibliography()) & lists)
