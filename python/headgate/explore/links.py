"""A scenario in a link: the part of an address behind `#s=`, which holds it whole, so that no server is needed to read it.

The form is JSON, compressed by deflate without a header, in base64 with the characters of addresses and without padding.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from ..scenario.scenario import Scenario
from .wire import RequestError, parsed

#: Maximum length of a fragment, and of the JSON text in it.
LONGEST, LONGEST_TEXT = 2_000_000, 8_000_000


def fragment_of(data: Mapping[str, Any]) -> str:
    """The fragment of a scenario.

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
        RequestError: it holds none, or one that is too long.
    """
    wrong = RequestError(400, "expected a link that holds a scenario; this one is damaged or cut off")
    if len(fragment) > LONGEST:
        raise RequestError(413, f"expected a link of at most {LONGEST // 1_000_000} MB, found a longer one")
    try:
        packed = base64.b64decode(fragment + "=" * (-len(fragment) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        # A short text may become a very long one.
        text = unpacker.decompress(packed, LONGEST_TEXT + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise wrong from None
    if len(text) > LONGEST_TEXT:
        raise RequestError(413, f"expected a scenario of at most {LONGEST_TEXT // 1_000_000} MB in the link")
    try:
        found = parsed(text)
    except (ValueError, RecursionError):
        raise wrong from None
    if not unpacker.eof or not isinstance(found, dict):
        raise wrong
    return found
