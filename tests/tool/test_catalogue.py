"""The lists of the engine: read in one place, and again once a plugin comes or goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headgate
from headgate import _core
from headgate.base import catalogue
from headgate.cli.commands import list as lists
from headgate.plugins import registry

PACKAGE = Path(headgate.__file__).parent


def test_one_place_reads_the_lists() -> None:
    calls = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "_core.catalogue(" in path.read_text("utf-8")
    }
    assert calls == {"base/catalogue.py", "base/short_names.py"}


@pytest.mark.parametrize("kind", catalogue.KINDS)
def test_what_is_printed_is_what_the_engine_says(kind: str) -> None:
    """Nothing that the engine says of a parameter is lost on the way through the types."""
    said = json.loads(_core.catalogue(kind))
    shown = lists.catalogue(kind)
    assert shown == [{key: entry[key] for key in ("name", "source", "parameters")} for entry in said]
    assert json.dumps(shown) == json.dumps([{key: e[key] for key in ("name", "source", "parameters")} for e in said])
    more = [{key: e[key] for key in ("summary", "deviations")} for e in said]
    assert [{key: e[key] for key in ("summary", "deviations")} for e in lists.catalogue(kind, more=True)] == more


def test_a_list_is_read_once_until_a_plugin_comes_or_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = _core.catalogue

    def counted(kind: str) -> str:
        read.append(kind)
        return real(kind)

    monkeypatch.setattr(_core, "catalogue", counted)
    catalogue.changed()
    for _ in range(3):
        assert "listed" not in catalogue.catalogue("controls")
    assert read == ["flow-controls"]

    @headgate.control("listed")
    class Listed:
        def on_ack(self, ack: object) -> None:
            """Does nothing."""

    try:
        entry = catalogue.catalogue("controls")["listed"]
        assert (entry.plugin, entry.transport, catalogue.is_own("listed", "control")) == (True, True, False)
        assert read == ["flow-controls"] * 2, "once before and once after"
    finally:
        registry.remove("listed")
    assert "listed" not in catalogue.catalogue("controls")


def test_a_registration_that_fails_is_forgotten_too() -> None:
    def fails() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        registry.add("never", "control", fails)
    assert "never" not in catalogue.catalogue("controls")
