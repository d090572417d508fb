"""The tool `check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.counts import counted
from ...base.errors import HeadgateError
from ...scenario.effects import warnings
from ...scenario.transports import of_scenario
from ..answers import MOST, Answer
from ..arguments import Schema
from ..calls import Call
from ..scenarios import PROPERTIES, scenario_of
from ..tool import Tool


class CheckTool(Tool):
    """Whether a scenario is valid, and what of it has no effect."""

    name = "check"
    title = "Check a scenario"
    about = (
        "Says whether a scenario is valid, without a run: each fault with its place, the value found and what is expected. Also says what "
        "of a valid one has no effect. Of a study (a scenario with `sweep`) every variant is checked. Runs nothing; costs nothing."
    )

    @property
    def properties(self) -> Mapping[str, Schema]:
        return PROPERTIES

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """Its network in a line, and the warnings."""
        scenario, word = scenario_of(given, call)
        if "sweep" in scenario.data:
            from ...sweep import Sweep
            from ...sweep.effects import warnings as warnings_of_study

            study = Sweep.of(scenario)
            for variant, check in enumerate(study.check()):
                if check.error is not None:
                    raise HeadgateError(f"variant {variant} ({study.describe(variant)}): {check.error}")
            messages = list(warnings_of_study(study))
            size = {"variants": len(study.variants()), "runs": study.least_runs}
            text = f"Valid: a study of {counted(size['variants'], 'variant')}, {counted(size['runs'], 'run')}."
        else:
            resolved = scenario.resolve()
            messages = [*warnings(resolved), *filter(None, [of_scenario(resolved)])]
            size = {key: len(resolved[key]) for key in ("nodes", "links", "flows")}
            names = ", ".join(str(flow["name"]) for flow in resolved["flows"][:MOST])
            parts = [counted(count, key.removesuffix("s")) for key, count in size.items()]
            text = f"Valid: {resolved['duration']} of simulated time, {', '.join(parts)} ({names})."
        unread = scenario.unread()
        messages += [unread] if unread else []
        lines = [text, *(f"warning: {message}" for message in messages)]
        return Answer("\n".join(lines), {"valid": True, **size, "warnings": messages}, f"headgate check {word}")
