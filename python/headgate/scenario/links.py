"""A scenario in a link: the part of an address behind `#s=`, which holds it whole, so that no server is needed to read it.

The form is JSON, compressed by deflate without a header, in base64 with the characters of addresses and without padding. web/src/link.ts
reads and writes the same form.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import urllib.parse
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.errors import HeadgateError, cut
from .scenario import LONGEST as LONGEST_TEXT
from .scenario import Scenario

#: The address of the explorer's page to which a link leads unless another one is given; empty as long as none is published.
SITE = ""

#: Maximum length of a fragment that is read: no address in Chromium is longer (`kMaxURLChars`, 2 MiB).
LONGEST = 2_000_000
#: Maximum length of a link that is made: Firefox opens none of more than 1 MiB (`network.standard-url.max-length`).
MOST = 1_000_000
#: The address bar of Chromium takes so many characters (`kMaxURLDisplayChars`, 32 KiB); longer links work where they are clicked.
TYPED = 32_000
#: The largest whole number up to which JavaScript holds all of them.
WHOLE = 2**53 - 1

_ADDRESS = re.compile(r"(https?://[^/\s#]+|file:///)[^\s#]*", re.ASCII)
_LINK = re.compile(r"#|(https?|file):/[^#]*#", re.ASCII)


def fragment_of(data: Mapping[str, Any]) -> str:
    """The fragment of a scenario, without `#s=`.

    Raises:
        HeadgateError: it holds a value that JSON does not know.

    >>> scenario_in(fragment_of({"duration": "1s"}))
    {'duration': '1s'}
    """
    Scenario(data).to_json()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).rstrip(b"=").decode()


def scenario_in(fragment: str) -> dict[str, Any]:
    """The scenario in a fragment.

    Raises:
        HeadgateError: it holds none, or one that is too long.
    """
    wrong = HeadgateError("expected a link that holds a scenario; this one is damaged or cut off")
    if len(fragment) > LONGEST:
        raise HeadgateError(f"expected a link of at most {LONGEST // 1_000_000} MB, found a longer one")
    try:
        packed = base64.b64decode(fragment + "=" * (-len(fragment) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        # A short text may become a very long one.
        text = unpacker.decompress(packed, LONGEST_TEXT + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise wrong from None
    if len(text) > LONGEST_TEXT:
        raise HeadgateError(f"expected a scenario of at most {LONGEST_TEXT // 1_000_000} MB in the link")
    try:
        found = json.loads(text.decode(), parse_constant=_refused)
        # Half of a pair of surrogates can be written in JSON, but in no file.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise wrong from None
    if not unpacker.eof or unpacker.unused_data or not isinstance(found, dict):
        raise wrong
    return found


def _refused(name: str) -> Any:
    raise ValueError(name)


def is_link(text: str) -> bool:
    """Whether a text is a link, not the name of a file; a path in which `//` became `/` still is.

    >>> [is_link(x) for x in ("#s=q1YqVrKqBgA", "https:/example.org/#s=q1Y", "mine.toml", "a#s=b.toml", "./#s=q1Y")]
    [True, True, False, False, False]
    """
    return _LINK.match(text) is not None


def parts_of(link: str) -> dict[str, str]:
    """The parts of a link behind `#`, by their names.

    >>> parts_of("https://example.org/#at=12&s=abc")
    {'at': '12', 's': 'abc'}
    """
    parts = (part.partition("=") for part in link.partition("#")[2].split("&") if part)
    return {name: urllib.parse.unquote(value) for name, _, value in parts}


def linked(link: str) -> Scenario:
    """The scenario that a link holds. Its code, if it names any, runs only where the user allows it, as that of a file.

    Raises:
        HeadgateError: it holds none.
    """
    fragment = parts_of(link).get("s", "")
    if not fragment:
        raise HeadgateError(f"{short(link)}: expected a link that holds a scenario, with #s= and what follows it")
    try:
        return Scenario(scenario_in(fragment), short(link))
    except HeadgateError as e:
        raise HeadgateError(f"{short(link)}: {e}") from None


def short(link: str) -> str:
    """A link as errors name it.

    >>> short("https://example.org/#s=" + 999 * "x")
    '#s=xxxxxxxxxxxx…'
    """
    text = f"#{link.partition('#')[2]}"
    return cut(text if len(text) <= 16 else f"{text[:15]}…")


def link_of(scenario: Scenario, site: str = "") -> str:
    """The link that holds a scenario: the address of the page with the scenario behind it; without an address `#s=...` alone.

    Raises:
        HeadgateError: it names code, or has a number that no browser holds exactly, or is too long; or `site` is no address of a page.
    """
    site = site or SITE
    if site and not _ADDRESS.fullmatch(site):
        raise HeadgateError(
            f"--site: found {cut(repr(site))}; expected the address of a page without #, such as https://example.org/headgate/"
        )
    if scenario.codes():
        raise HeadgateError(
            f"{scenario.origin or 'the scenario'}: found plugins or programs; expected none in a link: pages run no code that a link brings"
        )
    for place, value in _numbers(scenario.data, ""):
        if abs(value) > WHOLE:
            raise HeadgateError(
                f"{place}: found {value}; expected at most {WHOLE} in a link: browsers round larger ones"
            )
    link = f"{site}#s={fragment_of(scenario.data)}"
    if len(link) > MOST:
        raise HeadgateError(
            f"the link would have {len(link):,} characters; expected at most {MOST:,}, since browsers open no longer ones: give the file "
            "of the scenario instead"
        )
    return link


def _numbers(value: Any, place: str) -> Iterator[tuple[str, int]]:
    """The whole numbers in a value, with their places."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _numbers(entry, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield from _numbers(entry, f"{place}[{i}]")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield place, value
