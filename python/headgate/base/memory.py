"""The memory that runs may take."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from .errors import HeadgateError

try:
    import resource
except ImportError:
    # Windows has none.
    resource = None  # type: ignore[assignment]

#: Assumed memory of a machine that does not report it.
UNKNOWN = 8_000_000_000

_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


#: What all work of this process may take together, unless it is said where the work is asked for.
_limit: int | None = None


def limit_to(most: str | int | None) -> None:
    """What all work of this process may take together, in bytes or as a size such as "4GB": the option `--max-memory`. None: the default.

    Raises:
        HeadgateError: it is no size.
    """
    global _limit
    _limit = parse(most) if isinstance(most, str) else most


def limit() -> int:
    """Bytes that all work of this process may take together: three quarters of the machine's unless `limit_to` says otherwise."""
    return of_machine() // 4 * 3 if _limit is None else _limit


def of_worker() -> int:
    """Bytes that a run in a process of several may take: what it was told, or one part for each processor of the machine."""
    return share(None, os.cpu_count() or 1) if _limit is None else _limit


def of_machine() -> int:
    """Bytes of memory that this machine, or the container around this process, has, as far as the process may have them."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        found = UNKNOWN
    # A container may have less; without one there is no such file, or it says "max".
    for file in _containers():
        with suppress(OSError, ValueError):
            found = min(found, int(Path(file).read_text()))
    if resource is not None:
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        found = found if most == resource.RLIM_INFINITY else min(found, most)
    return found


def _containers() -> list[str]:
    """The files that say what a control group of Linux may have: that of this process, which may be within another one."""
    files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if not kinds:
                files.append(f"/sys/fs/cgroup{path}/memory.max")
            elif "memory" in kinds.split(","):
                files.append(f"/sys/fs/cgroup/memory{path}/memory.limit_in_bytes")
    return files


def resident() -> int:
    """Bytes of memory that this process holds now; 0 where the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError, IndexError):
        return 0


def give_back() -> None:
    """Gives memory that was freed back to the system, where the C library has a function for it: threads leave it in many pieces."""
    # Loaded only here: every run asks this module for its limit.
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class Limit:
    """The limit of what a piece of work may add to the memory of the process.

    Measured as resident memory, so that everything counts that the work keeps.
    """

    def __init__(self, max_memory: str | int | None) -> None:
        """The work begins now. `max_memory`: bytes or a size such as "4GB"; three quarters of the machine's unless given."""
        self.most = share(max_memory, 1)
        self._before = resident()

    def exceeded(self) -> str:
        """The memory that the work holds and may hold, as text, if it holds more than it may; otherwise empty."""
        held = resident() - self._before
        return f"at most {self.most / 1e9:.3f} GB of memory, found {held / 1e9:.3f} GB" if held > self.most else ""


def share(max_memory: str | int | None, at_a_time: int) -> int:
    """Bytes that each of `runs` runs at a time may take; all together what `limit` says unless `max_memory` is given.

    >>> share("2GB", 4)
    500000000
    """
    if max_memory is None:
        return limit() // max(at_a_time, 1)
    return (parse(max_memory) if isinstance(max_memory, str) else max_memory) // max(at_a_time, 1)


def parse(text: str) -> int:
    """A size such as `4GB` or `512MiB` in bytes.

    Raises:
        HeadgateError: the text is not a size.

    >>> parse("1.5GiB")
    1610612736
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,9})?)([kKMGT]i?B|B)", text.strip(), re.ASCII)
    if match is None or match[2] not in _UNITS or float(match[1]) == 0:
        raise HeadgateError(f"memory {text[:80]!r}: expected a size above zero such as 512MB or 4GiB")
    return int(float(match[1]) * _UNITS[match[2]])
