"""What is printed of a run as JSON: by `headgate run`, and by `headgate quick`."""

from __future__ import annotations

from typing import Any

from .printed import Key, MeanJson, PhaseJson, Shape, key


class RunJson(Shape):
    """The results."""

    scenario: dict[str, Any] = key("The resolved scenario.")
    seed: int = key("Seed of all random streams.")
    replications: int = key("Number of runs.")
    runs_equal: bool = key("Whether there are several replications and all have the same digest.")
    digest: str = key("16 hexadecimal digits per replication, joined by `-`.")
    version: str = key("Version of headgate.")
    events: int = key("Number of events.")
    mean_over: str = key("What means are over: `intervals` (one run) or `replications`.")
    flows: list[FlowJson] = key("Each flow.")
    links: list[PortJson] = key("Each port.")
    classes: list[ClassJson] = key("Each class of flows with transfers.")
    fairness: FairnessJson = key(
        "How fairly the flows shared, see [fairness](../how-to/results.md#which-index-of-fairness)."
    )
    calibration: list[CalibrationJson] = key("Each port that sent something: configured and achieved values.")
    warnings: list[str] = key(
        "Sentences about parameters without effect, see "
        "[how to write your own scenario](../how-to/own-scenario.md#what-has-no-effect)."
    )
    phase: PhaseJson = key(
        "Whether the shares depend on the phase of arrivals, where that was asked for.", always=False
    )


class FlowJson(Shape):
    """A flow after the warm-up."""

    utility: dict[str, float | None] = key("Utility by its exponent a.")
    power: float | None = key("Goodput in packets/s over the mean round trip.")

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """The summary of a flow."""
        from ..results.summaries import FlowSummary

        return _keys_of(FlowSummary)


class PortJson(Shape):
    """A port after the warm-up."""

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """The summary of a port."""
        from ..results.summaries import LinkSummary

        return _keys_of(LinkSummary)


class ClassJson(Shape):
    """A class of flows: its transfers that began after the warm-up."""

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """The summary of a class."""
        from ..results.summaries import ClassSummary

        found = _keys_of(ClassSummary)
        return {"class": found.pop("name"), **found}


def _keys_of(summary: Any) -> dict[str, tuple[Any, Key]]:
    """The keys of a summary: its entries and other metrics, with the meaning and the unit of their columns."""
    from ..results.columns import columns
    from ..results.summaries import TABLE_OF, entries, more_of

    known, found = columns(TABLE_OF[summary]), dict[str, tuple[Any, Key]]()
    for name, of_mean, entry in entries(summary):
        if isinstance(entry.column, dict):
            parts = {part: known[column] for part, column in entry.column.items()}
            about = " ".join(f"`{part}`: {column.help}" for part, column in parts.items())
            found[name] = (dict[str, float | None], Key(about, next(iter(parts.values())).unit))
        else:
            column = known[entry.column]
            kind = {"int": int, "name": str}.get(column.type, float | None)
            found[name] = (MeanJson if of_mean else kind, Key(column.help, column.unit))
    for name in more_of(summary):
        found[name] = (MeanJson | float | None, Key(known[name].help, known[name].unit))
    return found


class FairnessJson(Shape):
    """Indices of fairness, of all flows."""

    jain_of_max_min: float | None = key("Jain's index of goodput over its max-min ideal.")
    jain_of_weights: float | None = key("Jain's index of goodput over weight.")
    jain: float | None = key("Jain's index of goodput.")
    shortfall: float | None = key("Greatest part of its max-min ideal that a flow lacks.")


class CalibrationJson(Shape):
    """A port, as it was configured and as it was."""

    link: str = key("The port.")
    rate_bps: float = key("Configured rate.", "bit/s")
    achieved_rate_bps: float | None = key("Rate while it sent.", "bit/s")
    delay_s: float = key("Configured propagation delay.", "s")
    achieved_delay_s: float | None = key("Propagation delay that packets had.", "s")
