"""The explorer in a notebook: messages are answered as requests are, work stops with its page, Python has the scenario as it was turned."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("starlette")

import headgate
from headgate.base.errors import HeadgateError, MissingExtraError
from headgate.explore import embedded
from headgate.explore.embedded import Widget
from headgate.explore.messages import MOST, Messages, loop
from headgate.explore.server import STATIC

from ..conftest import ROOT
from ..explorer import Page, scenario
from .test_explore_runs import ENDLESS, gone

#: Parts that a page may leave unheard in these tests.
UNHEARD = 50


class Notebook:
    """What a notebook is for a widget: it hears messages, and sends them."""

    def __init__(self, widget: Widget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.widget = widget
        self.heads: dict[str, dict[str, Any]] = {}
        #: Whether it says that parts arrive, as the page does.
        self.says_so = False
        self.last: dict[str, Any] = {}
        self.parts: dict[str, list[bytes]] = {}
        self.ended: dict[str, threading.Event] = {}
        monkeypatch.setattr(widget._messages, "_send", self.hear)

    def hear(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        # It must be JSON: messages of notebooks are.
        json.dumps(message)
        if "answer" in message:
            self.heads[message["answer"]] = message
            return
        parts = self.parts.setdefault(message["part"], [])
        parts.extend(buffers)
        if self.says_so and len(parts) % 10 == 0:
            self.widget._messages.receive_message({"heard": message["part"]})
        if message["last"]:
            self.ended[message["part"]].set()

    def send(self, **message: Any) -> None:
        """As ipywidgets hands on a message of the page."""
        if "ask" in message:
            self.ended[message["ask"]] = threading.Event()
        self.widget._handle_custom_msg(message, [])

    def ask(self, path: str, body: Any = None) -> bytes:
        """The answer; its head is `last`."""
        method, name = "GET" if body is None else "POST", f"page-{len(self.heads)}"
        self.send(ask=name, method=method, path=path, body=None if body is None else json.dumps(body))
        self.ended[name].wait()
        self.last = self.heads[name]
        return b"".join(self.parts.pop(name))

    def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            time.sleep(0.002)


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    found = Notebook(headgate.widget(scenario()), monkeypatch)
    yield found
    found.widget.close()


def test_a_message_is_answered_as_a_request_is(book: Notebook) -> None:
    page = Page()
    given = {"scenario": scenario()}
    path = {**given, "path": "links.slow.rate", "value": "90kbit/s"}

    wanted = [
        (where, body, page.post(where, body) if body else page.get(where))
        for where, body in (
            ("/api/controls", given),
            ("/api/set", path),
            ("/api/link", given),
            ("/api/lessons/flood", None),
        )
    ]

    for where, body, answer in wanted:
        assert book.ask(where, body) == answer.content
        assert (book.last["status"], book.last["type"]) == (200, answer.headers["content-type"])
    for where, status in (("/api/nothing", 404), ("/api/lessons/none", 404), ("/api/controls", 405)):
        error = json.loads(book.ask(where))["error"]
        assert (book.last["status"], bool(error["message"])) == (status, True)
    start = json.loads(book.ask("/api/start"))
    assert (start["title"], start["scenario"]) == ("two flows", scenario())
    page.explorer.runs.close()


def test_a_run_streams_and_its_views_and_files_are_there(book: Notebook) -> None:
    lines = (book.ask("/api/run", {"scenario": scenario(), "seed": None, "tab": "t"})).splitlines()
    done = json.loads(lines[-1])["done"]
    flows = book.widget.results().flow_summaries()
    assert [f["goodput_bps"] for f in done["flows"]] == pytest.approx([f.goodput_bps.mean for f in flows], rel=1e-3)
    series = json.loads(book.ask(f"/api/run/{done['run']}/series?view=throughput&width=100&from=10&to=20"))
    assert (series["from"], len(series["series"])) == (10, 2)
    toml = book.ask(f"/api/run/{done['run']}/export?form=toml")
    assert b"[[links]]" in toml
    assert book.last["file"].endswith(".toml")


def endless() -> str:
    return json.dumps({"scenario": scenario(**ENDLESS), "seed": None, "tab": "t"})


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs report their progress all the time."""
    monkeypatch.setattr("headgate.explore.progress.REPORT_S", 0.0001)
    monkeypatch.setattr("headgate.explore.messages.MOST_UNACKNOWLEDGED", UNHEARD)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("way", ["stop", "leave", "close", "unheard"])
def test_work_stops_with_its_page(book: Notebook, way: str) -> None:
    runs, messages = book.widget._explorer.runs, book.widget._messages
    book.says_so = way != "unheard"
    book.send(ask="page-7", method="POST", path="/api/run", body=endless())
    book.until(lambda: len(book.parts.get("page-7", [])) > 3)
    if way == "close":
        book.widget.close()
    elif way != "unheard":
        book.send(**{way: {"stop": "page-7", "leave": "page-"}[way]})
    book.until(lambda: messages.busy == 0 and gone(runs))
    assert not book.ended["page-7"].is_set()
    if way == "unheard":
        assert UNHEARD <= len(book.parts["page-7"]) <= UNHEARD + 2


@pytest.mark.usefixtures("hasty")
def test_a_page_that_hears_its_run_keeps_it(book: Notebook) -> None:
    book.says_so = True
    book.send(ask="a", method="POST", path="/api/run", body=endless())
    book.until(lambda: len(book.parts.get("a", [])) > 5 * UNHEARD)
    book.send(stop="a")
    book.until(lambda: gone(book.widget._explorer.runs))


def test_hostile_messages_are_left_alone(book: Notebook) -> None:
    ask = {"ask": "x", "method": "GET"}
    for message in (
        None,
        7,
        [],
        {},
        {"ask": 1},
        ask,
        {**ask, "path": "/"},
        {**ask, "path": 1},
        {"stop": "none"},
        {"heard": "none"},
    ):
        book.widget._messages.receive_message(message)
    for path in ("/assets/explore.js", "http://elsewhere/api/start", "/../api/start"):
        book.widget._messages.receive_message({**ask, "path": path, "body": None})
    book.ask("/api/assets/../../../../etc/passwd")
    assert book.last["status"] == 404
    assert "x" not in book.heads
    book.ask("/api/controls", {"scenario": {"name": "x" * 9_000_000}})
    assert book.last["status"] == 413


def test_too_many_requests_at_a_time_are_refused(book: Notebook) -> None:
    gate = threading.Event()
    loop().call_soon_threadsafe(gate.wait)
    for n in range(MOST + 1):
        book.send(ask=f"many-{n}", method="GET", path="/api/start", body=None)
    gate.set()
    book.until(lambda: len(book.heads) == MOST + 1)
    assert [name for name, head in book.heads.items() if head["status"] != 200] == [f"many-{MOST}"]
    assert book.heads[f"many-{MOST}"]["status"] == 503


def test_a_fault_of_the_application_is_answered() -> None:
    said: list[dict[str, Any]] = []

    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ZeroDivisionError

    messages = Messages(broken, {}, lambda message, buffers: said.append(message))
    messages.receive_message({"ask": "a", "method": "GET", "path": "/api/start", "body": None})
    while len(said) < 2:
        time.sleep(0.002)
    assert [m.get("status") for m in said] == [500, None]


def test_the_scenario_as_it_was_turned_is_in_python(book: Notebook) -> None:
    turned = headgate.Scenario(scenario()).set("links.slow.rate", "160kbit/s")
    book.widget.set_state({"scenario": dict(turned.data)})
    assert isinstance(book.widget.scenario, headgate.Scenario)
    assert book.widget.scenario.data["links"][1]["rate"] == "160kbit/s"
    assert book.widget.results().digest == turned.run().digest != headgate.Scenario(scenario()).run().digest
    assert book.widget.get_state()["scenario"] == turned.data

    # After a reload the page begins with it.
    assert json.loads(book.ask("/api/start"))["scenario"] == turned.data
    book.widget.scenario = headgate.Scenario(scenario())
    assert book.widget.get_state()["scenario"] == scenario()
    book.widget.scenario = scenario(duration="50s")
    assert book.widget.scenario.data["duration"] == "50s"
    with pytest.raises(HeadgateError, match="expected a scenario, found int"):
        book.widget.scenario = 7
    # A refused one is an error where it is run, as in a file.
    book.widget.set_state({"scenario": {"duration": "7"}})
    with pytest.raises(headgate.ScenarioError):
        book.widget.results()


def test_what_a_widget_may_be_of(tmp_path: Any) -> None:
    lessons = headgate.widget()
    assert (lessons.scenario, repr(lessons)) == (None, "headgate.widget('Start page')")
    with pytest.raises(HeadgateError, match="no scenario is open"):
        lessons.results()
    game = headgate.widget(headgate.example("game"))
    assert game.scenario.data["name"] == "a game beside a download"
    file = tmp_path / "a.toml"
    file.write_text('duration = "7"')
    for wrong in ({"duration": "7"}, file):
        with pytest.raises(headgate.ScenarioError):
            headgate.widget(wrong)
    with pytest.raises(HeadgateError):
        headgate.widget(tmp_path / "none.toml")
    assert lessons._explorer.runs is game._explorer.runs, "the memory of all widgets is bounded together"
    for each in (lessons, game):
        each.close()


def test_a_trace_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    book = Notebook(headgate.widget(ROOT / "scenarios" / "office.csv"), monkeypatch)
    start = json.loads(book.ask("/api/start"))
    assert start["kind"] == "replay"
    lines = book.ask("/api/run", {"scenario": start["scenario"], "seed": None, "tab": "t"}).splitlines()
    assert json.loads(lines[-1])["done"]["kind"] == "replay"
    turned = {**start["scenario"], "rate": "3Mbit/s"}
    book.widget.set_state({"scenario": turned})
    assert book.widget.scenario.data["rate"] == "3Mbit/s"
    assert json.loads(book.ask("/api/start"))["scenario"]["rate"] == "3Mbit/s"
    with pytest.raises(HeadgateError, match="a replay is open"):
        book.widget.results()
    book.widget.close()


def test_without_its_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"needs anywidget.*'\.\[explore\]'"):
        headgate.widget()


def test_the_bundle_is_part_of_the_widget() -> None:
    text = (STATIC / "widget.js").read_text("utf-8")
    assert str(embedded.Widget._esm) == text
    assert text.startswith("export default{render(context){")
    # Names of the notebook's own page are not touched: all is within the function.
    assert text.rstrip().endswith("return leave}};")
