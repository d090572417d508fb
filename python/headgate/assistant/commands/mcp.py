"""headgate mcp: a server for assistants."""

from __future__ import annotations

from pathlib import Path

from ...base.errors import HeadgateError, missing_extra
from ...cli import linking, shared, signals
from ...cli.command import Command, option


class McpCommand(Command):
    """Serve headgate to an assistant that speaks the Model Context Protocol, over standard input and output.

    The client of the assistant starts this command. Its tools are quick, run, check, replay, evaluate, schema, example, list and
    explain; they call what the commands of these names call.

    It writes no file and opens no connection. It reads the examples of headgate, and files in the folders of --allow-path.
    """

    group = "Simulate"
    at_once = True
    page = "how-to/mcp"
    heading = "Examples (as the configuration of a client has them):"
    examples = """\
headgate mcp
headgate mcp --allow-path ~/captures --max-time 60s
headgate mcp --allow-path ~/controls --allow-code --max-memory 2GB
"""

    allowed: tuple[Path, ...] = option(
        "Let calls read scenarios, traces and recorded links in this folder and below it; without it no file of yours is read.",
        None,
        "--allow-path",
        metavar="DIR",
    )
    code: bool = option(
        "Run the plugins and programs that a call names, with your rights. Without it such a call is an error.",
        False,
        "--allow-code",
    )
    max_time: str = option("Time that a call may take.", "5min", metavar="TIME")
    max_memory: str | None = shared.memory_limit()
    site: str | None = linking.site(
        "Address of the page that links in answers open, such as https://example.org/headgate/."
    )

    def run(self) -> None:
        from ...quick.amounts import quantity, read

        seconds = quantity("--max-time", read("--max-time", self.max_time, "s"), "s") / 1e12
        if seconds < 1:
            raise HeadgateError(f"--max-time: found {self.max_time}; expected at least 1s")
        linking.require_page(self.site)
        folders = []
        for folder in self.allowed:
            if not folder.expanduser().is_dir():
                raise HeadgateError(
                    f"--allow-path: found {str(folder)!r}, which is no folder; expected one that exists"
                )
            folders.append(folder.expanduser().resolve())
        with signals.loading():
            try:
                import anyio
                import mcp  # noqa: F401
            except ModuleNotFoundError:
                raise missing_extra("headgate mcp", "the package mcp", "mcp") from None
            from ..calls import CallLimits
            from ..server import serve
        anyio.run(serve, CallLimits(tuple(folders), self.code, seconds, self.site or ""))
