"""Serves pages until Ctrl-C: the first one, and those that are opened from its start page."""

from __future__ import annotations

import importlib.util
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import HeadgateError, missing_extra
from ..scenario.scenario import Scenario
from .subject import TRACE, Subject, subject_of

if TYPE_CHECKING:
    import uvicorn

    from .runs import Runs

#: The page is for this machine alone.
HOST = "127.0.0.1"

#: Pages that may be opened from a start page, each with a server of its own.
OPENED = 8


def require() -> None:
    """Whether the libraries of the page are there.

    Raises:
        MissingExtraError: one is not installed.
    """
    for library in ("starlette", "uvicorn"):
        if importlib.util.find_spec(library) is None:
            raise missing_extra("the explorer", library, "explore")


def listening(port: int) -> socket.socket:
    """A socket on which this machine is reached.

    Raises:
        HeadgateError: the port is taken.
    """
    # The protocol is named so that answers are sent at once (asyncio looks at it before it turns Nagle's algorithm off).
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if port:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen(128)
    except OSError as e:
        found.close()
        raise HeadgateError(f"--port {port}: {e.strerror or e}; expected a free port, such as 0 for any") from None
    return found


class Servers:
    """The servers of one command. They share their runs, so that these are bounded together."""

    def __init__(self, runs: Runs, memory: int) -> None:
        """Takes the runs, and the bytes that the traces of pages that are opened later may take together."""
        self._runs, self._memory = runs, memory
        self._servers: list[uvicorn.Server] = []
        self._opened: dict[tuple[str, int], str] = {}
        self._lock = threading.Lock()

    def start(self, subject: Subject, port: int = 0) -> tuple[threading.Thread, str]:
        """Begins a server for a subject; gives its thread and its address.

        Raises:
            HeadgateError: the port is taken.
        """
        import uvicorn

        from .patience import PatientProtocol
        from .server import Explorer

        sock = listening(port)
        explorer = Explorer(subject, self._runs, port=sock.getsockname()[1], opener=self.open)
        config = uvicorn.Config(
            explorer.app(), log_level="critical", access_log=False, lifespan="off", ws="none", server_header=False,
            limit_concurrency=512, timeout_keep_alive=60, http=PatientProtocol,
        )  # fmt: skip
        server = uvicorn.Server(config)
        self._servers.append(server)
        # In a thread: Ctrl-C ends the command at once, whatever runs. The thread closes the socket.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        return thread, f"http://{HOST}:{explorer.port}/?t={explorer.token}"

    def open(self, file: Path) -> str:
        """The address of a page for a file or a paper; the same one as long as the file stays as it is.

        Raises:
            HeadgateError: it cannot be shown, or too many are open.
        """
        key = (str(file), file.stat().st_mtime_ns if file.exists() else 0)
        with self._lock:
            if key not in self._opened:
                if len(self._opened) >= OPENED:
                    raise HeadgateError(
                        f"{file}: {OPENED} pages are open already; expected fewer: start `headgate explore {file}` beside this one"
                    )
                self._opened[key] = self.start(subject_of(file, max_memory=self._memory))[1]
            return self._opened[key]

    def close(self) -> None:
        """Ends all of them, and the runs."""
        for server in self._servers:
            server.should_exit = True
        self._runs.close()


def serve(
    subject: Subject,
    port: int = 0,
    browser: bool = True,
    threads: int | None = None,
    max_memory: str | int | None = None,
    ready: Callable[[str], None] = lambda url: None,
    at_s: float | None = None,
) -> None:
    """Serves the page until Ctrl-C.

    Args:
        subject: what the page begins with.
        port: to listen at; 0 takes a free one.
        browser: whether the page is opened.
        threads: runs at a time; all processors unless given.
        max_memory: that all runs may take together; half of the machine's and at most 4 GB unless given.
        ready: called with the address of the page.
        at_s: time in s that the charts begin with; all of the run unless given.

    Raises:
        HeadgateError: the port is taken, or `max_memory` is no size.
    """
    from .. import plugins
    from .runs import Runs, allowed

    # Those that are opened later share what one trace may take.
    later = allowed(max_memory) // TRACE if subject.kind == "start" else 0
    taken = later if subject.trace is None else subject.trace.most
    servers = Servers(Runs(max_memory, threads, taken), later // OPENED * TRACE)
    # What the page sends may name plugins that were loaded until now, and no others: it must not bring code.
    if isinstance(subject.scenario, Scenario):
        subject.scenario.load_plugins()
    with plugins.sealed():
        thread, url = servers.start(subject, port)
        if at_s is not None:
            url += f"#at={at_s:g}"
        try:
            ready(url)
            if browser:
                threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
            while thread.is_alive():
                thread.join(0.5)
        finally:
            servers.close()
