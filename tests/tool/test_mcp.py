"""headgate mcp: each tool through a client in the process, right and wrong."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

import headgate

from ..conftest import Cli

mcp = pytest.importorskip("mcp")


def call(name: str, /, *, folders: tuple[Path, ...] = (), **given: Any) -> Any:
    from headgate.assistant.calls import CallLimits
    from headgate.assistant.server import server_of

    async def work() -> Any:
        async with mcp.Client(server_of(CallLimits(folders))) as client:
            return await client.call_tool(name, given)

    return asyncio.run(work())


RIGHT: list[tuple[str, dict[str, Any], str]] = [
    ("quick", {"rate": "10Mbit/s", "rtt": "20ms", "flows": "cubic,reno", "duration": "3s"}, "max-min"),
    ("check", {"example": "two-sources"}, "Valid"),
    ("replay", {"trace": "office.csv", "rate": "2Mbit/s", "queues": ["fcfs", "fq"]}, "fq"),
    ("list", {"kind": "losses"}, "gilbert_elliott"),
    ("explain", {"what": "codel.target"}, "5ms"),
    ("schema", {"part": "links.loss"}, "bernoulli"),
    ("example", {"name": "two-sources"}, "telnet"),
]


@pytest.mark.parametrize(("name", "given", "part"), RIGHT, ids=[case[0] for case in RIGHT])
def test_a_tool_answers(name: str, given: dict[str, Any], part: str) -> None:
    found = call(name, **given)
    assert not found.is_error, found.content[0].text
    assert part in found.content[0].text


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("quick", {"ratee": 3}, "ratee"),
    ("check", {"scenario": {"duration": "10 sec"}}, "duration"),
    ("quick", {"line": "10Mbit/s 20ms mine.py"}, "flows"),
    ("run", {"file": "/etc/passwd"}, "file"),
    ("replay", {"trace": "/etc/passwd", "rate": "2Mbit/s"}, "trace"),
    ("replay", {"trace": "office.csv", "rate": "own-link"}, "rate"),
    ("evaluate", {"control": "mine.py"}, "control"),
    ("evaluate", {"control": "cubic", "suite": "/etc/own.toml"}, "suite"),
    ("schema", {"part": "links.foo"}, "part"),
    ("explain", {"what": "cubik"}, "what"),
    ("example", {"name": "two-source"}, "name"),
    ("run", {}, "scenario"),
    ("list", {"kind": "no"}, "kind"),
]


@pytest.mark.parametrize(("name", "given", "place"), WRONG)
def test_an_error_names_its_place(name: str, given: dict[str, Any], place: str) -> None:
    found = call(name, **given)
    assert found.is_error
    assert found.structured_content["errors"][0]["place"] == place
    assert "Traceback" not in found.content[0].text


def test_the_digest_is_that_of_a_run() -> None:
    found = call("run", example="two-sources", seed=3)
    assert found.structured_content["digest"] == headgate.example("two-sources").run(seed=3).runs[0].digest


def test_a_folder_that_does_not_exist_is_an_error(cli: Cli) -> None:
    done = cli("mcp", "--allow-path", "none")
    assert done.returncode == 2
    assert "--allow-path: found 'none'" in done.stderr


def test_a_cancelled_call_ends_and_the_next_is_answered() -> None:
    from headgate.assistant.calls import CallLimits
    from headgate.assistant.server import server_of

    long = {"rate": "100Mbit/s", "rtt": "40ms", "flows": "cubic*4", "duration": "10000s"}

    async def work() -> Any:
        async with mcp.Client(server_of(CallLimits())) as client:
            began = asyncio.Event()

            async def told(*_: Any) -> None:
                began.set()

            task = asyncio.ensure_future(client.call_tool("quick", long, progress_callback=told))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await client.call_tool("quick", {**long, "duration": "2s"})

    assert not asyncio.run(work()).is_error


def test_a_call_that_takes_too_long_is_an_error() -> None:
    from headgate.assistant.calls import CallLimits
    from headgate.assistant.server import server_of

    async def work() -> Any:
        async with mcp.Client(server_of(CallLimits(seconds=0.0))) as client:
            return await client.call_tool("quick", {"rate": "10Mbit/s", "rtt": "20ms", "flows": "cubic"})

    found = asyncio.run(work())
    assert found.is_error
    assert found.structured_content["errors"][0]["place"] == "time"


def test_a_process_answers_over_its_streams() -> None:
    from mcp.client.stdio import StdioServerParameters

    program = StdioServerParameters(command=sys.executable, args=["-c", "from headgate.cli import main; main()", "mcp"])

    async def work() -> Any:
        async with mcp.Client(program) as client:
            return await client.call_tool("check", {"example": "two-sources"})

    assert "Valid" in asyncio.run(work()).content[0].text


@pytest.mark.parametrize("name", ["quick", "run"])
def test_no_program_of_a_call_is_started_and_no_file_beside_the_server_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("SECRET = 1\n")
    (tmp_path / "own-link").write_text("SECRET\n")
    flow = {"name": "a", "from": "s1", "to": "d1", "control": {"kind": "process", "command": ["touch", "started"]}}
    plain = {"duration": "2s", "topology": "dumbbell", "flows": [flow]}
    line = {"rate": "9Mbit/s", "rtt": "9ms"}
    calls: list[tuple[str, dict[str, Any]]] = (
        [
            ("run", {"scenario": plain}),
            ("run", {"scenario": {**plain, "plugins": ["own.py"]}}),
            ("run", {"example": "game", "changes": {"plugins": ["own.py"]}}),
        ]
        if name == "run"
        else [
            ("quick", {**line, "flows": 'process:command=["touch","started"]'}),
            ("quick", {**line, "flows": "own.py"}),
            ("replay", {"trace": "office.csv", "rate": "own-link"}),
        ]
    )
    for tool, given in calls:
        found = call(tool, **given)
        assert found.is_error
        assert "SECRET" not in found.content[0].text
    assert not (tmp_path / "started").exists()
