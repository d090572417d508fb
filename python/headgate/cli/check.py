"""headgate check and headgate schema: the resolved form of a scenario file, and the schema of such files."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .. import _core
from .._core import ScenarioError
from ..errors import HeadgateError
from ..scenario import Scenario
from . import signals
from .show import print_json


@click.command(
    epilog="""\b
Example:
  headgate check scenarios/two-sources.toml"""
)
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Validate the scenario in FILE and print it as JSON with every default filled in; of a study, every variant is checked.

    A study whose axes change a topology or a count is printed as it was written, since the resolved scenario no longer contains them.
    """
    scenario = Scenario.from_file(file)
    if "sweep" not in scenario.data:
        print_json(scenario.resolve())
        return
    with signals.loading():
        from ..sweep import Sweep

    study = Sweep.of(scenario)
    checks = study.check()
    for variant, check in enumerate(checks):
        if check.error is not None:
            raise HeadgateError(f"{file}: variant {variant} ({study.describe(variant)}): {check.error}")
    whole = scenario.base().resolve() | {"sweep": scenario.data["sweep"]}
    try:
        same = Sweep.of(Scenario(whole)).check() == checks
    except (HeadgateError, ScenarioError):
        same = False
    # Axes over what the whole file no longer has, such as a topology, need the file as it was written.
    print_json(whole if same else scenario.data)


@click.command(
    epilog="""\b
Example (editors complete scenario files from it):
  headgate schema > scenario.schema.json"""
)
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    print_json(json.loads(_core.schema()))
