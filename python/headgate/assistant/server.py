"""The server: hands calls to tools, tells of their progress, ends them, and gives every error a form that a model can act on."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from .. import __version__
from ..base.errors import HeadgateError, cut, nearest
from ..plugins import trust
from . import arguments, resources
from .answers import CORRECTABLE, Answer, failed, faults_of
from .calls import Call, CallLimits, Stopped
from .tools import TOOLS

#: Seconds between two notices of progress at least.
EVERY_S = 0.2


def server_of(limits: CallLimits) -> Server[Any]:
    """A server with all tools, which may do what the limits say."""
    one_at_a_time = anyio.CapacityLimiter(1)

    async def list_tools(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        hints = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tools = [
            types.Tool(name=t.name, title=t.title, description=t.about, input_schema=t.schema, annotations=hints)
            for t in TOOLS.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        given = params.arguments or {}
        tool = TOOLS.get(params.name)
        if tool is None:
            found = f"tool: found {cut(repr(params.name))}; expected one of {', '.join(TOOLS)}.{nearest(params.name, TOOLS)}"
            return _result(failed(faults_of(HeadgateError(found))))
        call = Call(limits, _tell(ctx))
        work = partial(contextvars.copy_context().run, answered, params.name, given, call)
        try:
            if not tool.runs:
                return _result(await anyio.to_thread.run_sync(work, abandon_on_cancel=True))
            async with one_at_a_time:
                # The time that it waited for others does not count.
                call.start()
                return _result(await anyio.to_thread.run_sync(work, abandon_on_cancel=True))
        finally:
            # Nobody waits for it any more: it ends at its next notice of progress.
            call.cancelled.set()

    async def list_resources(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        listed = [
            types.Resource(uri=r.uri, name=r.uri.removeprefix(resources.SCHEME), description=r.about, mime_type=r.mime)
            for r in resources.listed()
        ]
        return types.ListResourcesResult(resources=listed)

    async def read_resource(
        _: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            mime, text = resources.read(str(params.uri))
        except HeadgateError as e:
            raise MCPError(types.INVALID_PARAMS, str(e), {"errors": faults_of(e)}) from None
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=mime, text=text)]
        )

    return Server(
        "headgate",
        version=__version__,
        title="headgate",
        instructions=resources.guide(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def answered(name: str, given: Mapping[str, Any], call: Call) -> Answer:
    """What a tool says to a call, errors included: the text of none is a traceback."""
    tool = TOOLS[name]
    if faults := arguments.wrong(given, tool.schema):
        return failed(faults)
    try:
        with trust.answering(call.limits.code, call.limits.folders):
            return tool.answer(given, call)
    except Stopped:
        most = f"{call.limits.seconds:g} s"
        return failed(
            [
                {
                    "place": "time",
                    "found": f"more than {most}",
                    "expected": "a shorter duration, fewer runs or slower links",
                    "nearest": None,
                    "message": f"time: found more than {most} for a call; expected a shorter duration, fewer runs or slower links",
                }
            ]
        )
    except CORRECTABLE as e:
        text = "no memory is left; expected a smaller scenario, study or trace" if isinstance(e, MemoryError) else None
        return failed(faults_of(HeadgateError(text) if text else e, tool.properties))


def _result(answer: Answer) -> types.CallToolResult:
    text, data = answer.whole()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=data, is_error=answer.wrong
    )


def _tell(ctx: ServerRequestContext[Any, Any]) -> Any:
    """What tells the client how far a call is; called in the thread of the work."""
    last = [-1.0, -1.0]
    lock = threading.Lock()

    def tell(share: float, what: str) -> None:
        now = anyio.from_thread.run_sync(anyio.current_time)
        with lock:
            if share <= last[0] or now - last[1] < EVERY_S:
                return
            last[:] = [share, now]
        anyio.from_thread.run(ctx.session.report_progress, share, 1.0, what)

    return tell


async def serve(limits: CallLimits) -> None:
    """Answers over standard input and output until the input ends."""
    server = server_of(limits)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
