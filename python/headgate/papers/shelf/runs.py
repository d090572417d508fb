"""The runs behind a paper's numbers: the scenario of one, what it gives by the paper's own measures, and items that are reproduced."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from ... import _core
from ...base.errors import HeadgateError, cut
from ...explore.compare import changed
from ...explore.engine import run
from ...explore.wire import RequestError, StoppedError
from ...scenario.scenario import Scenario
from ..measure import Outcome, flow_called
from ..model import Measure, PaperError, Table
from ..record_reader import RecordedItem, RecordedNumber, RecordedPaper, RecordedVariant
from ..runner import each_item
from ..runs import Work
from .answers import number_sentences, shown, value_text
from .shelf import Shelf

#: Of numbers that no single run gives.
_STUDIED = (
    "The item's study measures this number, from several runs or by a formula: the value of one run does not stand beside it. "
    "This is one of the item's runs."
)


def variant_of(item: RecordedItem, name: str) -> RecordedVariant:
    """A variant of an item.

    Raises:
        RequestError: there is none.
    """
    if name not in item.by_name:
        raise RequestError(404, f"variant {cut(name)!r}; expected one of {cut(', '.join(item.by_name))}")
    return item.by_name[name]


def scenario_of_run(variant: RecordedVariant, number: int) -> Table:
    """The scenario of a run of a variant: in run 0 all sources start at once, the others begin at random phases.

    Raises:
        RequestError: it has no run of this number.
    """
    if not 0 <= number <= variant.starts:
        raise RequestError(404, f"run {cut(number)} of {cut(variant.name)}; expected one from 0 to {variant.starts}")
    return variant.scenario if number == 0 or variant.phases is None else variant.phases


def opened(
    paper: RecordedPaper, item: RecordedItem, number: int | None, claim: str | None, variant: str | None, at: int | None
) -> dict[str, Any]:
    """What the page needs to show the run behind a number or a claim.

    Args:
        paper: that it is of.
        item: that it is of.
        number: its place in the list of the item; None for a run without one.
        claim: the name of the claim for which the run was opened.
        variant: the name of the variant; that of the number unless given.
        at: the number of the run; the base run unless given.

    Raises:
        RequestError: there is no such number, claim, variant or run.
    """
    of = None if number is None else item.numbers[number]
    name = variant or (of.variant if of is not None else None)
    if name is None:
        raise RequestError(422, "this number is read off no single run; expected the name of a variant beside it")
    found = variant_of(item, name)
    at = found.base if at is None else at
    scenario = scenario_of_run(found, at)
    own = of is not None and of.variant == name
    return {
        "paper": paper.paper, "item": item.item, "number": number, "claim": claim, "variant": name, "run": at, "base": found.base,
        "scenario": scenario,
        "heading": f"{paper.paper}, {item.item}: {item.title}",
        "said": _sentences(item, of, claim),
        "runs": [
            {"run": k, "value": value_text(of.values[k], of.published) if own and of is not None and k < len(of.values) else "",
             "best": any(r.row == name and r.best_start == k and (of is None or of.source in r.sources) for r in item.rows)}
            for k in range(found.starts + 1)
        ],
        "digest": found.digest if at == found.base else None,
        "value": value_text(of.values[at], of.published) if own and of is not None and at < len(of.values) else None,
        "unit": "" if of is None else of.unit,
        "measured": own,
        **(_marked(paper.metrics[of.metric], of, scenario) if own and of is not None else {"flows": [], "port": None}),
    }  # fmt: skip


def _sentences(item: RecordedItem, number: RecordedNumber | None, claim: str | None) -> list[str]:
    if number is not None:
        sentences = number_sentences(number)
        if number.variant is None:
            sentences.append(_STUDIED)
        return sentences
    if claim is None:
        return ["This is one of the item's runs."]
    for c in item.claims:
        if c.id == claim:
            verdict = {True: "It holds", False: "It does not hold", None: "It is not decided"}[c.holds]
            sentences = [f"Claim {c.id}: {c.text}", f"{verdict}{f'; measured: {c.measured}' if c.measured else ''}."]
            return [*sentences, f"Why it fails: {c.why}"] if c.why else sentences
    raise RequestError(404, f"claim {cut(claim)!r}; expected one of {cut(', '.join(c.id for c in item.claims))}")


def _marked(metric: Measure, number: RecordedNumber, scenario: Table) -> dict[str, Any]:
    """The flows, or the port, that a number is about."""
    source = number.source
    resolved: dict[str, Any] = json.loads(_core.check(json.dumps(scenario), _core.Control()))
    flows = [f["name"] for f in resolved["flows"]]
    if metric.table == "classes":
        return {"flows": [f["name"] for f in resolved["flows"] if f.get("class", f["name"]) == source], "port": None}
    if metric.column and metric.table == "links":
        names = [n for x in resolved["links"] for n in (x["name"], f"{x['name']}:reverse")]
        return {"flows": [], "port": next((n for n in names if fnmatchcase(n, source)), None)}
    if "*" in source:
        return {"flows": [f for f in flows if fnmatchcase(f, source)], "port": None}
    flow = flow_called(source, tuple(flows))
    return {"flows": [] if flow is None else [flow], "port": None}


def measured(
    paper: RecordedPaper,
    item: RecordedItem,
    variant: str,
    at: int,
    scenario: Scenario,
    control: _core.Control,
) -> dict[str, Any]:
    """What a run gives for all numbers of a variant, by the paper's own measures; the scenario may have been changed.

    The run is that of the reproduction, with the intervals of the paper: means over intervals depend on them.

    Raises:
        RequestError: there is no such variant or run.
        ScenarioError: something in the scenario is wrong.
        StoppedError: the control stopped it.
    """
    found = variant_of(item, variant)
    own = scenario_of_run(found, at)
    result = run(scenario.base(), None, control, at)
    outcome = Outcome(result, found.zero_s if at else 0.0)
    values = []
    for k, number in enumerate(item.numbers):
        if number.variant == variant:
            value = _value(outcome, paper.metrics[number.metric], number)
            values.append({"number": k, "value": value, "text": value_text(value, number.published)})
    differ = [] if scenario.data == own else changed(Scenario(own).resolve(), scenario.base().resolve())
    return {"values": values, "digest": result.digest, "changed": differ[:100]}


def _value(outcome: Outcome, metric: Measure, number: RecordedNumber) -> float | None:
    try:
        value = outcome.value(metric, number.source, number.published.span).mean
    except PaperError:  # The flow is not there any more.
        return None
    return None if value != value else value


class _End(BaseException):
    """The work was stopped. It derives from BaseException, so that a paper's own code does not catch it."""


class Reproducer:
    """Reproduces items, one at a time, on threads of this process."""

    def __init__(self, shelf: Shelf, threads: int, most_bytes: int) -> None:
        """`most_bytes`: that its runs may take together."""
        self._shelf, self._threads, self._most = shelf, threads, most_bytes
        self._busy = threading.Lock()

    def work(
        self, paper: str, item: str, stopped: threading.Event, report: Callable[[float], None]
    ) -> Callable[[_core.Control], dict[str, Any]]:
        """What reproduces an item until `stopped` is set, and gives what the page shows of it; `free` follows when it has ended.

        Raises:
            RequestError: there is no such item, the page shows a report, or another item is being reproduced.
        """
        self._shelf.item(paper, item)
        if paper not in self._shelf.here:
            raise RequestError(422, "the page shows a report; expected a paper's name: headgate explore PAPER")
        if not self._busy.acquire(blocking=False):
            raise RequestError(
                503, "another item is being reproduced; expected one at a time: try again when it is done"
            )

        def work(_: _core.Control) -> dict[str, Any]:
            return self._reproduced(paper, item, stopped, report)

        return work

    def free(self) -> None:
        """The work ended, or never began."""
        self._busy.release()

    def _reproduced(
        self, paper: str, item: str, stopped: threading.Event, report: Callable[[float], None]
    ) -> dict[str, Any]:
        here = self._shelf.here[paper]

        def progress(share: float, done: int, total: int) -> None:
            del done, total
            if stopped.is_set():
                raise _End
            report(share)

        work = Work(self._threads, progress=progress, max_memory=self._most)
        try:
            (result,) = each_item(here, [here.item(item)], work=work)
        except _End:
            raise StoppedError from None
        except _core.ScenarioError as e:
            raise HeadgateError(str(e)) from None
        found = self._shelf.put(paper, result)
        return shown(self._shelf.paper(paper), found, True)
