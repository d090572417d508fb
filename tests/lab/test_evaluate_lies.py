"""What a process in which code runs that is not trusted may say: nothing of it is believed."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headgate import plugins
from headgate.base import memory
from headgate.base.errors import HeadgateError
from headgate.lab.evaluation import evaluate, suite, work
from headgate.plugins import answers, remote, template

from ..conftest import Cli
from ..own_plugins import put

TRUE = {
    "name": "own", "source": "mine.py", "summary": "A control.", "schema": '{"properties": {"part": {"type": "number"}}}',
    "defaults": '{"part": 0.5}', "calls": ["on_start", "on_ack"], "gauges": [], "every": "ack", "ecn": "none", "rate_samples": False,
}  # fmt: skip


def lie(**parts: object) -> bytes:
    return json.dumps([{**TRUE, **parts}]).encode()


#: Descriptions that cannot be, with what the error says.
LIES = {
    "the name of one of ours": (lie(name="bbr3"), "control bbr3: expected a name that no control of headgate has"),
    "a name that is no text": (lie(name=["own"]), "name: found ['own']; expected a name of lower-case letters"),
    "a name that a terminal acts upon": (lie(name="own\x1b[2J"), "name: found 'own\\x1b[2J'"),
    "the same name twice": (json.dumps([TRUE, TRUE]).encode(), "control own: is there twice"),
    "more than it can have": (json.dumps([{**TRUE, "name": f"n{i}"} for i in range(65)]).encode(), "expected a list of at most 64"),
    "another kind of thing": (b'{"name": "own"}', "expected a list of at most 64 flow controls"),
    "a part too few": (json.dumps([{"name": "own"}]).encode(), "expected name, source, summary"),
    "a part too many": (lie(read="x"), "expected name, source, summary"),
    "a call that there is not": (lie(calls=["on_ack", "seq"]), "calls: found ['on_ack', 'seq']"),
    "a call without which there is none": (lie(calls=["on_loss"]), "calls: found ['on_loss']"),
    "calls that are no list": (lie(calls="on_ack"), "calls: found 'on_ack'"),
    "a schema that is no JSON": (lie(schema="{"), "schema: found '{'"),
    "a schema that is a list": (lie(schema="[]"), "schema: found '[]'"),
    "defaults without an end": (lie(defaults='{"part": NaN}'), "defaults: found"),
    "defaults with half of a character": (lie(defaults='{"part": "\\ud800"}'), "defaults: found"),
    "defaults deeper than any": (lie(defaults='{"part":' * 99 + "1" + "}" * 99), "defaults: found"),
    "a summary without an end": (lie(summary="x" * 200_000), "summary: found 'xxx"),
    "truth that is a number": (lie(rate_samples=1), "rate_samples: found 1; expected true or false"),
    "another time": (lie(every="packet"), "every: found 'packet'; expected ack or round"),
    "marks that there are not": (lie(ecn={"a": 1}), "ecn: found {'a': 1}"),
    "no JSON": (b"yes", "found 'yes'; expected JSON"),
    "no text": (b"\xff\xfe", "expected a text in UTF-8"),
    "JSON deeper than any": (b"[" * 5000 + b"]" * 5000, "expected JSON"),
    "a number with too many digits": (b"[" + b"9" * 6000 + b"]", "expected JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_description_that_cannot_be_is_one_clear_error(name: str) -> None:
    data, words = LIES[name]
    with pytest.raises(answers.SaidError, match=re.escape(words)) as error:
        answers.described(data)
    assert len(str(error.value)) < 400 and "\x1b" not in str(error.value)


def test_a_description_that_can_be_is_taken() -> None:
    assert answers.described(json.dumps([TRUE]).encode()) == [TRUE]
    assert answers.parameters(TRUE) == {"part"}
    assert answers.complete(b'{"part": 2}', frozenset({"part"})) == '{"part": 2}'
    for data in (b'{"part": 2, "kind": "bbr3"}', b"{}", b"[]", b'{"part": Infinity}', b"\xff", b""):
        with pytest.raises(answers.SaidError):
            answers.complete(data, frozenset({"part"}))


#: A file that writes an answer of its own and then does nothing more.
LIAR = """
import statistics
frame = statistics.sys._getframe()
while "pipe" not in frame.f_locals:
    frame = frame.f_back
pipe = frame.f_locals["pipe"]
{lie}
while True:
    pass
"""


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (f"pipe.answer({lie(name='bbr3')!r})", "control bbr3: expected a name that no control of headgate has"),
        ("pipe.answer(b'yes')", "found 'yes'; expected JSON"),
        ("pipe.answer(b'x' * 2_000_000)", "its process wrote something else than answers"),
        ("pipe.answer(b'[]', 7)", "its process wrote something else than answers"),
        ("pipe.answer(b'why not', 1)", "why not"),
        ("pipe.answer(b'[]')", "expected @headgate.control"),
    ],
)
def test_a_file_that_answers_itself_is_refused_in_one_line(told: str, words: str, tmp_path: Path, cli: Cli) -> None:
    put(tmp_path, LIAR.format(lie=told))
    done = cli("evaluate", "mine.py", "--suite", "smoke", "--rounds", "1")
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_set_cannot_choose_another_control(tmp_path: Path, cli: Cli) -> None:
    put(tmp_path, "@headgate.control('own')\nclass Own:\n    def on_ack(self, ack): pass\n")
    for control in ("mine.py", "reno"):
        done = cli("evaluate", control, "--suite", "smoke", "--rounds", "1", "--set", "kind=bbr3")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: parameters: found kind, which chooses the control")


BODY = """
@headgate.control("own")
class Own:
    '''A control.'''
    def on_start(self, window):
        self.window, self.calls = 10.0, 0
{calls}
    def on_ack(self, ack):
        self.calls += 1
{ack}
"""


def run(tmp_path: Path, ack: str, calls: str = "") -> dict[str, Any]:
    (entry,) = plugins.filled_from(put(tmp_path, BODY.format(ack=f"        {ack}", calls=calls)))
    work._ready = None
    return work.do(work.WantedRun(suite("smoke")[0], {"kind": "own"}, 0, entry, True))


#: What it does when it is called, with what the fault says.
ANSWERS = {
    "a window that is no number": ("self.window = float('nan')", "window: found NaN; expected a number of packets, at least 1"),
    "a window without an end": ("self.window = float('inf')", "window: found inf"),
    "a window of 0": ("self.window = 0", "window: found 0"),
    "a negative rate": ("self.rate = -1.0", "rate: found -1"),
    "a burst without an end": ("self.burst = 1e300", "burst: found 1e300|burst: found 1000"),
    "a text": ("self.window = 'much'", "window: found 'much'; expected a number"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_numbers_beyond_their_bounds_are_faults(name: str, tmp_path: Path) -> None:
    ack, words = ANSWERS[name]
    assert re.search(words, run(tmp_path, ack).get("fault", "")), run(tmp_path, ack)


#: The body of an answer: window, rate, burst, slow start, and which of window and rate are none.
ANSWER = struct.Struct("<4dB")

#: What it writes into the pipe of its answers, by the frame in which it is served.
WRITTEN = {
    "an answer of another length": ("pipe.answer(b'x')", "an answer of 1 bytes; expected 33"),
    "slow start that is neither": (f"pipe.answer({ANSWER.pack(1, 1, 1, 0.5, 0)!r})", "slow start 0.5"),
    "flags that there are not": (f"pipe.answer({ANSWER.pack(1, 1, 1, 0, 9)!r})", "flags 9"),
    "another status": ("pipe.answer(b'', 3)", "wrote something else than answers"),
    "a length without an end": (f"_os.write(1, {struct.pack('<BI', 0, 2**32 - 1)!r})", "wrote something else"),
}  # fmt: skip

AHEAD = ANSWER.pack(10, 0, 1, 0, 2)

SERVED = """(frame := __import__('statistics').sys._getframe())
        while 'pipe' not in frame.f_locals: frame = frame.f_back
        pipe, _os = frame.f_locals['pipe'], __import__('random')._os
        {written}
        while True: pass"""


@pytest.mark.parametrize("name", WRITTEN)
def test_answers_that_are_none_are_faults(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written, words = WRITTEN[name]
    found = run(tmp_path, SERVED.format(written=written))
    assert words in found.get("fault", ""), found


def test_one_that_answers_ahead_and_stops_reading_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "ANSWER_S", 0.5)
    ahead = SERVED.format(written=f"pipe.answer({AHEAD!r}); [pipe.answer({AHEAD!r}) for _ in range(1000)]")
    # Whether it is seen that there is more, or that nothing comes in the end, is a matter of which process runs.
    assert re.search("answered more than it was asked|did not answer within", run(tmp_path, ahead).get("fault", ""))


def test_the_time_for_an_answer_does_not_begin_again_with_each_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer comes a byte at a time, each of them sooner than the limit, and is complete only after many times the limit."""
    monkeypatch.setattr(remote, "ANSWER_S", 0.4)
    answer = struct.pack("<BI", 0, ANSWER.size) + AHEAD
    slow = f"[[_os.write(1, bytes([b])), [None for _ in range(2_000_000)]] for b in {answer!r}]"
    assert "it did not answer within 0.4 s" in run(tmp_path, SERVED.format(written=slow)).get("fault", "")


def test_all_answers_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RUN_S", 0.0)
    assert "its answers took more than they may together" in run(tmp_path, "pass").get("fault", "")


def test_a_file_without_an_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "READY_S", 0.5)
    with pytest.raises(HeadgateError, match=r"mine\.py: it was not ready within 0\.5 s"):
        evaluate(put(tmp_path, "while True: pass"), "smoke", rounds=1)


ORDER = """
@headgate.control("own")
class Own:
    '''Its window follows the order of sets: of texts, and of objects whose hash values are their places in memory.'''
    def on_start(self, window):
        self.window = 4.0
    def on_ack(self, ack):
        things = [object() for _ in range(300)]
        texts = [f"name{i}" for i in range(50)]
        of_texts, of_things = list(set(texts)), list(set(things))
        self.window = 4.0 + texts.index(of_texts[0]) / 10 + things.index(of_things[0]) / 100
"""


def test_sets_have_the_same_order_in_each_process(tmp_path: Path) -> None:
    (entry,) = plugins.filled_from(put(tmp_path, ORDER))
    found = set()
    for _ in range(2):
        # A copy of another template, as in another worker.
        template.template().close()
        for _ in range(2):
            work._ready = None
            found.add(work.do(work.WantedRun(suite("smoke")[0], {"kind": "own"}, 0, entry, True))["digest"])
    assert len(found) == 1


def test_nothing_is_left_of_a_template_and_its_copies(tmp_path: Path) -> None:
    """Whether it is closed, or ends with the one that started it, which is killed; one of the copies is busy for ever."""
    (entry,) = plugins.filled_from(put(tmp_path, "while True: pass"))
    cell = remote.ControlProcess(entry)
    os.write(cell._pipes.ends[0], cell._request)
    first, copy = template.template()._process.pid, cell._number
    assert Path(f"/proc/{copy}").exists()
    template.template().close()
    while Path(f"/proc/{copy}").exists():
        time.sleep(0.01)
    assert template.template()._process.pid != first
    code = (
        "import os, sys; from headgate.plugins import load, remote, template; (entry,) = load.filled_from('mine.py');"
        "cell = remote.ControlProcess(entry); os.write(cell._pipes.ends[0], cell._request);"
        "print(template.template()._process.pid, cell._number, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        processes = program.stdout.readline().split()
        program.kill()
    for process in processes:
        while Path(f"/proc/{process}").exists():
            time.sleep(0.01)


def test_a_killed_template_is_a_fault_of_the_run(tmp_path: Path) -> None:
    body = "        if self.calls == 50: raise AssertionError('not reached')"
    (entry,) = plugins.filled_from(put(tmp_path, BODY.format(ack=body, calls="")))
    work._ready = None
    work.prepare(entry, True)
    # One process is killed and waited for: a second call of template() may start a new one.
    process = template.template()._process
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    # A new one is there for the next flow.
    assert "not reached" in work.do(work.WantedRun(suite("smoke")[0], {"kind": "own"}, 0, entry, True))["fault"]


def test_processes_of_a_run_share_their_memory(tmp_path: Path) -> None:
    """32 flows that take as much as they can: each fails, and none has more than its part."""
    remote.divide(32)
    assert remote._each == remote.TOGETHER // 32 or remote._each * 32 <= memory.limit()
    remote.divide(100_000)
    assert remote._each == remote.LEAST
    remote.divide(1)
    found = run(tmp_path, "self.all = getattr(self, 'all', []) + [bytearray(10_000_000)]")
    assert "MemoryError" in found["fault"]


def test_processes_together_have_no_more_than_all(tmp_path: Path) -> None:
    """However many flows there are: 48 MB are three times the least that each has, and a fourth one waits for one to end."""
    (entry,) = plugins.filled_from(put(tmp_path, BODY.format(ack="        pass", calls="")))
    memory.limit_to(3 * remote.LEAST)
    try:
        remote.divide(100_000)
        assert remote._given == 0
        cells = [remote.ControlProcess(entry) for _ in range(3)]
        with pytest.raises(remote.CellError, match=r"at most 3 flows at a time with a control of a file: .* 0\.048 GB"):
            remote.ControlProcess(entry)
        cells.pop().close()
        cells.append(remote.ControlProcess(entry))
        for cell in cells:
            cell.close()
        assert remote._given == 0
    finally:
        memory.limit_to(None)
        remote.divide(1)
    # Overlapping transfers have 2 GB together as well.
    assert work.FLOWS["transfers"] * remote.LEAST <= remote.TOGETHER


KEY = "0123456789abcdef0123456789abcdef"


def test_a_short_key_is_refused_and_none_is_an_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    for key in ("secret", "x" * 31, "ab" * 40):
        with pytest.raises(HeadgateError, match="expected at least 32 and 8") as error:
            evaluate("reno", "smoke", key, rounds=1)
        assert key not in str(error.value)
    assert "No such option" in cli("evaluate", "reno", "--key", KEY).stderr
    (tmp_path / "key").write_text(KEY + "\n")
    monkeypatch.setenv("OWN_KEY", KEY)
    options = ["evaluate", "reno", "--suite", "smoke", "--rounds", "1", "--json"]
    by_file, by_name = (cli(*options, *more) for more in (["--key-file", "key"], ["--key-env", "OWN_KEY"]))
    assert by_file.returncode == 0 and by_file.stdout == by_name.stdout and json.loads(by_file.stdout)["hidden"]
    for more, words in (
        (["--key-file", "none"], "--key-file none: expected a file with a key; No such file"),
        (["--key-env", "NO_SUCH"], "--key-env NO_SUCH: found nothing; expected a key"),
        (["--key-env", "A", "--key-file", "key"], "found both; expected one of them"),
    ):
        done = cli(*options, *more)
        assert done.returncode == 2 and words in done.stderr


def test_the_streams_of_a_judged_control_are_no_function_of_the_key_alone() -> None:
    first, second = (suite("smoke", KEY, judged) for judged in ("a", "b"))
    assert all(a.seed != b.seed for a, b in zip(first, second, strict=True))
    assert [(c.rate, c.rtt, c.buffer) for c in first] == [(c.rate, c.rtt, c.buffer) for c in second]


def test_a_key_has_at_least_32_characters_and_8_different_ones() -> None:
    assert len(suite("smoke", KEY)) == 4
    for short in (KEY[:31], "0123456" * 5):
        with pytest.raises(HeadgateError, match="expected at least 32 and 8"):
            suite("smoke", short)
    assert len(suite("smoke", "01234567" * 4)) == 4


#: Files that are no Python, or that Python warns of: it reads their lines for that, which a process without rights may not.
TEXTS = {
    "class\n": "line 1: expected Python; ",
    "x = 1\nreturn 5\n": "line 2: expected Python; 'return' outside function",
    "x = (\n": "line 1: expected Python; '(' was never closed",
    "raise MemoryError\n": "MemoryError$",
    "async def f():\n    pass\nf()\nif 5 is 5:\n    pass\nraise ValueError('here')\n": "ValueError: here",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_that_is_no_python_is_an_error_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text, "utf-8")
    with pytest.raises(HeadgateError, match=re.escape("mine.py: ") + TEXTS[text].replace("(", r"\(")):
        evaluate(str(file), "smoke", rounds=1)
