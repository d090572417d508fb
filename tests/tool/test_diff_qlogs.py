"""Two qlogs compared: where windows, rates and losses part, against values that follow from how the files are made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headgate import exports
from headgate.base.errors import HeadgateError
from headgate.cli.tables.qlogs import sentence
from headgate.exports.divergence import Parting, compare_qlogs
from headgate.exports.qlogs import is_qlog, read_qlog

from ..conftest import Cli
from ..exported import busy

OLDER = {
    "recovery_metrics_updated": "recovery:metrics_updated",
    "packet_lost": "recovery:packet_lost",
    "packet_sent": "transport:packet_sent",
}

Event = tuple[float, str, dict[str, Any]]


def events(window: dict[int, int], lost: tuple[int, ...] = (), end: int = 2000, size: int = 1000) -> list[Event]:
    """A packet each 10 ms, windows from these times (ms) on, round trips of 50 ms."""
    found: list[Event] = [(t, "packet_sent", {"raw": {"length": size}}) for t in range(0, end + 1, 10)]
    found += [(t, "recovery_metrics_updated", {"congestion_window": w, "latest_rtt": 50}) for t, w in window.items()]
    found += [(t, "packet_lost", {"header": {"packet_number": 1}}) for t in lost]
    return sorted(found, key=lambda e: e[0])


def write(folder: Path, name: str, of: list[Event], form: str = "seq", offset: float = 5e6) -> Path:
    """A qlog of one of the forms: `seq` and `contained` of the latest draft, `0.3` as JSON, `0.3-seq`, `0.3-lines`."""
    file = folder / name
    old = form.startswith("0.3")
    named = [{"time": t + offset, "name": OLDER[n] if old else f"quic:{n}", "data": d} for t, n, d in of]
    for event in named:
        if event["name"] == "quic:packet_sent":
            event["data"] = {"header": {"packet_type": "1RTT"}, **event["data"]}
    if form in ("contained", "0.3"):
        last = 0.0
        for event in named:
            event["time"], last = event["time"] - last, event["time"]
        way = "delta" if old else "relative_to_previous_event"
        trace = {"vantage_point": {"type": "server"}, "common_fields": {"time_format": way}, "events": named}
        head = (
            {"qlog_version": "0.3", "qlog_format": "JSON"}
            if old
            else {"file_schema": "urn:ietf:params:qlog:file:contained"}
        )
        file.write_text(json.dumps({**head, "traces": [trace]}))
        return file
    head = (
        {"qlog_version": "0.3", "qlog_format": "JSON-SEQ"}
        if old
        else {"file_schema": "urn:ietf:params:qlog:file:sequential"}
    )
    records = [{**head, "trace": {"common_fields": {"time_format": "relative"}}}, *named]
    mark = "" if form.endswith("lines") else "\x1e"
    file.write_text("".join(f"{mark}{json.dumps(record)}\n" for record in records))
    return file


FORMS = ["seq", "contained", "0.3", "0.3-seq", "0.3-lines"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form: str, tmp_path: Path) -> None:
    made = write(tmp_path, "a.qlog", events({0: 10_000, 1000: 20_000}, (1500,)), form)
    found = read_qlog(made)
    assert found.metrics["congestion_window"] == [(0.0, 10_000.0), (1.0, 20_000.0)]
    assert found.metrics["latest_rtt"] == [(0.0, 0.05), (1.0, 0.05)]
    assert found.lost == [1.5] and len(found.sent) == 201 and found.end == pytest.approx(2.0)


def quantity(found: Any, name: str) -> Parting:
    return next(q for q in found.quantities if q.name == name)


@pytest.mark.parametrize("form", FORMS)
def test_the_first_parting_is_where_it_was_put(form: str, tmp_path: Path) -> None:
    """Windows of 10 and 20 KB from 1 s on, of 2 s: means of 10 and 15 KB. A loss at 1.5 s in one. Times begin elsewhere."""
    a = write(tmp_path, "a.sqlog", events({0: 10_000}))
    b = write(tmp_path, "b.sqlog", events({0: 10_000, 1000: 20_000}, (1500,)), form, offset=77.0)
    found = compare_qlogs(read_qlog(a), read_qlog(b))
    window, losses = quantity(found, "window"), quantity(found, "losses")
    assert window.mean == pytest.approx((10_000, 15_000)) and window.at_s == pytest.approx(1.0)
    assert window.there == (10_000, 20_000) and window.by == 0.5
    assert losses.mean == (0, 1) and losses.at_s == pytest.approx(1.5) and losses.there == (0, 1)
    assert quantity(found, "round trip").at_s is None and quantity(found, "rate sent").at_s is None
    # 201 packets of 1000 bytes in 2 s.
    assert quantity(found, "rate sent").mean == pytest.approx((804_000, 804_000))
    assert found.first == window and found.lasting_s == pytest.approx(0.05)
    assert sentence(found) == (
        "They part first at 1 s: the window of a.sqlog is 10 KB there and that of b.sqlog 20 KB. a.sqlog has 50 % less than b.sqlog, "
        "for at least 50 ms; until then they are within 10 %."
    )


def test_a_rate_parts_in_the_interval_in_which_it_changes(tmp_path: Path) -> None:
    """Packets of 1000 and of 3000 bytes from 1 s on: 0.8 and 2.4 Mbit/s."""
    first = events({0: 10_000}, end=990)
    a = write(tmp_path, "a.sqlog", events({0: 10_000}))
    b = write(
        tmp_path, "b.sqlog", first + [(t, "packet_sent", {"raw": {"length": 3000}}) for t in range(1000, 2001, 10)]
    )
    rate = quantity(compare_qlogs(read_qlog(a), read_qlog(b)), "rate sent")
    assert rate.at_s == pytest.approx(1.0) and rate.there == pytest.approx((800_000, 2_400_000), rel=0.01)


@pytest.mark.parametrize(("last", "parted"), [(1049, None), (1051, 1.0)])
def test_what_ends_within_a_round_trip_is_no_parting(last: int, parted: float | None, tmp_path: Path) -> None:
    """A window that differs from 1 s on, for less and for more than the 50 ms of a round trip."""
    a = write(tmp_path, "a.sqlog", events({0: 10_000}))
    b = write(tmp_path, "b.sqlog", events({0: 10_000, 1000: 20_000, last: 10_000}))
    assert quantity(compare_qlogs(read_qlog(a), read_qlog(b)), "window").at_s == (
        pytest.approx(parted) if parted else None
    )


@pytest.mark.parametrize(("tolerance", "parts"), [(0.04, True), (0.06, False)])
def test_the_tolerance(tolerance: float, parts: bool, tmp_path: Path) -> None:
    """Windows of 9500 and 10 000 bytes: a difference of 5 %."""
    a, b = (write(tmp_path, f"{w}.sqlog", events({0: w})) for w in (9500, 10_000))
    assert (compare_qlogs(read_qlog(a), read_qlog(b), tolerance).first is not None) == parts


def test_both_forms_of_a_run_do_not_part(tmp_path: Path, cli: Cli) -> None:
    (made,) = exports.write(busy(), qlog=tmp_path / "q")
    done = cli("diff", made / "web.sqlog", made / "qvis/web.sqlog")
    assert done.returncode == 0 and "They do not part" in done.stdout, done.stdout + done.stderr
    found = json.loads(cli("diff", made / "web.sqlog", made / "ecn.sqlog", "--json").stdout)
    assert not found["equal"] and found["first"] in {q["name"] for q in found["quantities"]}
    # The numbers are those of the files themselves.
    texts = (made / "web.sqlog").read_text().split("\x1e")[1:]
    lost = sum(json.loads(text).get("name") == "quic:packet_lost" for text in texts)
    assert len(read_qlog(made / "web.sqlog").lost) == lost > 0


def test_the_command(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, "a.sqlog", events({0: 10_000}))
    write(tmp_path, "b.qlog", events({0: 10_000, 1000: 20_000}), "0.3")
    done = cli("diff", "a.sqlog", "b.qlog")
    assert done.returncode == 1 and not done.stderr
    assert "They part first at 1 s" in done.stdout and "window KB" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert cli("diff", "a.sqlog", "b.qlog", "--tolerance", "60%").returncode == 0


def test_of_several_traces_that_which_sent_most(tmp_path: Path) -> None:
    text = json.loads(write(tmp_path, "a.qlog", events({0: 10_000}), "contained").read_text())
    small = json.loads(write(tmp_path, "b.qlog", events({0: 5_000}, end=100), "contained").read_text())
    failed = {"error_description": "no key"}
    (tmp_path / "c.qlog").write_text(json.dumps({**text, "traces": [*small["traces"], failed, *text["traces"]]}))
    found = read_qlog(tmp_path / "c.qlog")
    assert found.metrics["congestion_window"][0][1] == 10_000 and found.traces == 3
    whole = compare_qlogs(found, read_qlog(tmp_path / "a.qlog"))
    assert whole.notes == (f"{tmp_path / 'c.qlog'} has 3 traces; this is the one of the server that sent most.",)


def test_a_record_that_was_cut_off_is_said(tmp_path: Path) -> None:
    whole = write(tmp_path, "a.sqlog", events({0: 10_000}))
    (tmp_path / "b.sqlog").write_text(whole.read_text()[:-20])
    assert compare_qlogs(read_qlog(whole), read_qlog(tmp_path / "b.sqlog")).notes == (
        f"The last record of {tmp_path / 'b.sqlog'} is cut off.",
    )


def test_what_is_a_qlog(tmp_path: Path) -> None:
    plain = write(tmp_path, "a.json", events({0: 10_000}), "0.3")
    (tmp_path / "s.json").write_text('{"duration": "1s"}')
    assert is_qlog(plain) and not is_qlog(tmp_path / "s.json") and is_qlog("none.qlog") and not is_qlog(tmp_path)


HEAD = '{"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {}}\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "found nothing; expected a qlog"),
        ("hello", "record 1: expected JSON"),
        ("{", "expected a qlog in JSON"),
        ("[1]", "record 1: found [1]; expected a table"),
        ("{}", "expected a qlog: a table with qlog_version or file_schema comes first"),
        ('{"qlog_version": "draft-02", "traces": []}', "qlog_version: found 'draft-02'; expected 0.3 or newer"),
        ('{"qlog_version": 0.2, "traces": []}', "qlog_version: found 0.2; expected 0.3 or newer"),
        ('{"qlog_version": "0.3"}', "traces: found None; expected a list"),
        ('{"qlog_version": "0.3", "traces": [3]}', "traces[0]: found 3; expected a table"),
        ('{"qlog_version": "0.3", "traces": [{"events": 3}]}', "traces[0].events: found 3; expected a list"),
        ('{"qlog_version": "0.3", "traces": [{"events": [3]}]}', "traces[0].events[0]: found 3; expected a table"),
        ('{"qlog_version": "0.3", "traces": []}', "found no packet_sent and no metrics of recovery"),
        ('{"qlog_version": "0.3", "traces": [{"common_fields": {"time_format": "x"}}]}', "time_format: found 'x'; expected one of"),
        ("\x1e" + HEAD + '\x1e{"time": "now"}\n', "record 2: time: found 'now'; expected a number of milliseconds"),
        ("\x1e" + HEAD + '\x1e{"name": "a"}\n', "record 2: time: found None; expected a number of milliseconds"),
        ("\x1e" + HEAD + '\x1e{"time": NaN}\n', "record 2: time: found nan; expected a number of milliseconds"),
        ("\x1e" + HEAD + "\x1e[]\n", "record 2: found []; expected a table"),
        ("\x1e" + HEAD + "\x1enothing\n\x1e{}\n", "record 2: expected JSON"),
        (
            "\x1e" + HEAD + '\x1e{"time": 1, "name": "recovery:metrics_updated", "data": {"congestion_window": -1}}\n',
            "record 2: congestion_window: found -1; expected a number",
        ),
        (
            "\x1e" + HEAD + '\x1e{"time": 1, "name": "transport:packet_sent", "data": {"raw": {"length": "x"}}}\n',
            "record 2: raw.length: found 'x'; expected a number of bytes",
        ),
        ('{"qlog_version": "0.3", "traces": ' + "[" * 50_000, "it is too deep"),
    ],
)  # fmt: skip
def test_files_that_are_no_qlogs(text: str, why: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.sqlog").write_text(text)
    write(tmp_path, "b.sqlog", events({0: 10_000}))
    done = cli("diff", "a.sqlog", "b.sqlog")
    assert (done.returncode, done.stdout) == (2, "") and "Traceback" not in done.stderr
    assert done.stderr.startswith("error: a.sqlog: ") and why in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("a.sqlog", "none.sqlog"), "none.sqlog: expected a qlog; No such file"),
        (("a.sqlog", "folder"), "folder: found a folder; expected one qlog"),
        (("a.sqlog", "s.toml"), "s.toml: expected a qlog (.qlog, .sqlog) as the other file is"),
        (("a.sqlog", "a.sqlog", "--run", "1"), "--run: expected none beside a qlog"),
        (("a.sqlog", "a.sqlog", "--tolerance", "nan"), "--tolerance: found 'nan'; expected a share below 1"),
        (("s.toml", "s.toml", "--tolerance", "1%"), "--tolerance: expected two qlogs beside it"),
        (("a.sqlog", "once.sqlog"), "once.sqlog: found events at one time only"),
        (("a.sqlog", "bare.sqlog"), "found no quantity that both have"),
        (("a.sqlog", "bytes.sqlog"), "bytes.sqlog: expected text in UTF-8"),
    ],
)
def test_calls_that_are_wrong(words: tuple[str, ...], why: str, tmp_path: Path, cli: Cli) -> None:
    write(tmp_path, "a.sqlog", events({0: 10_000}))
    write(tmp_path, "once.sqlog", [(0, "packet_sent", {"raw": {"length": 9}})])
    write(tmp_path, "bare.sqlog", [(0, "packet_sent", {}), (9, "packet_sent", {})])
    (tmp_path / "bytes.sqlog").write_bytes(b"\xff\xfe")
    (tmp_path / "s.toml").write_text("")
    (tmp_path / "folder").mkdir()
    done = cli("diff", *words)
    assert (done.returncode, done.stdout) == (2, "") and why in done.stderr and "Traceback" not in done.stderr, (
        done.stderr
    )


def test_what_only_one_has_is_said(tmp_path: Path) -> None:
    a = write(tmp_path, "a.sqlog", events({0: 10_000}))
    only = [e for e in events({0: 10_000}) if e[1] == "packet_sent"]
    b = write(tmp_path, "b.sqlog", only)
    found = compare_qlogs(read_qlog(a), read_qlog(b))
    assert found.notes == (f"Not compared: window is only in {a}, round trip is only in {a}.",)
    assert {q.name for q in found.quantities} == {"rate sent", "losses"}
    with pytest.raises(HeadgateError, match="no packet_sent"):
        read_qlog(write(tmp_path, "c.sqlog", [(0, "packet_lost", {})]))
