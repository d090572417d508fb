"""The tool `run`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ...base.errors import HeadgateError
from ...cli.commands.run import RunCommand
from ...cli.terminal import captured
from ..answers import WIDTH, Answer
from ..arguments import Schema, of_command
from ..calls import Call
from ..over_time import EVERY, print_over_time, rows_of, sampled
from ..results import link_to, of_results
from ..scenarios import PROPERTIES, scenario_of
from ..tool import Tool

#: Runs that a study may have here; larger ones belong in a terminal.
MOST_RUNS = 200


class RunTool(Tool):
    """The simulation of a scenario."""

    name = "run"
    title = "Simulate a scenario"
    about = (
        "Simulates a scenario packet by packet and answers with tables of its flows, transfers and ports, and with sentences: rates, "
        "shares, delays, drops. Use `quick` for flows over one link; use this for any other network, for links whose rate changes, for "
        "losses in bursts, outages, transfers that come and go. A scenario with a table `sweep` is a study: all its variants are run and "
        "set beside each other. The same scenario and seed give the same digest everywhere."
    )
    runs = True

    @property
    def properties(self) -> Mapping[str, Schema]:
        return {**PROPERTIES, **of_command(RunCommand, ["seed", "replications", "phase", "top"]), "every": EVERY}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """The tables and the sentences."""
        from ...checks.phase import check as phase_check
        from ...cli.tables.phase import print_phase
        from ...cli.tables.run import print_results
        from ...results.sentences import sentences
        from ...scenario.effects import warnings
        from ...scenario.transports import of_scenario

        scenario, word = scenario_of(given, call)
        if call.limits.code:
            scenario.allow_code()
        if "sweep" in scenario.data:
            return self._study(scenario, given, word, call)
        timed = sampled(scenario, given["every"]) if "every" in given else None
        with call.told("running") as callback:
            results = scenario.run(given.get("seed"), given.get("replications", 1), None, callback)
        found = None
        if given.get("phase"):
            with call.told("with other host noise") as callback:
                found = phase_check(scenario, results, None, None, callback)
        rows = []
        if timed is not None:
            with call.told("running again, for the table over time") as callback:
                rows = rows_of(timed.run(given.get("seed"), 1, None, callback))
        messages = [*warnings(results.scenario), *filter(None, [of_scenario(results.scenario)])]
        said = sentences(results)
        with captured(WIDTH) as text:
            print_results(results, given.get("top"))
            if found is not None:
                print_phase(found)
            if rows:
                print_over_time(rows)
        lines = [text.getvalue().rstrip("\n"), "", *said, *(f"warning: {message}" for message in messages)]
        data = of_results(results) | {"sentences": said, "warnings": messages}
        if found is not None:
            data["depends_on_phase"] = found.depends
        if rows:
            data["over_time"] = rows
        return Answer("\n".join(lines), data, self._command(given, word), link_to(scenario, results, call.limits.site))

    def _study(self, scenario: Any, given: Mapping[str, Any], word: str, call: Call) -> Answer:
        """The variants of a study beside each other."""
        from ...cli.tables.sweep import print_study
        from ...sweep import Sweep
        from ...sweep.effects import warnings

        if "every" in given:
            raise HeadgateError("every: found with a study; expected a scenario without sweep")
        if "seed" in given:
            scenario = scenario.put("seed", given["seed"])
        if "replications" in given:
            scenario = scenario.put("sweep.replications", given["replications"])
        study = Sweep.of(scenario)
        if study.least_runs > MOST_RUNS:
            raise HeadgateError(f"sweep: found {study.least_runs} runs; expected at most {MOST_RUNS} in a call")
        messages = list(warnings(study))
        with call.told("running the variants") as callback:
            found = study.run(progress=lambda done, total, _: callback(done / max(total, 1)))
        with captured(WIDTH) as text:
            print_study(found)
        shown = [line for line in text.getvalue().splitlines() if not line.startswith("tables in ")]
        lines = ["\n".join(shown).rstrip("\n"), *(f"warning: {message}" for message in messages)]
        data = {
            "variants": len(study.variants()),
            "runs": study.least_runs,
            "failures": len(found.failures),
            "warnings": messages,
        }
        return Answer("\n".join(lines), data, f"headgate sweep {word}")

    @staticmethod
    def _command(given: Mapping[str, Any], word: str) -> str:
        from ...base.toml import value_text

        words = ["headgate", "run", word]
        for path, value in given.get("changes", {}).items():
            words += ["--set", f"{path}={value_text(value)}"]
        for name in ("seed", "replications", "top"):
            words += [f"--{name}", str(given[name])] if name in given else []
        return shlex.join([*words, *(["--phase"] if given.get("phase") else [])])
