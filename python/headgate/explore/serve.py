"""Serves the page until Ctrl-C."""

from __future__ import annotations

import importlib.util
import socket
import threading
import webbrowser
from collections.abc import Callable

from ..errors import HeadgateError, missing_extra
from .subject import Subject

#: The page is for this machine alone.
HOST = "127.0.0.1"


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


def serve(
    subject: Subject,
    port: int = 0,
    browser: bool = True,
    threads: int | None = None,
    max_memory: str | int | None = None,
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serves the page until Ctrl-C.

    Args:
        subject: what the page begins with.
        port: to listen at; 0 takes a free one.
        browser: whether the page is opened.
        threads: runs at a time; all processors unless given.
        max_memory: that all runs may take together; half of the machine's and at most 4 GB unless given.
        ready: called with the address of the page.

    Raises:
        HeadgateError: the port is taken, or `max_memory` is no size.
    """
    import uvicorn

    from .runs import Runs
    from .server import Explorer

    door = listening(port)
    explorer = Explorer(
        subject,
        Runs(max_memory, threads, 0 if subject.trace is None else subject.trace.most),
        port=door.getsockname()[1],
    )
    config = uvicorn.Config(
        explorer.app(), log_level="critical", access_log=False, lifespan="off", ws="none", server_header=False,
        limit_concurrency=512, timeout_keep_alive=60,
    )  # fmt: skip
    server = uvicorn.Server(config)
    # In a thread: Ctrl-C ends the command at once, whatever runs. The thread closes the socket.
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
    thread.start()
    url = f"http://{HOST}:{explorer.port}/?t={explorer.token}"
    try:
        ready(url)
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        while thread.is_alive():
            thread.join(0.5)
    finally:
        server.should_exit = True
        explorer.runs.close()
