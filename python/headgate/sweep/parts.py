"""Parts of a study: what their folders say, and how they become one study again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..base.atomic import require_folder
from ..base.errors import HeadgateError
from ..base.parts import MARK, PartMark, Share, chosen, read_mark, write_mark
from .arrow import to_numpy
from .axes import Variants
from .plan import Fixed, Plan, Until
from .resumption import difference
from .store import Store
from .study import Study, axes_of, axis_columns


def plan_of(manifest: Mapping[str, Any]) -> str:
    """A digest of what a study is to run: it is the same in all of its parts."""
    what = json.dumps([manifest[key] for key in ("scenario", "sweep", "seed", "axes")], sort_keys=True, default=str)
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def begin(store: Store, part: Share) -> bool:
    """Says in the folder of a study which part of it is made there; whether it is done already.

    Raises:
        HeadgateError: another part is there, or another build of headgate began it, or the folder cannot be written.
    """
    plan = plan_of(store.manifest)
    if (store.folder / MARK).exists():
        mark = read_mark(store.folder)
        mark.require(part, plan)
        return mark.done
    mark_done(store, part, False)
    return False


def mark_done(store: Store, part: Share, done: bool) -> None:
    """Says whether all runs of a part were tried.

    Raises:
        HeadgateError: the folder cannot be written.
    """
    with store.writing():
        write_mark(store.folder, part, plan_of(store.manifest), done)


def gather(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], incomplete: bool = False) -> Study:
    """Joins the parts of a study that `Sweep.run` made with `part`; the folder is then that which one process would have made.

    Args:
        folders: those of the parts, in any order; one that is there twice counts once.
        out: the folder of the study, which must not hold anything.
        incomplete: join what is there although parts are missing or not done; `Sweep.run` with `resume` makes the rest.

    Raises:
        HeadgateError: a folder is no part, or one of another study, or not all parts are there and done, or the folder cannot be written.
        KeyboardInterrupt: Ctrl-C; nothing was written.
    """
    return join([read_mark(Path(folder)) for folder in folders], Path(out), incomplete)


def join(marks: Sequence[PartMark], out: Path, incomplete: bool = False) -> Study:
    """As `gather`, of folders that were looked at."""
    if not marks:
        raise HeadgateError("expected the folders of parts, found none")
    _require_one_study(marks)
    parts = chosen(marks, incomplete)
    require_folder(out, "--out")
    if out.is_dir() and any(out.iterdir()):
        raise HeadgateError(f"--out {out}: expected an empty or absent folder")
    # In the same folder as the place it takes, so that it takes that at once; one that was left there by a kill is made again.
    place = Path(os.path.realpath(out))
    unfinished = place.with_name(f".{place.name}.gather")
    stores = [Store(mark.folder).open() for mark in parts]
    joined = Store(unfinished, sources=stores)
    locked: list[Store] = []
    try:
        joined.lock()
        locked.append(joined)
        for mark, store in zip(parts, stores, strict=True):
            if not mark.done:
                # Its process may still be at work.
                store.lock()
                locked.append(store)
        _clear(unfinished)
        _merge(joined, stores[0].manifest, all(m.done for m in parts) and len(parts) == parts[0].part.of)
        with joined.writing():
            unfinished.rename(place)
    except BaseException:
        if joined in locked:
            shutil.rmtree(unfinished, ignore_errors=True)
        raise
    finally:
        for store in locked:
            store.close()
    return Study(out)


def _require_one_study(marks: Sequence[PartMark]) -> None:
    """Says what differs where parts are of different studies."""
    first = Store(marks[0].folder).open().manifest
    for mark in marks[1:]:
        found = difference(first, Store(mark.folder).open().manifest)
        if found is not None:
            raise HeadgateError(
                f"{mark.folder}: is a part of another study than {marks[0].folder}: {found}; expected parts of one study"
            )


def _clear(folder: Path) -> None:
    for file in folder.iterdir():
        if file.is_dir():
            shutil.rmtree(file)
        elif file.name != ".lock":
            file.unlink()


def _merge(joined: Store, part: Mapping[str, Any], whole: bool) -> None:
    """Writes the study of all sources."""
    manifest = {k: v for k, v in part.items() if k != "part"}
    joined.write_manifest({**manifest, "generation": 0, "complete": False, "files": {}})
    plan = _plan(joined)
    joined.merge(whole and not plan.next(1), plan.keep(), axis_columns(Variants({}, axes_of(manifest))))


def _plan(joined: Store) -> Plan:
    """What remains to be done, if all parts were: with a stopping rule there may be more than these make."""
    manifest = joined.manifest
    checked = json.loads(_core.check_sweep(json.dumps(manifest["sweep"])))
    count, stop = int(manifest["variants"]), checked["stop"]
    if stop is None:
        return Fixed((), count, checked["replications"] or 1)
    runs = joined.read("runs")
    keys = zip(runs["variant"].to_pylist(), runs["replication"].to_pylist(), strict=True) if len(runs) else ()
    past = dict(zip(keys, to_numpy(runs["value"]).tolist() if len(runs) else (), strict=True))
    failed = joined.read("failures")
    tried = {v for v, _ in past}
    failures = zip(failed["variant"].to_pylist(), failed["replication"].to_pylist(), strict=True) if len(failed) else ()
    # A variant that is no valid scenario has one failure, and no run.
    many: dict[int, int] = {}
    for v, k in failures:
        many[v] = max(k, many.get(v, 0))
    good = [v for v in range(count) if v in tried or many.get(v) != 0]
    return Until(good, count, stop, past)
