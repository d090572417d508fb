"""What `make test` runs and says, and the runs that tests share."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ..run import closing, of_rust
from ..shared_runs import SharedRuns

RUST = "test result: ok. 12 passed; 0 failed\nnoise\ntest result: ok. 1000 passed; 0 failed; 3 ignored\n"
PYTHON = "....  [100%]\n6001 passed, 5 skipped in 170.13s (0:02:50)\n"
ROOT = Path(__file__).parents[2]


def test_the_line_at_the_end_counts_both_sides_and_says_what_the_other_half_adds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HEADGATE_ALL_CASES", raising=False)
    line = closing(0, PYTHON, RUST, rest=False)
    assert line.startswith("6,001 tests of Python and 1,012 of Rust passed. `make test-all` adds")
    assert closing(0, PYTHON, RUST, rest=True).startswith(
        "6,001 tests of Python and 1,012 of Rust passed: the slow ones"
    )
    assert closing(1, PYTHON, RUST, rest=False) == "Some tests failed; see above."
    # As `make test-all` has it: tests of Rust run once, with all inputs.
    monkeypatch.setenv("HEADGATE_ALL_CASES", "1")
    assert "1,012 of Rust passed, long properties with all of their inputs" in closing(0, PYTHON, RUST, rest=False)
    assert closing(0, PYTHON, "", rest=True) == "6,001 slow tests of Python passed."


def test_rust_runs_in_the_rest_unless_the_first_half_had_all_inputs() -> None:
    assert of_rust(rest=False, all_cases=True) == of_rust(rest=False, all_cases=False)
    assert of_rust(rest=True, all_cases=False)[:2] == ["cargo", "test"]
    assert of_rust(rest=True, all_cases=True) == ["true"]


def test_a_shared_run_is_found_again_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    runs = SharedRuns(tmp_path)
    assert runs.take("k") is None
    runs.add("k", b"result", 0.1)
    assert SharedRuns(tmp_path).take("k") == (b"result", 0.1)
    (file,) = tmp_path.glob("*/k")
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole[:-1] + b"T", whole + b"s", b""):
        file.write_bytes(damaged)
        assert runs.take("k") is None


def test_runs_of_another_build_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SharedRuns(tmp_path).add("k", b"result", 0.1)
    monkeypatch.setattr("tests.shared_runs.build", lambda: f"headgate {'0' * 64}")
    assert SharedRuns(tmp_path).take("k") is None
    assert [folder.name for folder in tmp_path.iterdir()] == ["0" * 16]


@pytest.mark.parametrize("manifest", sorted(ROOT.glob("crates/*/Cargo.toml")), ids=lambda p: p.parent.name)
def test_each_file_of_tests_in_rust_belongs_to_the_one_program_of_its_crate(manifest: Path) -> None:
    """Cargo would leave out a file that no program names, and the other files would pass without it."""
    program = manifest.parent / "tests/all.rs"
    named = [line for line in program.read_text().split() if line.endswith(";")] if program.exists() else []
    files = sorted(manifest.parent.glob("tests/*.rs"))
    assert sorted(named) == sorted(
        [f"{file.stem};" for file in files if file.stem != "all"]
        + [f"{folder.parent.name};" for folder in manifest.parent.glob("tests/*/mod.rs")]
    )
    if files:
        assert tomllib.loads(manifest.read_text())["package"]["autotests"] is False
