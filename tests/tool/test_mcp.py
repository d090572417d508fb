"""headgate mcp: each tool through a client in the process, right and wrong."""

from __future__ import annotations

import asyncio
import json
import re
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


def test_the_link_of_an_answer_holds_the_run() -> None:
    from headgate.scenario.links import linked

    line = {"rate": "10Mbit/s", "rtt": "20ms", "flows": "cubic,reno", "duration": "3s", "seed": 4}
    for tool, given in (("quick", line), ("run", {"example": "two-sources", "seed": 3})):
        found = call(tool, **given)
        link, digest = found.structured_content["link"], found.structured_content["digest"]
        assert link in found.content[0].text
        assert linked(link).run().digest == digest
    assert "link" not in call("quick", **line, replications=2).structured_content


def test_links_lead_to_the_page_that_the_user_named() -> None:
    from headgate.assistant.calls import Call, CallLimits
    from headgate.assistant.server import answered

    limits = CallLimits(site="https://example.org/")
    found = answered("quick", {"rate": "10Mbit/s", "rtt": "20ms", "flows": "cubic", "duration": "1s"}, Call(limits))
    assert found.link.startswith("https://example.org/#s=")


def test_an_address_that_is_none_is_an_error(cli: Cli) -> None:
    done = cli("mcp", "--site", "nowhere")
    assert done.returncode == 2
    assert "--site: found 'nowhere'" in done.stderr


def test_every_gives_a_table_over_time() -> None:
    """Two constant streams, of which one begins at 2 s, with packets of 1000 bytes; the run itself stays what it is."""
    streams = {"rate": "10Mbit/s", "rtt": "20ms", "noise": 0, "phase": False, "duration": "4s"}
    streams["flows"] = ["cbr:1Mbit/s", "cbr:2Mbit/s,start=2s,start_spread=0s", "generic:window=7"]
    found = call("quick", **streams, every="1s")
    rows = found.structured_content["over_time"]
    assert [row["flow"] for row in rows[:3]] == ["cbr1", "cbr2", "generic"]
    second = {(row["flow"], row["start_s"]): row for row in rows}
    starts = sorted({row["start_s"] for row in rows})
    assert second["cbr1", starts[2]]["goodput_bps"] == pytest.approx(1e6, rel=0.02)
    assert second["cbr2", starts[1]]["goodput_bps"] == 0
    assert second["cbr2", starts[-2]]["goodput_bps"] == pytest.approx(2e6, rel=0.02)
    assert {row["window"] for row in rows} == {None, 7}
    assert "window pkt" in found.content[0].text
    assert call("quick", **streams).structured_content["digest"] == found.structured_content["digest"]


def test_a_table_over_time_is_of_one_run_and_has_the_windows_at_the_ends() -> None:
    found = call("run", example="two-sources", replications=2, every="100s")
    rows = found.structured_content["over_time"]
    assert [(row["flow"], row["end_s"]) for row in rows[:4]] == [
        ("ftp1", 100),
        ("ftp2", 100),
        ("telnet", 100),
        ("ftp1", 200),
    ]
    assert len(rows) == 21
    own = headgate.example("two-sources").run().traces
    changes = [
        (time, value)
        for name, time, value in zip(own["object"], own["time_s"], own["value"], strict=True)
        if name == "ftp1"
    ]
    for row in rows[::3]:
        assert row["window"] == pytest.approx([value for time, value in changes if time <= row["end_s"]][-1], rel=1e-3)
    assert len({row["window"] for row in rows[::3]}) > 1


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("quick", {"every": "1ms"}, "every: found 1ms, which gives 1000 rows; expected at least 5ms for 1 flow"),
        ("quick", {"every": "soon"}, "every: found 'soon'; expected a time such as 1s"),
        ("quick", {"every": "0s"}, "every: found '0s'; expected a time such as 1s"),
        (
            "quick",
            {"every": "0.5s", "buffer": "1BDP,2BDP"},
            "every: found with several runs; expected one value of buffer",
        ),
        (
            "run",
            {"example": "queues-and-rates", "every": "1s"},
            "every: found with a study; expected a scenario without sweep",
        ),
    ],
)
def test_a_table_over_time_has_limits(tool: str, given: dict[str, Any], said: str) -> None:
    line = {"rate": "10Mbit/s", "rtt": "20ms", "flows": "cubic", "duration": "1s"} if tool == "quick" else {}
    found = call(tool, **line, **given)
    assert found.is_error
    assert said in found.content[0].text


def test_what_the_instructions_and_the_descriptions_write_is_valid() -> None:
    """A model copies what stands there, so that an error in it is an error in every call."""
    from headgate.assistant.resources import guide
    from headgate.assistant.tools import TOOLS

    _, _, rest = guide().partition('{"duration"')
    whole = '{"duration"' + rest.partition("\n\n")[0]
    scenario = json.loads(whole)
    scenario["flows"][0]["transport"] = json.loads(re.search(r"`transport`, as (\{.*?\})", guide())[1])  # type: ignore[index]
    assert not call("check", scenario=scenario).is_error
    properties = TOOLS["quick"].properties
    about = properties["flows"]["description"]
    written = [
        *re.findall(r"(?<= )(?:cubic|transfer|cbr|web):[^ ]*?(?=[,;.]? |[,;.]$)", about),
        *properties["flows"]["examples"],
    ]
    assert len(written) > 8
    for flows in written:
        found = call("quick", rate="1Mbit/s", rtt="20ms", flows=flows, duration="40s", phase=False)
        assert not found.is_error, (flows, found.content[0].text)
    for queue in properties["queue"]["examples"]:
        found = call("quick", rate="1Mbit/s", rtt="20ms", flows="cubic", duration="1s", phase=False, queue=queue)
        assert not found.is_error, (queue, found.content[0].text)
    for queue in re.findall(r"\w+:[\w=]+", TOOLS["replay"].properties["queues"]["description"]):
        assert not call("replay", trace="office.csv", rate="2Mbit/s", queues=queue).is_error, queue


def test_a_word_that_is_no_name_leads_to_names() -> None:
    found = call("explain", what="ecn")
    assert "flows.transport.ecn" in found.structured_content["mentioned_by"]
    assert not call("explain", what="flows.transport.ecn").is_error


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
