"""Errors that a user can correct: shown as one paragraph, with exit code 2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .. import _core
from .._core import ScenarioError as ScenarioError


class HeadgateError(Exception):
    """Something that the user gave is wrong; the text names the place, the value and what was expected."""


class TraceError(HeadgateError):
    """Something is wrong with a trace; the text names the file and the line or the packet."""


class MissingExtraError(HeadgateError, ImportError):
    """A part of the package that is an extra of the installation is missing."""


#: Maximum number of characters of a found value that an error shows.
SHOWN = 80

#: Maximum length of the name of a file; `LONGEST_PATH` is that of a path. Longer texts are cut.
LONGEST_NAME = 255
LONGEST_PATH = 4096


def cut(value: object) -> str:
    """The text of a value as errors show it.

    >>> cut("1Mbit/s"), len(cut("x" * 1000)), cut("x" * 1000)[-5:]
    ('1Mbit/s', 80, 'xx...')
    """
    text = str(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


#: Characters that a terminal acts upon, or that change the direction of the text around them.
_ACTED_UPON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""A text for the terminal: whatever would act upon it is written as an escape.

    >>> print(visible("a\x1b[2Jb"), visible("plain ± text"), visible("\u202edoc"))
    a\x1b[2Jb plain ± text \u202edoc
    """
    return _ACTED_UPON.sub(lambda m: ascii(m[0])[1:-1], text)


def brief(message: str) -> str:
    """A message in which every word is cut that is too long and no file's name.

    >>> len(brief("--seed " + "1" * 5000 + ": expected a seed")), brief("/tmp/a.toml: " + "y" * 80)[:13]
    (103, '/tmp/a.toml: ')
    """
    for pattern in (rf"[^\s/]{{{LONGEST_NAME + 1},}}", rf"\S{{{LONGEST_PATH + 1},}}"):
        message = re.sub(pattern, lambda m: cut(m[0]), message)
    return message


def install_line(extra: str) -> str:
    """How an extra is installed. The package is not on PyPI, so that it is installed from a checkout.

    >>> install_line("plots")
    "pip install '.[plots]' in a checkout of headgate"
    """
    return f"pip install '.[{extra}]' in a checkout of headgate"


def missing_extra(what: str, library: str, extra: str) -> MissingExtraError:
    """The error for a missing library of an extra.

    >>> print(missing_extra("a figure", "matplotlib", "plots"))
    a figure needs matplotlib, which is not installed; expected: pip install '.[plots]' in a checkout of headgate
    """
    return MissingExtraError(f"{what} needs {library}, which is not installed; expected: {install_line(extra)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint with the name that is most like one that was found, or a note about a well-known scheme that headgate does not have.

    >>> nearest("fsfs", ["fcfs", "fq"]), nearest("web", ["netblt"])
    (' Did you mean "fcfs"?', '')
    >>> nearest("hfsc", ["fcfs", "hrr"])[:40]
    ' headgate does not have HFSC; nearest in'
    """
    # What a shell gives may be no text in UTF-8, and is like no name then.
    near, absent = _core.likeness(name.encode("utf-8", "replace").decode(), list(known))
    return f' Did you mean "{near}"?' if near else f" {absent}." if absent else ""


def unknown(name: str, expected: str, known: Iterable[str], shown: str | None = None) -> str:
    r"""What is said of a name that is not known, or of a text that has it: first the hint, since lists are long.

    >>> unknown("fsfs", "a discipline: one of fcfs, fq", ["fcfs", "fq"])
    'found \'fsfs\'. Did you mean "fcfs"? Expected a discipline: one of fcfs, fq'
    >>> unknown("x", "a discipline: one of fcfs, fq", ["fcfs", "fq"])
    "found 'x'; expected a discipline: one of fcfs, fq"
    """
    hint = nearest(name, known)
    found = f"found {cut(repr(shown or name))}"
    return f"{found}.{hint} Expected {expected}" if hint else f"{found}; expected {expected}"


def option_of(path: str, options: Mapping[str, str]) -> str | None:
    """The option of a command that set the value at a path, or a table around it.

    >>> option_of("links[0].rate", {"links[0]": "--set links.slow={}"}), option_of("links[01]", {"links[0]": ""})
    ('--set links.slow={}', None)
    """
    inside = (o for place, o in options.items() if path == place or path.startswith((f"{place}.", f"{place}[")))
    return next(inside, None)


def placed(e: ScenarioError, origin: str, file: _core.Toml | None, options: Mapping[str, str]) -> ScenarioError:
    """An error of a scenario with its file before it, and the line or the option that is at fault; several faults have a line each.

    Args:
        e: as the engine gives it.
        origin: the name of the file; empty if there is none.
        file: what was read, if it is TOML.
        options: places that options of a command set, with the texts of the options.
    """
    messages = list[tuple[int, str]]()
    for path, message in [(e.path, str(e)), *getattr(e, "others", [])]:
        option, line = option_of(path, options), file.line_of(path) if file else None
        text = f"{option}: {message}" if option else f"line {line}: {message}" if line else message
        messages.append((0 if option else line or 0, text))
    texts = [text for _, text in sorted(messages, key=lambda s: s[0])]
    where = f"{origin}: " if origin else ""
    faults = "\n".join([f"{where}{len(texts)} faults", *(f"  {t}" for t in texts)])
    error = ScenarioError(where + texts[0] if len(texts) == 1 else faults)
    for name in ("path", "found", "expected", "nearest", "message", "others"):
        setattr(error, name, getattr(e, name, None))
    return error


def wrong(
    path: str, expected: str, found: object = None, nearest: str | None = None, origin: str = ""
) -> ScenarioError:
    """The error for something wrong in a file, in the same form as the engine's.

    >>> print(wrong("sweep.axes.duration", "expected a range", found="1s ..", origin="a.toml"))
    a.toml: sweep.axes.duration: found "1s .."; expected a range
    """
    text = None if found is None else cut(f'"{found}"' if isinstance(found, str) else found)
    message = "".join(
        [
            f"{origin}: " if origin else "",
            f"{path}: " if path else "",
            f"found {text}; " if text is not None else "",
            expected,
            f" (did you mean `{nearest}`?)" if nearest else "",
        ]
    )
    error = ScenarioError(message)
    error.path, error.found, error.expected, error.nearest, error.message = path, text, expected, nearest, message
    return error
