"""The list of formats, and the files of a run in them: each is written completely or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.atomic import atomic, put, require_folder, require_place
from ..base.errors import HeadgateError
from ..base.parallel import Progress
from . import capture, flent, qlog, timeline
from .follow import RunInfo, Writer, numbered, repeat

if TYPE_CHECKING:
    from ..results.results import Results

StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """A format of another program.

    Attributes:
        name: of the option and of the argument of `write`.
        endings: that the name of a file may have; none for a folder.
        writer: makes what writes the file of a run, or None if `write` makes it of the tables.
        write: see `writer`.
        traces: the traces that it needs.
        packets: whether it needs packets.
    """

    name: str
    endings: tuple[str, ...]
    writer: Callable[[Path, RunInfo], Any] | None = None
    write: Callable[[Path, RunInfo], None] | None = None
    traces: tuple[str, ...] = ()
    packets: bool = False


#: All formats by their names, in the order of the options, whose texts are in `headgate.base.choices`.
FORMATS = {
    f.name: f
    for f in (
        Format("qlog", (), qlog.QlogWriter, None, qlog.TRACES, qlog.PACKETS),
        Format("pcapng", (".pcapng",), capture.CaptureWriter, None, capture.TRACES, capture.PACKETS),
        Format(
            "perfetto",
            (".pftrace", ".perfetto-trace"),
            timeline.TimelineWriter,
            None,
            timeline.TRACES,
            timeline.PACKETS,
        ),
        Format("flent", (".flent.gz",), None, flent.write),
    )
}


def require(places: Mapping[str, StrPath], options: bool = False) -> None:
    """Whether files of these formats can be written there, checked before long work.

    Args:
        places: a file or folder by the name of its format.
        options: whether errors begin with the option of the command.

    Raises:
        HeadgateError: no such format, another ending, or a place that cannot be written; two formats have one place.
    """
    seen: dict[str, str] = {}
    for name, place in places.items():
        path, what = os.fspath(place), f"--{name}" if options else name
        if name not in FORMATS:
            raise HeadgateError(f"format {name!r}; expected one of {', '.join(FORMATS)}")
        endings = FORMATS[name].endings
        if endings and (not path.endswith(endings) or Path(path).name in endings):
            raise HeadgateError(f"{what} {path}: expected a name that ends in {' or '.join(endings)}")
        if endings:
            require_place(path)
        else:
            require_folder(path, what)
        if os.path.realpath(path) in seen:
            raise HeadgateError(f"{what} {path}: --{seen[os.path.realpath(path)]} has the same place; expected another")
        seen[os.path.realpath(path)] = name


def write(
    results: Results,
    *,
    qlog: StrPath | None = None,
    pcapng: StrPath | None = None,
    perfetto: StrPath | None = None,
    flent: StrPath | None = None,
    progress: Progress | None = None,
    max_memory: str | int | None = None,
) -> list[Path]:
    """Writes the runs of a scenario in formats of other programs; gives the files and folders.

    Each run is repeated once for all formats except flent's, to follow its packets: the scenario needs no traces. Of several replications
    each has its own file, with its number before the ending, as in `x-run0.pcapng`.

    Args:
        results: of a scenario.
        qlog: a folder for a qlog trace of each flow and one of the network, and for the same in the older form that qvis reads.
        pcapng: a capture of all packets at all ports (.pcapng).
        perfetto: a trace of Perfetto (.pftrace).
        flent: a data file of flent (.flent.gz).
        progress: called with (share done, runs completed, runs in all).
        max_memory: bytes, or a size such as "4GB", that the simulation may take; three quarters of the machine's unless given.

    Raises:
        HeadgateError: another ending, a place that cannot be written, or a plugin by which the repeated run is another one.
        ScenarioError: a run takes more memory than it may.
    """
    given = {"qlog": qlog, "pcapng": pcapng, "perfetto": perfetto, "flent": flent}
    places = {name: place for name, place in given.items() if place is not None}
    require(places)
    found: list[Path] = []
    runs = len(results.runs)
    for number in range(runs):
        of = RunInfo(results, number)
        targets = {name: Path(numbered(place, of.run.run, runs > 1)) for name, place in places.items()}

        def report(share: float, number: int = number) -> None:
            if progress is not None:
                progress((number + share) / runs, number, runs)

        _write(of, targets, report, max_memory)
        found += targets.values()
    return found


def _write(
    of: RunInfo, targets: Mapping[str, Path], report: Callable[[float], object], max_memory: str | int | None
) -> None:
    """Writes the files of a run. All of them are complete before the first one gets its name."""
    path: Path | None = None
    try:
        with ExitStack() as places:
            writers: list[Writer] = []
            for name, path in targets.items():
                form = FORMATS[name]
                place = places.enter_context(atomic(path) if form.endings else _folder(path))
                if form.writer is None:
                    assert form.write is not None, "a format has one of the two"
                    form.write(place, of)
                    continue
                writer = form.writer(place, of)
                places.callback(writer.close)
                writers.append(writer)
            if writers:
                forms = [FORMATS[name] for name in targets]
                traces = {trace for form in forms for trace in form.traces}
                repeat(of, writers, traces, any(form.packets for form in forms), report, max_memory)
    except OSError as e:
        raise HeadgateError(f"{_shown(targets.values())}: cannot be written; {e.strerror or e}") from None


def _shown(paths: Sequence[Path] | Any) -> str:
    return ", ".join(str(path) for path in paths)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Gives the name of a temporary folder beside `path`, whose files take their places in it when the block ends without an exception."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.absolute().parent / f".{path.absolute().name}.{secrets.token_hex(4)}"
    try:
        temporary.mkdir(0o700)
        yield temporary
        temporary.chmod(0o755)
        if not path.exists():
            temporary.rename(path)
            return
        for file in sorted(p for p in temporary.rglob("*") if p.is_file()):
            target = path / file.relative_to(temporary)
            target.parent.mkdir(exist_ok=True)
            put(file, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
