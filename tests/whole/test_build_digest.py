"""The digest by which parts of a judgement know that they are of one build."""

from __future__ import annotations

import hashlib
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from headgate import _core
from headgate.base.build import digest


def test_the_linkers_digest_is_taken_where_there_is_one(tmp_path: Path) -> None:
    """The note as the specification of ELF has it: three lengths, the name and its contents, each filled up to four bytes."""
    own, file = hashlib.sha1(b"engine").digest(), tmp_path / "engine"
    note = struct.pack("<III4s", 4, 20, 3, b"GNU\0") + own
    file.write_bytes(b"\x7fELF" + bytes(676) + note + b"code")
    assert digest(file) == own.hex()


@pytest.mark.parametrize("length", [8, 16])
def test_without_it_all_bytes_count(length: int, tmp_path: Path) -> None:
    """Other linkers write shorter ones, which need not be digests of all, or none."""
    file = tmp_path / "engine"
    whole = b"\x7fELF" + struct.pack("<III4s", 4, length, 3, b"GNU\0") + bytes(9000)
    file.write_bytes(whole)
    assert digest(file) == hashlib.sha256(whole).hexdigest()


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
def test_it_is_that_of_the_engine() -> None:
    said = subprocess.run(["readelf", "-n", _core.__file__], capture_output=True, text=True, check=False).stdout
    if (found := re.search(r"Build ID: ([0-9a-f]{40})\b", said)) is None:
        pytest.skip("the linker of this engine writes none")
    assert digest(Path(_core.__file__)) == found[1]
