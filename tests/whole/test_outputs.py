"""Where results are written: a plain file is replaced whole, a link stays, and what is no file is written to or refused."""

from __future__ import annotations

import json
import os
import resource
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.atomic import atomic, require_place, write_text
from headgate.base.errors import HeadgateError

from ..conftest import ROOT, Cli, dumbbell


@contextmanager
def longest(size: int) -> Iterator[None]:
    """No file of this process may become longer than this: a write beyond fails as on a full disk, and names no file either."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_from(pipe: Path) -> Iterator[list[bytes]]:
    """What comes out of a named pipe."""
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    yield found
    reader.join(20)


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    file.chmod(0o640)
    write_text(file, "new")
    assert file.read_text() == "new" and stat.S_IMODE(file.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        write_text(tmp_path / "b.txt", "new")
    finally:
        os.umask(umask)
    # As any program makes a file: 0666 without the bits of the umask (POSIX, open).
    assert stat.S_IMODE((tmp_path / "b.txt").stat().st_mode) == 0o640
    with pytest.raises(ZeroDivisionError), atomic(file) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert file.read_text() == "new" and sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a.txt").write_text("old")
    for link, to in (("one", "far/a.txt"), ("two", "one"), ("new", "far/b.txt")):
        (tmp_path / link).symlink_to(to)
    write_text(tmp_path / "two", "first")
    write_text(tmp_path / "new", "second")
    assert all((tmp_path / name).is_symlink() for name in ("one", "two", "new"))
    assert [(tmp_path / "far" / name).read_text() for name in ("a.txt", "b.txt")] == ["first", "second"]
    assert sorted(p.name for p in (tmp_path / "far").iterdir()) == ["a.txt", "b.txt"]


def test_pipes_and_devices_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for place in (pipe, tmp_path / "link"):
        require_place(place)
        with read_from(pipe) as found:
            write_text(place, "through")
        assert found == [b"through"] and stat.S_ISFIFO(pipe.stat().st_mode)
    before = Path("/dev/null").stat()
    require_place("/dev/null")
    write_text("/dev/null", "away")
    assert Path("/dev/null").stat().st_ino == before.st_ino and stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    # Nothing is left beside them.
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has /proc")
def test_a_folder_that_takes_no_file_is_found_before_the_work() -> None:
    """Its bits permit it to the superuser; no file can be made there, as proc(5) says."""
    with pytest.raises(HeadgateError, match=r"^/proc/a\.svg: cannot be written; "):
        require_place("/proc/a.svg")


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name, what in (("folder", "folder"), ("socket", "socket")):
            for work in (lambda p: write_text(p, "x"), require_place):
                with pytest.raises(HeadgateError, match=f"{name}: expected a file, found a {what}$"):
                    work(tmp_path / name)
        assert stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)


def test_streams_of_the_command_keep_their_order(tmp_path: Path) -> None:
    """What is printed before and after stands around it, also where the stream is a file, which a new one must not take the place of."""
    code = (
        "import sys; from headgate.base.atomic import write_text\n"
        "for name in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', 'link'):\n"
        "    print('before'); write_text(name, name + '\\n'); print('after')"
    )
    (tmp_path / "link").symlink_to("/dev/stdout")
    expected = "".join(f"before\n{n}\nafter\n" for n in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"))
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, cwd=tmp_path)
    assert (tmp_path / "out").read_text() == expected
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == expected


SHORT = ["--set", "duration=5s", "--set", "interval=1s", "--set", "warm_up=0s"]

#: Commands that write a file of a name that the user gives, with that name in the place of {}.
WRITERS = {
    "referee --junit": ["referee", "cubic", "--only", "r97-01", "--runs", "1", "--workers", "1", "--junit", "{}.xml"],
    "run --pcapng": ["run", "two.toml", *SHORT, "--pcapng", "{}.pcapng"],
    "run --flent": ["run", "two.toml", *SHORT, "--flent", "{}.flent.gz"],
    "show --figure": ["show", "two.toml", "--figure", "{}.svg"],
    "replay --out": ["replay", "office.csv", "--queue", "fcfs", "--rate", "2Mbit/s", "--buffer", "64KB", "--out", "{}.csv"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two.toml").write_text((ROOT / "scenarios/two-sources.toml").read_text())
    (tmp_path / "office.csv").write_text((ROOT / "scenarios/office.csv").read_text())
    return tmp_path


@pytest.mark.parametrize("writer", WRITERS)
def test_commands_replace_neither_links_nor_pipes(writer: str, folder: Path, cli: Cli) -> None:
    *words, last = WRITERS[writer]
    ending = last.removeprefix("{}")
    (folder / "far").mkdir()
    (folder / f"link{ending}").symlink_to(f"far/real{ending}")
    done = cli(*words, f"link{ending}")
    assert done.returncode in (0, 1), done.stderr
    assert (folder / f"link{ending}").is_symlink() and (folder / f"far/real{ending}").stat().st_size > 100
    os.mkfifo(folder / f"pipe{ending}")
    with read_from(folder / f"pipe{ending}") as found:
        assert cli(*words, f"pipe{ending}").returncode in (0, 1)
    assert len(found[0]) > 100 and stat.S_ISFIFO((folder / f"pipe{ending}").stat().st_mode)


def data() -> dict[str, Any]:
    return dumbbell(duration="2000s", interval="1s", traces=["backlog"])


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_full_disk_is_an_error_about_the_file(form: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.json").write_text(json.dumps(data()))
    with longest(3000):
        done = cli("run", "a.json", "--out", "out", "--format", form)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: out") and "cannot be written; File too large" in done.stderr
    assert "standard output" not in done.stderr and done.stderr.count("\n") == 1
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.name != "a.json" and p.stat().st_size >= 3000]


def test_a_full_device_is_an_error_about_it(folder: Path, cli: Cli) -> None:
    done = cli("referee", "cubic", "--only", "r97-01", "--runs", "1", "--workers", "1", "--junit", "/dev/full")
    assert done.returncode == 2 and done.stderr == "error: /dev/full: No space left on device\n"


def test_every_writer_names_its_file(tmp_path: Path) -> None:
    """Whatever writes by `atomic` need not look after that itself."""
    with longest(100), pytest.raises(OSError, match=r"File too large: '.*/a\.txt'") as e:
        write_text(tmp_path / "a.txt", "x" * 1000)
    assert e.value.filename == str(tmp_path / "a.txt") and not list(tmp_path.iterdir())
    result = headgate.Scenario(data()).run(seed=1)
    with longest(1000), pytest.raises(HeadgateError, match=r"/out.*: cannot be written; File too large"):
        result.save(tmp_path / "out")
