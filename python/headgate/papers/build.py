"""The scenario of one variant: an item's scenario file with a protocol pair put in its places."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from fnmatch import fnmatchcase

from .. import _core
from ..base.errors import HeadgateError, cut
from ..scenario.scenario import assign
from .checks import one_of
from .claims import claims_of
from .folder import folder_of
from .measure import flow_called
from .model import Item, Measure, Paper, PaperError, Published, Table, Variant


def build_scenario(item: Item, variant: Variant, *, phases: bool = False, traces: Sequence[str] | None = None) -> Table:
    """The scenario to run; `traces` are those of the item unless given, and none with `phases`.

    The pair's flow control replaces that of every flow group whose name fits, except where it is `none` (sources without flow control
    stay so); the window stays the scenario's. The pair's discipline replaces that of every link that names one; the buffer stays the
    scenario's. With `phases` every flow starts at random within the item's phase, or up to that long before or after the flow that the
    item names as `around`, from whose start its times are counted.

    Raises:
        PaperError: the item has no scenario, or a setting names nothing in it.
    """
    source = variant.scenario or item.scenario
    if source is None:
        raise PaperError(f"{item.name} has no scenario yet")
    scenario: Table = copy.deepcopy(source)
    scenario["name"] = variant.name if variant.of else f"{item.name} {variant.name}"
    for flow in scenario["flows"]:
        flow["name"] = variant.rename.get(flow["name"], flow["name"])
        old = _table(flow.get("control", {}))
        if old.get("kind") != "none":
            new = _control(variant, flow["name"])
            if new is not None:
                flow["control"] = {**new, **({"window": old["window"]} if "window" in old else {})}
    for link in _lines(scenario):
        if variant.queue is not None and "queue" in link:
            link["queue"] = {
                **variant.queue,
                **({"buffer": old["buffer"]} if "buffer" in (old := _table(link["queue"])) else {}),
            }
    if phases:
        _spread(scenario, variant.phase or item.phase, around_of(item, variant), variant.name)
    if traces is None:
        traces = () if phases else traces_of(item, variant)
    if traces:
        scenario["traces"] = sorted({*scenario.get("traces", []), *traces})
    for path, value in variant.settings.items():
        try:
            assign(scenario, path, value, f"cannot set {path!r}")
        except HeadgateError as e:
            raise PaperError(f"{item.name}, variant {variant.name}: {e}") from None
    return scenario


def traces_of(item: Item, variant: Variant) -> Sequence[str]:
    """The traces of a variant's base run."""
    return item.traces if variant.traces is None else variant.traces


def traced_of(item: Item, variant: Variant) -> Sequence[str]:
    """The traces that every start of a variant has."""
    return item.traced if variant.traced is None else variant.traced


def around_of(item: Item, variant: Variant) -> str:
    """The flow from whose start times are counted, if there is one."""
    return item.around if variant.around is None else variant.around


def starts_differ(item: Item) -> bool:
    """Whether an item's sources start at random, and not all at once in every run."""
    return _seconds(item.phase) > 0


def zero_of(item: Item, variant: Variant) -> float:
    """The second of a run with random start phases from which times are counted."""
    return _seconds(variant.phase or item.phase) if around_of(item, variant) else 0.0


def _spread(scenario: Table, phase: str, around: str, variant: str) -> None:
    """Has flows start at random. The one that the others start around starts in the middle, and the intervals fit its periods."""
    if not around:
        for flow in scenario["flows"]:
            flow["start_spread"] = phase
        return
    shift = _seconds(phase)
    if around not in [f["name"] for f in scenario["flows"]] or any("start" in f for f in scenario["flows"]):
        raise PaperError(f"{variant}: around {around!r}; expected a flow of the scenario, all of which start at time 0")
    for flow in scenario["flows"]:
        flow.update({"start": phase} if flow["name"] == around else {"start_spread": f"{2 * shift:g}s"})
    if _seconds(scenario["interval"]) % shift:
        raise PaperError(f"{variant}: phase {phase}; expected a part of the interval of {scenario['interval']}")
    scenario["interval"] = phase
    scenario |= {key: f"{_seconds(scenario[key]) + shift:g}s" for key in ("duration", "warm_up")}


def _seconds(text: str) -> float:
    return float(_core.quantity(text)[2])


def _table(choice: Table | str) -> Table:
    """What a scenario writes as a name alone, such as `control = "none"`, as a table."""
    return {"kind": choice} if isinstance(choice, str) else choice


def _lines(scenario: Table) -> list[Table]:
    """The links that a scenario lists, and those of its topology by their kinds."""
    topology = scenario.get("topology", {})
    return [*scenario.get("links", []), *(topology[k] for k in ("line", "access", "ends", "exit") if k in topology)]


def _control(variant: Variant, flow: str) -> Table | None:
    for pattern, control in variant.controls.items():
        if fnmatchcase(flow, pattern):
            return dict(control)
    return None


def check_items(paper: Paper, items: Sequence[Item]) -> None:
    """Looks at claims, at every scenario, and at the flows and links that numbers are about, before anything is run.

    Raises:
        PaperError: one is wrong; the error names the item and the variant.
    """
    claims_of(paper)
    file = folder_of(paper).origin("paper.toml")
    for item in items:
        known: dict[str, Table] = {}
        for variant in item.variants if item.runs else ():
            place = f"{item.name}, variant {variant.name}"
            scenario = build_scenario(item, variant)
            try:
                known[variant.name] = json.loads(_core.check(json.dumps(scenario), _core.Control()))
                if variant is item.variants[0]:
                    _core.check(json.dumps(build_scenario(item, variant, phases=True)), _core.Control())
            except (TypeError, ValueError) as e:
                raise PaperError(f"{file}: {place}: {cut(e)}") from None
            except _core.ScenarioError as e:
                raise PaperError(f"{file}: {place}: {e}") from None
        for number in item.numbers:
            if number.row in known and not paper.metrics[number.metric].study:
                _check_place(file, item, number, known[number.row], paper.metrics[number.metric])


def _check_place(file: str, item: Item, number: Published, scenario: Table, metric: Measure) -> None:
    if metric.table == "classes":
        names = tuple(dict.fromkeys(f.get("class", f["name"]) for f in scenario["flows"]))
        one_of(file, f"{item.name}, {number.table}: {number.row}, {metric.name}", number.source, names, "class")
        return
    of_link = (metric.column and metric.table == "links") or (metric.trace and number.where.get("link"))
    kind = "links" if of_link else "flows"
    names = tuple(x["name"] for x in scenario[kind])
    source = number.source
    place = f"{item.name}, {number.table}: {number.row}, {number.metric}"
    if kind == "links":
        good = any(fnmatchcase(n, source) for n in (*names, *(f"{n}:reverse" for n in names)))
    else:
        several = "*" in source and bool(metric.to or (metric.column and metric.table == "flows"))
        good = any(fnmatchcase(n, source) for n in names) if several else flow_called(source, names) is not None
    if not good:
        one_of(file, place, source, names, f"{kind[:-1]} of the scenario")
