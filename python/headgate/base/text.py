"""The text of files: UTF-8, with or without a byte order mark."""

from __future__ import annotations

from .errors import HeadgateError

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
    headgate.base.errors.HeadgateError: a.toml: line 1: found text in UTF-16; expected text in UTF-8
    >>> decoded(b"a = 1\nb = '\xe4'", "a.toml")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: a.toml: line 2: found the byte 0xe4; expected text in UTF-8

    Raises:
        HeadgateError: they are no text in UTF-8.
    """
    for mark, name in _OTHER:
        if raw.startswith(mark):
            raise error(f"{what}: line 1: found text in {name}; expected text in UTF-8")
    # Letters in UTF-16 without a mark are valid UTF-8, each with a zero beside it.
    if len(raw) >= 4 and (raw[1] == raw[3] == 0 != raw[0] or raw[0] == raw[2] == 0 != raw[1]):
        raise error(f"{what}: line 1: found text in UTF-16; expected text in UTF-8")
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as e:
        line = 1 + raw[: e.start].count(b"\n")
        raise error(f"{what}: line {line}: found the byte {raw[e.start]:#04x}; expected text in UTF-8") from None
