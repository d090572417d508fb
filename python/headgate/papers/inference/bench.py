"""What runs give for settings of unknowns. A run that several settings have in common is made once."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...base.errors import HeadgateError
from ..build import build_scenario, traced_of, traces_of, zero_of
from ..claims import Claim, Runs, claims_of
from ..examine import examine_all
from ..levels import Setting, Unknown
from ..measure import TABLES, Outcome
from ..model import Item, Paper, PaperError, Variant
from ..runs import run_all
from ..settings import item_with_setting, with_setting
from ..study import study_of
from .rows import Floats, Row

#: Runs of items at a time, of as many starts as that makes.
_TOGETHER = 64


class Bench:
    """Runs rows under settings, and keeps what they gave: an array of shape (starts, cells) for each scenario."""

    def __init__(self, paper: Paper, unknowns: Sequence[Unknown]) -> None:
        """A bench for some of a paper's unknowns."""
        self.paper = paper
        self.unknowns = tuple(unknowns)
        self.runs = 0
        self._metrics = dict(paper.metrics)
        self._texts: dict[tuple[str, tuple[int, ...]], str] = {}
        self._plain: dict[tuple[str, str, str, tuple[str, ...]], str] = {}
        #: The second from which times of a scenario are counted.
        self._zeros: dict[str, float] = {}
        self._found: dict[tuple[str, str], dict[int, Floats]] = {}

    def text(self, row: Row, setting: Setting) -> str:
        """The scenario of a row under a setting, as JSON.

        Raises:
            PaperError: an unknown names nothing in it.
        """
        if row.kind != "tables":
            return self._whole(row, setting)
        key = (row.name, tuple(setting.get(u.name, u.default) for u in self.unknowns))
        if key not in self._texts:
            try:
                item, variant = with_setting(row.item, row.variant, self.unknowns, setting)
                scenario = build_scenario(item, variant, phases=variant.seeds)
            except HeadgateError as e:
                raise PaperError(f"{self.paper.name}: unknowns: {row.name}: {e}") from None
            # A run's name changes nothing in it.
            scenario.pop("name", None)
            self._texts[key] = json.dumps(scenario, sort_keys=True)
            self._zeros[self._texts[key]] = zero_of(item, variant) if variant.seeds else 0.0
        return self._texts[key]

    def _whole(self, row: Row, setting: Setting) -> str:
        """The scenarios of an item's variants under a setting, as one text."""
        key = (row.item.name, tuple(setting.get(u.name, u.default) for u in self.unknowns))
        if key not in self._texts:
            item = item_with_setting(row.item, self.unknowns, setting)
            self._texts[key] = "\n".join(self.texts(item, row.item, lambda item, v: ()))
        return self._texts[key]

    def texts(self, item: Item, plain: Item, traces: Callable[[Item, Variant], Sequence[str]]) -> list[str]:
        """The scenarios of an item's variants; of those that a setting left as they are in the `plain` item they are made once."""
        out = []
        for v, same in zip(item.variants, plain.variants, strict=True):
            key = (item.name, v.name, item.phase, tuple(traces(item, v)))
            text = self._plain.get(key) if v is same else None
            if text is None:
                text = json.dumps(build_scenario(item, v, phases=v.seeds, traces=key[-1]))
                if v is same:
                    self._plain[key] = text
            out.append(text)
        return out

    def touches(self, unknown: Unknown, row: Row) -> bool:
        """Whether a level of the unknown makes another scenario of a row."""
        plain = self.text(row, {})
        return any(self.text(row, {unknown.name: level}) != plain for level in range(len(unknown.levels)))

    def fill(self, wanted: Iterable[tuple[Row, Setting]], starts: range) -> None:
        """Makes the runs that are not there yet, on all processors.

        Raises:
            ScenarioError: a setting makes no valid scenario.
        """
        jobs: dict[tuple[str, str, int], tuple[Row, tuple[str, None, int]]] = {}
        whole: dict[str, dict[str, tuple[list[Row], Setting]]] = {}
        for row, setting in wanted:
            if row.kind != "tables":
                of_item = whole.setdefault(row.item.name, {})
                of_item.setdefault(self.text(row, setting), ([], setting))[0].append(row)
                continue
            text = self.text(row, setting)
            kept = self._found.setdefault((row.name, text), {})
            for start in self.starts(row, starts):
                if start not in kept:
                    jobs[row.name, text, start] = (row, (text, None, start))
        rows = [row for row, _ in jobs.values()]
        texts = [text for _, text, _ in jobs]
        found = run_all(
            [job for _, job in jobs.values()],
            lambda k, result: rows[k].measured(Outcome(result, self._zeros[texts[k]]), self._metrics),
            TABLES,
        )
        self.runs += len(jobs)
        for (name, text, start), values in zip(jobs, found, strict=True):
            self._found[name, text][start] = values
        for of_item in whole.values():
            self._fill_item(of_item, starts)

    def _fill_item(self, wanted: Mapping[str, tuple[Sequence[Row], Setting]], starts: range) -> None:
        """Makes the runs of an item under some settings, by their texts. What several of them have in common is run once for all."""
        made = [WholeStudy(self, text, rows, setting, starts) for text, (rows, setting) in wanted.items()]
        every = sorted({start for one in made for start in one.span})
        # As many starts at a time as keep all processors busy; their results are held until all settings were judged.
        step = max(1, _TOGETHER // max(sum(len(one.texts) for one in made), 1))
        for first in range(0, len(every), step):
            here = every[first : first + step]
            zeros = {job: zero for one in made for start in one.span if start in here for job, zero in one.jobs(start)}
            jobs = list(zeros)
            found = run_all(jobs, lambda k, result: Outcome(result, zeros[jobs[k]]), TABLES)  # noqa: B023
            self.runs += len(jobs)
            outcomes = dict(zip(jobs, found, strict=True))
            for one in made:
                for start in one.span:
                    if start in here:
                        one.judge(start, [outcomes[job] for job, _ in one.jobs(start)])

    @staticmethod
    def starts(row: Row, starts: range) -> range:
        """The runs of a row: one where nothing in it is left to the start."""
        left = (
            row.variant.seeds
            if row.kind == "tables"
            else row.item.repeated or (any(v.seeds for v in row.item.variants) and row.item.seeds > 0)
        )
        return starts if left else range(1)

    def values(self, row: Row, setting: Setting, starts: range | None = None) -> Floats:
        """What the runs of a row gave under a setting, shape (starts, cells); all that were made unless `starts` are given."""
        kept = self._found[row.name, self.text(row, setting)]
        chosen = sorted(kept) if starts is None else [s for s in self.starts(row, starts) if s in kept]
        return np.array([kept[s] for s in chosen])

    def known(self, row: Row) -> Mapping[str, Floats]:
        """What all runs of a row gave, by scenario."""
        return {
            text: np.array([by[s] for s in sorted(by)])
            for (name, text), by in self._found.items()
            if name == row.name and by
        }

    def keep(self, row: Row, text: str) -> dict[int, Floats]:
        """What was found of a row under a setting, by start."""
        return self._found.setdefault((row.name, text), {})


class WholeStudy:
    """An item under a setting: the runs of all its variants at each start, its study and its claims.

    Each start stands alone here, whatever the paper judges its claims by.
    """

    def __init__(self, bench: Bench, text: str, rows: Sequence[Row], setting: Setting, starts: range) -> None:
        first = rows[0].item
        traced = traced_of if first.over_starts else traces_of
        self.paper = bench.paper
        self.item = replace(item_with_setting(first, bench.unknowns, setting), base="together")
        self.kept = [(row, bench.keep(row, text)) for row in rows]
        self.span = [s for s in Bench.starts(rows[0], starts) if any(s not in kept for _, kept in self.kept)]
        self.texts = bench.texts(self.item, first, traced) if self.span else []

    def jobs(self, start: int) -> list[tuple[tuple[str, None, int], float]]:
        """The runs at a start, each with the second from which its times are counted."""
        variants = zip(self.item.variants, self.texts, strict=True)
        return [((t, None, start if v.seeds else 0), zero_of(self.item, v) if v.seeds else 0.0) for v, t in variants]

    def judge(self, start: int, found: Sequence[Outcome]) -> None:
        """Keeps what the study and the claims say of a start."""
        base = dict(zip((v.name for v in self.item.variants), found, strict=True))
        runs = Runs(self.paper, self.item, base, {name: [o] for name, o in base.items()}, together=base, start=start)
        rows = [row for row, _ in self.kept]
        # A study may take deviations over starts, of which there is one here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            values = study_of(runs, None).values if any(r.kind == "study" for r in rows) else {}
        claims = {c.id: c for c in claims_of(self.paper) if c.item == self.item.name}
        for row, kept in self.kept:
            if row.kind == "claim":
                kept[start] = np.array([_holds(claims[row.label], runs)])
            else:
                cells = [values.get((n.metric, n.row, n.source), np.nan) for n in row.numbers]
                kept[start] = row.ranked(np.array(cells, dtype=np.float64))


def _holds(claim: Claim, runs: Runs) -> float:
    """1 if a claim holds, 0 if not; nan where it cannot be tested, since a level may leave nothing of what it looks at."""
    try:
        holds = examine_all([claim], runs)[0].holds
    except PaperError:
        return np.nan
    return np.nan if holds is None else float(holds)
