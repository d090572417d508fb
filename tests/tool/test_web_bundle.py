"""The page of the explorer that is committed was built from the sources that are committed, and stays small."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "python" / "headgate" / "explore" / "static"

#: What the whole page may take, compressed.
MOST_BYTES = 300_000


def stamp() -> str:
    """The hash that web/vite.config.ts writes."""
    names = ["index.html", "package-lock.json", "vite.config.ts"]
    names += [
        str(path.relative_to(WEB).as_posix())
        for path in (WEB / "src").rglob("*")
        if path.is_file() and path.parent.name != "generated"
    ]
    total = hashlib.sha256()
    for name in sorted(names):
        total.update(name.encode() + b"\0" + (WEB / name).read_bytes() + b"\0")
    return total.hexdigest()


@pytest.mark.skipif(not WEB.is_dir(), reason="the sources of the page are not part of this tree")
def test_the_bundle_was_built_from_these_sources() -> None:
    built = (STATIC / "STAMP").read_text().strip()
    assert built == stamp(), (
        "web/ has changed since the page was built: run `make explore` and commit python/headgate/explore/static"
    )


def test_the_page_is_small() -> None:
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in STATIC.rglob("*") if path.is_file())
    assert size < MOST_BYTES, f"the page takes {size} bytes compressed"


def test_the_page_asks_nobody_else() -> None:
    page = (STATIC / "index.html").read_text()
    for link in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert link.startswith("./assets/"), f"{link} is not part of the page"
        assert (STATIC / link).is_file(), f"{link} is missing"
    inline = re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=", page)
    assert not inline, "the page has inline scripts or styles, which its policy forbids"
