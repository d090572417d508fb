"""The texts of the licences of what a wheel has in it: the crates in the engine, and the libraries in the explorer's page."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import metadata
from typing import Any

import pytest

from .. import installed
from ..conftest import ROOT

CRATES = ROOT / "LICENSES-CRATES.yml"
PAGE = ROOT / "python" / "headgate" / "explore" / "static" / "LICENSES.md"

STALE = "LICENSES-CRATES.yml is stale: run `make licenses`"


def crates() -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml")
    found: list[dict[str, Any]] = yaml.safe_load(CRATES.read_text("utf-8"))["third_party_libraries"]
    return found


def test_a_wheel_has_all_texts(capsys: pytest.CaptureFixture[str]) -> None:
    # The checkout is installed by the same tool, from the same list of files, as wheels are made.
    installed.licenses()
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_the_crates_are_those_of_the_engine() -> None:
    # What maturin wrote down when it built the engine: a bill of materials in the form of CycloneDX.
    (file,) = [f for f in metadata.files("headgate") or [] if str(f).endswith(".cyclonedx.json")]
    built = {
        (part["name"], part["version"])
        for part in json.loads(file.read_text("utf-8"))["components"]
        # `excluded` are those that run while others are built, and are not in the engine.
        if part["scope"] != "excluded" and not part["name"].startswith("headgate-")
    }
    listed = {(crate["package_name"], crate["package_version"]) for crate in crates()}
    assert len(built) > 30
    assert built - listed == set(), STALE
    # Those for other systems are in the lock file only.
    locked = {(p["name"], p["version"]) for p in tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]}
    assert listed <= locked, STALE


def test_each_crate_has_the_texts_that_its_licence_asks_for() -> None:
    for crate in crates():
        texts = {each["license"]: each["text"] for each in crate["licenses"]}
        assert texts, crate["package_name"]
        for name, text in texts.items():
            # The tool writes NOT FOUND where a crate comes without its text.
            assert "NOT FOUND" not in text, crate["package_name"]
            assert len(text) > 500, (crate["package_name"], name)
        # All parts of an `AND`, and of an `OR` one.
        for part in re.split(r" AND ", crate["license"]):
            assert any(choice in texts for choice in re.split(r" OR |/", part.strip("()"))), crate["package_name"]


def test_the_libraries_are_those_of_the_page() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))["packages"]
    libraries = {
        f"{path.removeprefix('node_modules/')} - {p['version']} ({p['license']})"
        for path, p in lock.items()
        if path and not p.get("dev")
    }
    text = PAGE.read_text("utf-8")
    assert set(re.findall(r"^## (.*)$", text, re.MULTILINE)) == libraries, "run `make explore`"
    assert text.count("Permission is hereby granted, free of charge") == len(libraries)
