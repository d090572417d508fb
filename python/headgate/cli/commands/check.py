"""headgate check: the resolved form of a scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..._core import ScenarioError
from ...base.errors import HeadgateError
from ...scenario.effects import warnings
from ...scenario.scenario import Scenario
from ...scenario.transports import of_scenario
from .. import signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import allow_files, plugin_files, read
from ..show import print_json


class CheckJson(Shape):
    """Without `--json` the scenario stands alone, so that it is a file again."""

    scenario: dict[str, Any] = key("The resolved scenario.")
    warnings: list[str] = key(
        "Sentences about parameters without effect, see "
        "[how to write your own scenario](../how-to/own-scenario.md#what-has-no-effect)."
    )


class CheckCommand(Command):
    """Validate the scenario in FILE and print it as JSON with every default filled in; of a study, every variant is checked.

    What has no effect, such as a weight that no queue on the path of its flow reads, is a warning on standard error.

    No code of FILE is run: the parameters of a plugin that it names are not checked unless --plugin names that file too.

    A study whose axes change a topology or a count is printed as it was written, since the resolved scenario no longer contains them.
    """

    group = "Simulate"
    at_once = True
    page = "how-to/own-scenario"
    examples = "headgate check scenarios/two-sources.toml"
    prints = {"": CheckJson}

    file: Path = argument()
    allowed: tuple[Path, ...] = allow_files()
    plugin: tuple[str, ...] = plugin_files()
    as_json: bool = option("Print an object with the keys scenario and warnings.", False, "--json")

    def run(self) -> None:
        scenario = read(self.file, self.allowed)
        if "sweep" not in scenario.data:
            resolved = scenario.resolve()
            beside = filter(None, [of_scenario(resolved)])
            _print(resolved, [*warnings(resolved), *beside, *_unread(scenario)], self.as_json)
            return
        with signals.loading():
            from ...sweep import Sweep
            from ...sweep.effects import warnings as warnings_of_study

        study = Sweep.of(scenario)
        checks = study.check()
        for variant, check in enumerate(checks):
            if check.error is not None:
                raise HeadgateError(f"{scenario.origin}: variant {variant} ({study.describe(variant)}): {check.error}")
        whole = scenario.base().resolve() | {"sweep": scenario.data["sweep"]}
        try:
            same = Sweep.of(Scenario(whole)).check() == checks
        except (HeadgateError, ScenarioError):
            same = False
        # Axes over what the whole file no longer has, such as a topology, need the file as it was written.
        _print(whole if same else scenario.data, [*warnings_of_study(study), *_unread(scenario)], self.as_json)


def _unread(scenario: Scenario) -> list[str]:
    """What was not checked, since a check runs no code of the file."""
    return [text for text in [scenario.unread()] if text]


def _print(scenario: dict[str, Any], messages: list[str], as_json: bool) -> None:
    """The scenario, which is a file again, and the warnings where they are not part of it."""
    print_json({"scenario": scenario, "warnings": messages} if as_json else scenario)
    if messages:
        from ..terminal import warn_all

        warn_all(messages)
