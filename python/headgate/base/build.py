"""Which engine this is."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from .. import __version__, _core

#: What stands before the build ID in an ELF file: the lengths of a name of 4 bytes and of a SHA-1, the type NT_GNU_BUILD_ID, and the name.
_NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"


@cache
def build() -> str:
    """Which engine this is: its version, and a digest of its binary."""
    return f"{__version__} {digest(Path(_core.__file__))}"


def digest(binary: Path) -> str:
    """The digest that the linker made of a binary, if one stands near its beginning, and else one that is made here.

    To read 26 MB takes as long as to load a library, and each judge and each worker asks. The linker's is a SHA-1 of all that it wrote
    (ELF's note NT_GNU_BUILD_ID; ld(1), `--build-id`).
    """
    with binary.open("rb") as file:
        _, note, rest = file.read(4096).partition(_NOTE)
        if note and len(rest) >= 20:
            return rest[:20].hex()
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


def short(one: str) -> str:
    """A build in a sentence.

    >>> short("0.1.0 0123456789abcdef")
    '0.1.0 01234567'
    """
    version, _, digest = one.partition(" ")
    return f"{version} {digest[:8]}"
