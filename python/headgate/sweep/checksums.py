"""Files of a study with SHA-256 digests, so that a changed byte is noticed.

A part is a Parquet file, whose digest is in the manifest. A chunk begins with the length and the digest of each of its
tables. The manifest holds the digest of its contents.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shlex
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import HeadgateError
from ..base.parts import MARK, read_mark, repeated
from .arrow import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

#: Version of the format of a study's folder.
FORMAT = 3

#: The second copy of the manifest.
COPY = "manifest-copy.json"

#: Length and digest of a table in a chunk.
_HEAD = struct.Struct("<Q32s")


class DamagedError(HeadgateError):
    """A file of a study is not as it was written; `file` is its name."""

    def __init__(self, file: Path, folder: Path, why: str = "its contents are not those that were written") -> None:
        """Takes the file, the folder of its study and the fault."""
        super().__init__(f"{file}: is damaged: {why}; repair it with: {_repair(folder)}")
        self.file = file


def _repair(folder: Path) -> str:
    """The command that makes the damaged runs of a study again."""
    if (folder / MARK).exists():
        with suppress(HeadgateError):
            part = read_mark(folder).part
            if part.words:
                return repeated(part, part.number, folder)
    return f"headgate sweep FILE --out {shlex.quote(str(folder))} --resume (with the study's own FILE)"


def part_of(rows: pa.Table) -> tuple[pa.Buffer, str]:
    """A table as Parquet, and the digest of these bytes."""
    pa = pyarrow()
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(rows, sink, compression="zstd")
    data = sink.getvalue()
    return data, hashlib.sha256(data).hexdigest()


def read_part(file: Path, digest: str, folder: Path) -> pa.Table:
    """The table of a part.

    Raises:
        DamagedError: its bytes have another digest, or it is not there.
        HeadgateError: it cannot be read.
    """
    pa = pyarrow()
    data = _bytes(file, folder)
    if hashlib.sha256(data).hexdigest() != digest:
        raise DamagedError(file, folder)
    return pa.parquet.ParquetFile(pa.BufferReader(data)).read()


def write_chunk(tables: Sequence[pa.Table], file: Path) -> None:
    """Writes tables one after the other, as Arrow streams behind their lengths and digests."""
    pa = pyarrow()
    streams = []
    for table in tables:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        streams.append(sink.getvalue())
    with file.open("wb") as out:
        for stream in streams:
            out.write(_HEAD.pack(stream.size, hashlib.sha256(stream).digest()))
        for stream in streams:
            out.write(stream)


def read_chunk(file: Path, number: int, tables: int, folder: Path) -> pa.Table:
    """One of the tables of a chunk; the bytes of the others are not read.

    Raises:
        DamagedError: its bytes have another digest, or the chunk is not there.
        HeadgateError: it cannot be read.
    """
    pa = pyarrow()
    data = _bytes(file, folder)
    if data.size < tables * _HEAD.size:
        raise DamagedError(file, folder)
    heads = [_HEAD.unpack_from(data, i * _HEAD.size) for i in range(tables)]
    offset = tables * _HEAD.size
    if offset + sum(length for length, _ in heads) != data.size:
        raise DamagedError(file, folder)
    offset += sum(length for length, _ in heads[:number])
    stream = data.slice(offset, heads[number][0])
    if hashlib.sha256(stream).digest() != heads[number][1]:
        raise DamagedError(file, folder)
    return pa.ipc.open_stream(stream).read_all()


def manifest_text(manifest: dict[str, Any]) -> str:
    """A manifest with its digest, as it is written."""
    plain = json.loads(json.dumps(manifest, default=str))
    # A line to an entry, not to a value: the axes of a large study have very many values.
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in {**plain, "sha256": _digest(plain)}.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_manifest(file: Path, folder: Path) -> dict[str, Any]:
    """The contents of a manifest.

    Raises:
        DamagedError: it has another digest than its contents, or is no JSON.
        HeadgateError: it is the manifest of something else or of a study in another form, or cannot be read.
    """
    if file.exists() and not file.is_file():
        raise HeadgateError(f"{file}: expected the manifest of a study, found no ordinary file")
    try:
        manifest = json.loads(file.read_text("utf-8"))
    except OSError as e:
        if isinstance(e, FileNotFoundError) and (folder / COPY).exists():
            raise DamagedError(file, folder, "it is not there") from None
        raise HeadgateError(f"{file}: expected the manifest of a study; {e.strerror or e}") from None
    except (ValueError, RecursionError):
        raise DamagedError(file, folder) from None
    if not isinstance(manifest, dict) or ("sha256" not in manifest and manifest.get("kind") != "study"):
        raise HeadgateError(f"{file}: expected the manifest of a study, found another file")
    digest = manifest.pop("sha256", None)
    if digest != _digest(manifest) and not (digest is None and manifest.get("format") == 1):
        raise DamagedError(file, folder)
    # Form 1 had no digest.
    if manifest.get("format") != FORMAT:
        raise HeadgateError(
            f"{file}: expected a study in form {FORMAT}, found form {manifest.get('format')} of another version of headgate; "
            "run the study again in another folder"
        )
    return manifest


def _digest(plain: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _bytes(file: Path, folder: Path) -> pa.Buffer:
    """The contents of a file, which are not copied."""
    pa = pyarrow()
    try:
        with pa.memory_map(str(file)) as source:
            return source.read_buffer()
    except FileNotFoundError:
        raise DamagedError(file, folder, "it is not there") from None
    except pa.ArrowInvalid:
        raise DamagedError(file, folder) from None  # It is empty.
    except OSError as e:
        if e.errno == errno.EIO:
            raise DamagedError(file, folder, "the disk does not read it") from None
        raise HeadgateError(f"{file}: cannot be read; {e.strerror or e}") from None
