"""The start page: the builder and the cards."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from .start import Control


class BuilderAnswers(TypedDict):
    """The answers to the questions of `headgate quick`, as texts; an empty one is left to the command."""

    rate: str
    rtt: str
    flows: str
    queue: str
    buffer: str
    noise: str


class Built(TypedDict):
    """The scenario that answers stand for, the command line and the file that give it, and sentences on what was chosen."""

    given: BuilderAnswers
    controls: list[Control]
    scenario: dict[str, Any]
    command: str
    file: str
    notes: list[str]


class AddedFlows(TypedDict):
    """Flows that a click adds."""

    label: str
    flows: str


class Card(TypedDict):
    """A lesson or an example."""

    name: str
    title: str
    about: str
    #: A small picture: lines with values from 0 to 100 at equal distances.
    lines: list[list[float]]


class PaperCard(TypedDict):
    """A paper with its counts: printed numbers that were tested, that match, that a trivial model matches; claims that hold, of all."""

    name: str
    title: str
    reference: str
    ours: bool
    tested: int
    match: int
    trivial: int
    hold: int
    claims: int


class FrontPage(TypedDict):
    """What the start page begins with; without a server there is no builder."""

    builder: Built | None
    added: list[AddedFlows]
    lessons: list[Card]
    examples: list[Card]
    papers: list[PaperCard]


class FileCard(TypedDict):
    """A file or a folder that can be shown."""

    name: str
    kind: Literal["scenario", "study", "report", "paper", "trace"]
    about: str


class FolderFiles(TypedDict):
    """What the folder holds in which the command was started."""

    folder: str
    files: list[FileCard]


class Opened(TypedDict):
    """What a card opens: a scenario for this page, or else the address of another page, if there can be one; and the command that does."""

    scenario: dict[str, Any] | None
    address: str | None
    command: str
