"""What `--json` prints, declared: a class for each object, in which each key is a field with its type and a sentence.

The reference (docs/reference/json.md) is made from it, and tests hold everything that a command prints against it.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, get_type_hints


class Key(NamedTuple):
    """What is said of a key.

    Attributes:
        about: what it means.
        unit: of a number.
        always: whether it is there even if there is nothing to say.
    """

    about: str
    unit: str = ""
    always: bool = True


def key(about: str, unit: str = "", always: bool = True) -> Any:
    """A field that is a key. A key that Python has a word for ends with `_` here, as in `from_`."""
    return Key(about, unit, always)


class Shape:
    """An object of JSON. Its docstring stands in the reference."""

    #: What else it has: keys by the names of something, and what they mean.
    rest: ClassVar[str] = ""
    #: Its name, of one that is in many outputs: the reference shows it once.
    part: ClassVar[str] = ""

    def __init_subclass__(cls, part: str = "") -> None:
        cls.part = part

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """Keys that follow from another list, such as that of the metrics, with their types."""
        return {}


def keys_of(shape: type[Shape]) -> dict[str, tuple[Any, Key]]:
    """The types of the keys of a shape, and what is said of them."""
    hints = get_type_hints(shape)
    found = {
        name.removesuffix("_"): (hints[name], said)
        for of in reversed(shape.__mro__)
        for name, said in vars(of).items()
        if isinstance(said, Key)
    }
    return found | shape.derived()


class MeanJson(Shape, part="mean"):
    """A mean of several values, such as those of the replications, with its 95 % interval."""

    mean: float | None = key("The mean; null of no values.")
    std: float | None = key("Standard deviation of the values; null of fewer than two.")
    n: int = key("How many values it is of.")
    ci95: list[float] | None = key(
        "The two ends of the 95 % interval of the mean. Null of fewer than two values, and where all runs are equal, "
        "since nothing in them is drawn that differs by seed: then `runs_equal` beside it is true."
    )


class FailureJson(Shape, part="failed run"):
    """A run that failed."""

    rest = "Columns of the axes."

    variant: int = key("Number of the variant.")
    replication: int = key("Number of the replication.")
    seed: int = key("Seed of the study.")
    error: str = key("What went wrong.")


class FailedLineJson(Shape, part="failed line"):
    """Something that failed. What does not apply is an empty text."""

    name: str = key("What was looked at, and where.")
    value: str = key("What was found, with its unit.")
    bound: str = key("What was expected, with its unit.")
    origin: str = key(
        "Where the line comes from: `document` if it stands there, `derived` if it follows from one, `practice` if a public harness "
        "uses it, `than NAME` if it is what NAME has, `ours` otherwise."
    )
    clause: str = key("The document, and what it says.")
    see: str = key("The command that shows it.")


class ReportJson(Shape, part="report"):
    """What all judges say."""

    schema: str = key("`headgate.NAME/1`, with the name of the command.")
    version: str = key("Version of headgate.")
    subject: str = key("Who was judged.")
    sentence: str = key("The answer.")
    failed: list[FailedLineJson] = key("What failed: if there is something, the exit code is 1.")


class StudyJson(Shape):
    """A study that ran."""

    version: str = key("Version of headgate.")
    seed: int = key("Seed of all random streams.")
    complete: bool = key("Whether all runs have ended.")
    runs: int = key("Runs that ended.")
    failures: list[FailureJson] = key("Runs that failed.")


class PartJson(StudyJson, part="part"):
    """A part of the runs, made with `--part`. `complete` and `runs` are of the part."""

    folder: str = key("Its folder.")
    part_: int = key("Which part it is, from 1.")
    of: int = key("Of how many.")


class RunsJson(Shape):
    """Runs of a judge that were made as a part, or of parts that were joined."""

    version: str = key("Version of headgate.")
    runs: int = key("How many there are.")
    folder: str = key("Their folder.")
    rest_: str = key("The command that joins the parts, or that makes the rest in the joined folder.")


class GatheredJson(StudyJson):
    """Parts that were joined, of which the command makes the rest: it names code of its user's, or runs are missing."""

    folder: str = key("The folder.")
    rest_: str = key("The command that makes the rest.")


class PhaseJson(Shape, part="phase"):
    """Whether the shares depend on the phase of arrivals, with `--phase`."""

    noise: list[str] = key("Levels of host noise, each a run.")
    depends: bool = key("Whether the share of a flow depends on it.")
    sentence: str = key("The result in a sentence; empty where nothing depends on it.")
    flows: list[PhaseFlowJson] = key("Each flow.")


class PhaseFlowJson(Shape):
    """A flow of `phase`."""

    flow: str = key("Name of the flow.")
    shares: list[float] = key("Its share of the goodput with each level.")
    share_moves: float = key("By how much its share moves.")
    queueing_s: list[float | None] = key("Mean queueing delay with each level.", "s")
    queueing_moves_s: float | None = key("By how much that moves.", "s")
    depends: bool = key("Whether its share depends on the phase.")


class PlanJson(Shape):
    """What `--dry-run` prints of a command that runs many scenarios."""

    seed: int = key("Seed of all random streams.")
    runs: int = key("Number of runs.")
    expected_cpu_s: float = key("Expected processor time.", "s")
