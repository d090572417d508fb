"""A scheme's name stands in its own file and in its list, and nowhere else in the code: what others want to know of it, its card says.

`make lint` runs this. It looks at texts in the code that are a scheme's name and at its type in Rust (`Spec::Codel`), not at comments,
documentation and tests. Exceptions stand in `scheme_names.toml`, each with its reason; one that is not needed any more is a fault, so that
the list can only shrink.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: Where code is, by the ends of its files.
PLACES = {"python/headgate": ".py", "crates": ".rs", "web/src": ".ts"}

#: Folders in which schemes are data, or generated files, or tests.
LEFT_OUT = ("papers", "static", "generated", "tests", "benches", "bench", "xtask", "target")

#: The list of the names that stand for others.
LIST = Path("crates/queue/src/disciplines/names.rs")

#: Names of schemes that are words of other things, too.
WORDS = ("none", "threshold", "generic")


def names() -> set[str]:
    """The names of all disciplines, AQMs and flow controls."""
    from headgate.base.catalogue import catalogue

    lists = ("disciplines", "aqms", "flow-controls")
    return {name for kind in lists for name, entry in catalogue(kind).items() if not entry.plugin} - set(WORDS)


def in_python(text: str) -> Iterator[str]:
    """Texts of a file in Python that are no documentation."""
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def in_rust(text: str) -> Iterator[str]:
    """Texts of a file in Rust, and the types of schemes that it names, without its tests."""
    code = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in text.partition("#[cfg(test)]")[0].splitlines())
    yield from re.findall(r'"(\w+)"', code)
    for kind in re.findall(r"\b(?:Spec|Queue|AnyDiscipline|AnyAqm|AnyFlowControl)::([A-Z]\w*)", code):
        yield re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()


def in_typescript(text: str) -> Iterator[str]:
    """Texts of a file in TypeScript."""
    code = "\n".join(re.sub(r"(^|\s)//.*", "", line) for line in text.splitlines())
    yield from re.findall(r"""["'`](\w+)["'`]""", code)


READERS = {".py": in_python, ".rs": in_rust, ".ts": in_typescript}


def is_code(path: Path) -> bool:
    """Whether a file, by its path in the repository, is looked at."""
    return (
        not any(part in LEFT_OUT for part in path.parts) and not re.fullmatch(r".*tests?", path.stem) and path != LIST
    )


def found(path: Path, text: str, known: set[str]) -> set[str]:
    """The schemes of which a file has the names. That of a scheme may name others, of which it is made."""
    if known & {path.stem, *path.parts}:
        return set()
    return {word for word in READERS[path.suffix](text) if word in known}


def faults(files: Mapping[Path, str], known: set[str], exceptions: Mapping[str, Mapping[str, object]]) -> list[str]:
    """What is wrong in these files, by path and text: a line each."""
    said: list[str] = []
    seen: dict[str, set[str]] = {str(path): found(path, text, known) for path, text in files.items()}
    for path, schemes in seen.items():
        allowed = exceptions.get(path, {}).get("names", [])
        assert isinstance(allowed, list)
        more = sorted(schemes - set(allowed))
        if more:
            said.append(f"{path}: names {', '.join(more)}; expected no scheme's name: ask its card, or its parameters")
        if needless := sorted(set(allowed) - schemes):
            said.append(
                f"tests/scheme_names.toml: {path}: {', '.join(needless)} is not there any more; expected no such exception"
            )
    said += [f"tests/scheme_names.toml: {path}: expected a file" for path in exceptions if path not in seen]
    said += [
        f"tests/scheme_names.toml: {path}: expected a reason"
        for path, exception in exceptions.items()
        if not exception.get("reason")
    ]
    return said


def code() -> dict[Path, str]:
    """All files that are looked at, by their paths in the repository."""
    every = (path for place, end in PLACES.items() for path in sorted((ROOT / place).rglob(f"*{end}")))
    local = (path.relative_to(ROOT) for path in every)
    return {path: (ROOT / path).read_text("utf-8") for path in local if is_code(path)}


def main() -> int:
    """Prints what is wrong."""
    exceptions = tomllib.loads((ROOT / "tests/scheme_names.toml").read_text("utf-8"))
    said = faults(code(), names(), exceptions)
    print("\n".join(said), end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
