"""What the server answers, in types: the one definition of it.

`cargo xtask write` makes the page's types of them, and `tests/tool/test_explore_types.py` holds real answers against them. Times are in
seconds and rates in bit/s where a name says nothing else; null stands for a number that there is none of.
"""

from __future__ import annotations

from typing_extensions import is_typeddict

from . import front, packets, pages, papers, runs, start
from .front import Built, FolderFiles, FrontPage, Opened
from .packets import NetworkState, PacketList, PacketStory
from .pages import ComparisonDone, LessonDone, LessonInfo, StudyGrid, StudyInfo, Variant
from .papers import PaperItem, PaperList, PaperMeasured, PaperRun
from .runs import PhaseLine, RunLine, SeriesData
from .start import Controls, Failure, Fragment, Start, Turned, Unlinked

#: All of them that are a whole answer.
ANSWERS = (
    Failure, Start, Controls, Turned, RunLine, PhaseLine, SeriesData, PacketList, PacketStory, NetworkState, ComparisonDone, LessonInfo,
    LessonDone, StudyInfo, StudyGrid, Variant, Fragment, Unlinked, PaperList, PaperItem, PaperRun, PaperMeasured, Built, FrontPage,
    FolderFiles, Opened,
)  # fmt: skip

# What an answer has beyond its type is refused by those who hold one against the other.
for _module in (start, front, packets, pages, papers, runs):
    for _each in vars(_module).values():
        if is_typeddict(_each):
            _each.__pydantic_config__ = {"extra": "forbid"}
