"""Papers on the page: those of a report, or one that is reproduced here item by item."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...base.errors import HeadgateError, cut
from ...explore.wire import RequestError
from ..load import load_paper
from ..model import Paper
from ..packaged import list_papers
from ..record import FILE, record_of, waiting
from ..record_reader import LONGEST, RecordedItem, RecordedNumber, RecordedPaper, read_record, understood
from ..reproduction import ItemResult, Reproduction

#: Maximum number of papers in a report.
MOST = 100


@dataclass
class Shelf:
    """The papers that the page shows. `here` are those that can be reproduced on it."""

    papers: dict[str, RecordedPaper]
    here: Mapping[str, Paper]

    def __post_init__(self) -> None:
        """Several threads use it."""
        self._lock = threading.Lock()

    def paper(self, name: str) -> RecordedPaper:
        """A paper by its name.

        Raises:
            RequestError: there is none.
        """
        with self._lock:
            if name not in self.papers:
                raise RequestError(404, f"paper {cut(name)!r}; expected one of {cut(', '.join(self.papers))}")
            return self.papers[name]

    def item(self, paper: str, name: str) -> RecordedItem:
        """An item of a paper.

        Raises:
            RequestError: there is none.
        """
        items = self.paper(paper).items
        for item in items:
            if item.item == name:
                return item
        raise RequestError(404, f"item {cut(name)!r}; expected one of {cut(', '.join(i.item for i in items))}")

    def number(self, paper: str, item: str, number: int) -> RecordedNumber:
        """A number of an item, by its place in the list.

        Raises:
            RequestError: there is none.
        """
        numbers = self.item(paper, item).numbers
        if not 0 <= number < len(numbers):
            raise RequestError(404, f"number {cut(number)}; expected a number below {len(numbers)}")
        return numbers[number]

    def put(self, paper: str, result: ItemResult) -> RecordedItem:
        """Stores the results of an item that was reproduced here."""
        record = record_of(Reproduction(self.here[paper], (result,)))
        (item,) = understood(record, paper).items
        with self._lock:
            before = self.papers[paper]
            items = tuple(item if i.item == item.item else i for i in before.items)
            self.papers[paper] = replace(before, items=items)
        return item


def shelf_of(file: Path, allow_code: bool = False) -> Shelf | None:
    """The papers of a report's folder, of a paper's own folder, or of a paper's name; None if it is none of these.

    `allow_code` says whether the files in Python of a paper's own folder may run.

    Raises:
        CodeError: they would have to run.
        HeadgateError: a file of the report is wrong, there is no such paper, or something in its folder is wrong.
    """
    if file.is_dir():
        found = _reports(file)
        if found:
            return Shelf({p.paper: p for p in map(read_record, found)}, {})
        own = str(file) if file.is_absolute() else f"./{file}"
        return _own(own, allow_code) if (file / "paper.toml").is_file() else None
    name = str(file)
    if name in list_papers() and not file.exists():
        return _own(name, allow_code)
    return None


def _own(name: str, allow_code: bool) -> Shelf:
    """A paper whose items were not reproduced yet."""
    paper = load_paper(name, look=not allow_code)
    record = record_of(Reproduction(paper, tuple(waiting(paper, item) for item in paper.items)))
    return Shelf({paper.name: understood(record, paper.name)}, {paper.name: paper})


def reports_in(folder: Path) -> list[Path]:
    """The files of a report: that in the folder itself, or those in the folders within it."""
    places = [folder] if (folder / FILE).is_file() else sorted(d for d in folder.iterdir() if d.is_dir())
    return [d / FILE for d in places if (d / FILE).is_file()]


def _reports(folder: Path) -> list[Path]:
    """The files of a report; none is outside the folder."""
    whole, files = folder.resolve(), reports_in(folder)
    for file in files:
        if not file.resolve().is_relative_to(whole):
            raise HeadgateError(f"{file}: lies outside the folder; expected a file in it")
    size = sum(file.stat().st_size for file in files)
    if len(files) > MOST or size > LONGEST:
        raise HeadgateError(
            f"{folder}: found {len(files)} papers and {size} bytes; expected at most {MOST} papers and {LONGEST // 1_000_000} MB"
        )
    return files
