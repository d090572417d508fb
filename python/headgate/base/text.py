"""The text of files: UTF-8, with or without a byte order mark."""

from __future__ import annotations

import re

from .errors import HeadgateError

#: How lines end.
_END = re.compile(rb"\r\n|\r|\n")

#: Byte order marks of encodings that are not read, the longer ones first, as the shorter ones begin them.
_OTHER = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def decoded(raw: bytes, what: str, error: type[HeadgateError] = HeadgateError) -> str:
    r"""The text of a file's bytes; `what` begins the text of an error.

    >>> decoded(b"\xef\xbb\xbfa = 1", "a.toml")
    'a = 1'
    >>> decoded("a".encode("utf-16"), "a.toml")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: a.toml: line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)
    >>> decoded(b"a = 1\nb = '\xe4'", "a.toml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: a.toml: line 2: found the byte 0xe4; expected text in UTF-8 (Latin-1 and Windows-1252 have ...
    >>> decoded(b"a\n\0\0", "a.toml")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: a.toml: line 2: found a zero byte, which no text has; expected text in UTF-8

    Raises:
        HeadgateError: they are no text in UTF-8.
    """
    wide = None
    for mark, name in _OTHER:
        if raw.startswith(mark):
            wide = name, name
            break
    else:
        # Letters in UTF-16 without a mark are valid UTF-8, each with a zero beside it.
        for zero in (0, 1):
            if len(raw) >= 4 and raw[zero] == raw[zero + 2] == 0 and raw[1 - zero] and raw[3 - zero]:
                wide = "UTF-16", f"UTF-16{('BE', 'LE')[zero]}"
    if wide is not None:
        raise error(
            f"{what}: line 1: found text in {wide[0]}; expected text in UTF-8 (iconv -f {wide[1]} -t UTF-8 converts it)"
        )

    def line(at: int) -> int:
        return 1 + len(_END.findall(raw, 0, at))

    if 0 in raw:
        place = line(raw.index(0))
        raise error(f"{what}: line {place}: found a zero byte, which no text has; expected text in UTF-8")
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as e:
        raise error(
            f"{what}: line {line(e.start)}: found the byte {raw[e.start]:#04x}; expected text in UTF-8 (Latin-1 and Windows-1252 have "
            "such bytes; iconv -f WINDOWS-1252 -t UTF-8 converts them)"
        ) from None
