"""Tests of parameters, and runs in other processes: what flow controls and disciplines have in common."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ... import _core
from ...base.catalogue import LISTS, Parameter, catalogue
from ...base.errors import HeadgateError, ScenarioError
from ...base.parallel import run_once
from ...scenario.scenario import Scenario
from ...scenario.subjects import Scheme


def _accepts(kind: str, subject: Scheme, **change: Any) -> str | None:
    """What the engine says against these parameters, if anything."""
    flow: dict[str, Any] = {"name": "f", "from": "a", "to": "b"}
    link: dict[str, Any] = {"from": "a", "to": "b", "rate": "1Mbit/s"}
    nodes = [{"name": "a"}, {"name": "b", "kind": "host"}, {"name": "c", "kind": "host"}]
    links = [{"from": "c", "to": "a", "rate": "1Mbit/s"}, link]
    (flow if kind == "control" else link)["control" if kind == "control" else "queue"] = {**subject.table, **change}
    flow["from"] = "c"
    data = {"duration": "1s", "plugins": list(subject.plugins), "nodes": nodes, "links": links, "flows": [flow]}
    try:
        Scenario(data).resolve()
    except (ScenarioError, HeadgateError) as e:
        return str(e)
    return None


def _beside(kind: str, subject: Scheme, key: str, bound: float) -> dict[str, Any] | None:
    """What else is set beside a parameter at its bound, since a rule may bind two of them: nothing, or another one at a bound of its own.

    None: it is refused with each.
    """
    entry = catalogue(LISTS[kind])[subject.name]
    others = [(p, value) for p in entry.parameters if p.name != key for value in (p.minimum, p.maximum)]
    changes = [{}, *({p.name: _whole(p, value)} for p, value in others if value is not None)]
    return next((c for c in changes if _accepts(kind, subject, **{key: bound}, **c) is None), None)


def _whole(parameter: Parameter, value: float) -> float:
    return int(value) if parameter.type == "integer" else value


def parameters(kind: str) -> Callable[[Scheme], str | None]:
    """Defaults are accepted, bounds are kept, wrong types and unknown names are refused."""

    def work(subject: Scheme) -> str | None:
        entry = catalogue(LISTS[kind])[subject.name]
        if (fault := _accepts(kind, subject)) is not None:
            return f"its defaults are refused: {fault}"
        if _accepts(kind, subject, no_such_name=1) is None:
            return "a parameter that it does not have is accepted"
        for parameter in entry.parameters:
            key = parameter.name
            if not parameter.description:
                return f"parameter {key}: expected a sentence about it (doc=...)"
            for edge, step in (("minimum", -1), ("maximum", 1)):
                bound = getattr(parameter, edge)
                if bound is None:
                    continue
                fault = _accepts(kind, subject, **{key: bound})
                if fault is not None and f".{key}" in fault and _beside(kind, subject, key, bound) is None:
                    return f"parameter {key}: its {edge} {bound} is refused: {fault}"
                if _accepts(kind, subject, **{key: bound + step}) is None:
                    return f"parameter {key}: {bound + step} is accepted, beyond its {edge} {bound}"
            if _accepts(kind, subject, **{key: [1, {"a": 2}]}) is None:
                return f"parameter {key}: a list of other things is accepted"
        return None

    return work


def bounds(kind: str, run: Callable[[Scheme], object]) -> Callable[[Scheme], str | None]:
    """It runs with each parameter at each of its bounds."""

    def work(subject: Scheme) -> str | None:
        for parameter in catalogue(LISTS[kind])[subject.name].parameters:
            for value in (parameter.minimum, parameter.maximum):
                if value is not None:
                    whole = _whole(parameter, value)
                    more = _beside(kind, subject, parameter.name, whole) or {}
                    try:
                        run(replace(subject, table={**subject.table, parameter.name: whole, **more}))
                    except _core.PluginError as e:
                        e.args = (f"{parameter.name} = {whole}: {e}",)
                        raise
        return None

    return work


def other_hash(scenario: Scenario) -> str | None:
    """What is wrong if a run differs in a process in which texts have other hash values."""
    text = scenario.to_json()
    here, there = run_once(text, 1).digest, elsewhere(text)
    if here == there:
        return None
    return (
        f"in a process with other hash values of texts the digest is {there}, not {here}; expected that nothing depends on the order "
        "of a set or on hash values"
    )


def elsewhere(text: str) -> str:
    """The digest of a scenario in a process of its own, in which texts have other hash values.

    Raises:
        HeadgateError: the process failed.
    """
    code = (
        "import os, sys, threading; from headgate import plugins; from headgate.base.parallel import run_once; "
        "from headgate.sweep.worker import watch; threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start(); "
        "text = sys.stdin.read(); plugins.ensure_text(text); print(run_once(text, 1).digest)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711" if os.environ.get("PYTHONHASHSEED") != "4711" else "4712"}
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise HeadgateError(f"in a process of its own it failed: {last}")
    return done.stdout.strip()
