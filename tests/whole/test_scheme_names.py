"""The lint of schemes' names: what it finds, and that its exceptions can only become fewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .. import scheme_names
from ..scheme_names import faults, in_python, in_rust, in_typescript

KNOWN = {"codel", "fq_codel", "wf2q_plus"}


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        ("python/headgate/a.py", 'MARKS = ("codel",)', "codel"),
        ("python/headgate/a.py", 'x = f"{y}" + {"kind": "codel"}["kind"]', "codel"),
        (
            "python/headgate/a.py",
            '"""codel"""\n\ndef f():\n    """codel"""\n    # "codel"\n    return "codel:target=5ms"',
            "",
        ),
        ("python/headgate/codel.py", 'x = "codel"', ""),
        ("crates/sim/src/a.rs", 'let x = name == "codel";', "codel"),
        ("crates/sim/src/a.rs", "matches!(q, Spec::FqCodel(_) | Spec::Wf2qPlus(p))", "fq_codel, wf2q_plus"),
        (
            "crates/sim/src/a.rs",
            '// "codel"\n/// Spec::Codel\nlet x = 1;\n#[cfg(test)]\nmod tests { const X: &str = "codel"; }',
            "",
        ),
        ("crates/queue/src/codel/law.rs", 'x("codel")', ""),
        ("web/src/a.ts", "const x = 'codel'; // 'fq_codel'", "codel"),
    ],
)
def test_names_in_code_are_found_and_others_are_not(path: str, text: str, named: str) -> None:
    said = faults({Path(path): text}, KNOWN, {})
    assert said == (
        [f"{path}: names {named}; expected no scheme's name: ask its card, or its parameters"] if named else []
    )


def test_an_exception_has_a_reason_and_is_needed() -> None:
    path, text = "python/headgate/a.py", 'X = "codel"'
    exception = {path: {"names": ["codel"], "reason": "why"}}
    assert faults({Path(path): text}, KNOWN, exception) == []
    (said,) = faults({Path(path): "X = 1"}, KNOWN, exception)
    assert said == f"tests/scheme_names.toml: {path}: codel is not there any more; expected no such exception"
    (said,) = faults({}, KNOWN, exception)
    assert said == f"tests/scheme_names.toml: {path}: expected a file"
    (said,) = faults({Path(path): text}, KNOWN, {path: {"names": ["codel"]}})
    assert said == f"tests/scheme_names.toml: {path}: expected a reason"


def test_the_code_names_no_scheme(capsys: pytest.CaptureFixture[str]) -> None:
    assert scheme_names.main() == 0, capsys.readouterr().out
    # It looks at something: schemes stand in their own files.
    files = scheme_names.code()
    assert {"allegro", "cake"} <= scheme_names.names()
    assert any("crates/control" in str(path) for path in files) and any("web/src" in str(path) for path in files)
    for reader, end in ((in_python, ".py"), (in_rust, ".rs"), (in_typescript, ".ts")):
        assert any(list(reader(text)) for path, text in files.items() if path.suffix == end)
