"""Several papers one after the other: an item that fails does not stop the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ... import __version__, _core
from ...base.errors import HeadgateError, cut
from ..build import check_items
from ..load import load_paper
from ..model import Item, Paper
from ..packaged import list_papers
from ..reproduction import ItemResult, Reproduction
from ..runner import each_item
from ..runs import Work
from ..runs.store import KeepError
from ..study import Shown
from .summary import row_of


@dataclass(frozen=True)
class Failure:
    """An item that could not be reproduced, and why."""

    paper: str
    item: str
    error: str


@dataclass(frozen=True)
class Took:
    """What something took: seconds of this session, processor seconds, runs, and how many of them were kept.

    Processor seconds are all that it took, those spent before an interruption and on a cluster among them.
    """

    seconds: float
    cpu_s: float
    runs: int
    kept: int


@dataclass(frozen=True)
class PaperResult:
    """What a paper gave. Its results have no runs any more: they would not fit into memory for all papers."""

    reproduction: Reproduction
    failures: tuple[Failure, ...]
    took: Took
    #: What each item took.
    items: tuple[Took, ...]

    @property
    def paper(self) -> Paper:
        """The paper."""
        return self.reproduction.paper


@dataclass(frozen=True)
class Whole:
    """What all papers gave, and what it took."""

    papers: tuple[PaperResult, ...]
    took: Took

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The items that failed."""
        return tuple(f for p in self.papers for f in p.failures)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form. It has no times: it is the same whether the work was interrupted or not."""
        return {
            "headgate": __version__,
            "papers": [row_of(p.reproduction) for p in self.papers],
            "reproductions": [p.reproduction.to_dict() for p in self.papers],
            "failures": [vars(f) for f in self.failures],
        }


class Watcher(Protocol):
    """Who receives reports of progress."""

    def begin(self, paper: Paper, item: Item, done: int, total: int) -> None:
        """An item begins, after `done` of `total`."""

    def end(self, paper: Paper, item: Item, result: ItemResult | Failure, took: Took) -> None:
        """It ended."""


def papers_of(ours: bool = False) -> list[Paper]:
    """The papers of the package in the order of their years; those that are experiments of our own follow if they are asked for.

    Raises:
        PaperError: something in a folder is wrong.
    """
    found = sorted((load_paper(name) for name in list_papers()), key=lambda p: (p.ours, _year(p.name), p.name))
    return [p for p in found if ours or not p.ours]


def _year(name: str) -> str:
    """The year at the end of a paper's name."""
    return name[-4:]


def reproduce_all(
    papers: Sequence[Paper],
    work: Work,
    watcher: Watcher,
    each: Callable[[Reproduction, Sequence[tuple[str, str]]], object],
    *,
    seeds: int = 0,
    count_instructions: bool = False,
) -> Whole:
    """Reproduces papers.

    `each` is called with every paper as soon as it is there, while it still has its runs, and with its items that failed and why.

    Raises:
        PaperError: something in a folder is wrong; nothing was run.
        KeepError: finished runs cannot be kept.
    """
    for paper in papers:
        check_items(paper, paper.items)
    total, done, found = sum(len(p.items) for p in papers), 0, list[PaperResult]()
    clock = _Clock(work)
    for paper in papers:
        results, failures, times = list[ItemResult](), list[Failure](), list[Took]()
        own = _Clock(work)
        for item in paper.items:
            watcher.begin(paper, item, done, total)
            its = _Clock(work)
            result = _try(paper, item, work, seeds, count_instructions)
            if isinstance(result, Failure):
                failures.append(result)
            else:
                results.append(result)
                times.append(its.took())
            watcher.end(paper, item, result, its.took())
            done += 1
        whole = Reproduction(paper, tuple(results))
        each(whole, [(f.item, f.error) for f in failures])
        light = Reproduction(paper, tuple(_light(r) for r in results))
        found.append(PaperResult(light, tuple(failures), own.took(), tuple(times)))
    return Whole(tuple(found), clock.took())


def _try(paper: Paper, item: Item, work: Work, seeds: int, count_instructions: bool) -> ItemResult | Failure:
    try:
        (result,) = each_item(paper, [item], seeds=seeds, count_instructions=count_instructions, work=work)
    except KeepError:
        raise
    except MemoryError:
        return Failure(paper.name, item.name, "no memory is left")
    except (HeadgateError, _core.ScenarioError) as e:
        return Failure(paper.name, item.name, str(e))
    except Exception as e:
        return Failure(paper.name, item.name, f"{type(e).__name__}: {cut(e)}")
    return result


def _light(result: ItemResult) -> ItemResult:
    """A result without its runs and drawings."""
    study = None if result.study is None else Shown(result.study.sections)
    return replace(result, runs=None, study=study)


class _Clock:
    """Looks at what is spent from now on."""

    def __init__(self, work: Work) -> None:
        self._work, self._before = work, self._now(work)

    @staticmethod
    def _now(work: Work) -> tuple[float, float, int, int]:
        return time.monotonic(), time.process_time() + work.elsewhere_s, work.runs, work.kept

    def took(self) -> Took:
        """What was spent until now."""
        then, now = self._before, self._now(self._work)
        return Took(now[0] - then[0], now[1] - then[1], now[2] - then[2], now[3] - then[3])
