"""What a plugin may not read, so that its runs are the same on every machine.

These are clocks, chance without a seed, files, sockets and other programs. There are two nets. A plugin's own code gets modules whose
functions of this kind refuse (`builtins`); an audit hook (PEP 578) notices what other code does for it while the engine calls it. Neither
makes code safe that means harm: for that it has to be in a process of its own.
"""

from __future__ import annotations

import builtins as _builtins
import contextlib
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

from .. import _core


class NotDeterministicError(Exception):
    """A plugin read something that differs from run to run or from machine to machine."""


def _refusal(what: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotDeterministicError(
            f"{what} differs from run to run; expected the times in its arguments, and self.random or cx.random() for chance"
        )

    return refuse


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Of each module, the functions that refuse.
_REFUSED: dict[str, frozenset[str]] = {
    "time": _words(
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time "
        "thread_time_ns clock_gettime clock_gettime_ns localtime gmtime ctime strftime sleep"
    ),
    "random": _words(
        "random uniform randint randrange randbytes choice choices shuffle sample gauss normalvariate expovariate "
        "betavariate gammavariate lognormvariate paretovariate weibullvariate vonmisesvariate triangular "
        "binomialvariate getrandbits seed SystemRandom"
    ),
    "os": _words("urandom getrandom getpid getppid times environ getenv getloadavg cpu_count"),
    "uuid": _words("uuid1 uuid4 getnode"),
    "secrets": _words("token_bytes token_hex token_urlsafe randbelow randbits choice SystemRandom"),
    "numpy.random": _words(
        "rand randn random random_sample ranf sample randint random_integers choice shuffle permutation seed normal "
        "uniform exponential poisson binomial beta gamma geometric bytes standard_normal lognormal pareto"
    ),
}


class _Guarded(types.ModuleType):
    """A module as a plugin sees it."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__["_module"] = module

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__["_module"]
        whole = f"{module.__name__}.{name}"
        if name in _REFUSED.get(module.__name__, ()):
            return _refusal(whole)
        value = getattr(module, name)
        if whole in ("datetime.datetime", "datetime.date"):
            return _guarded_date(value)
        if whole == "random.Random":
            return _seeded(value, "random.Random without a seed")
        if whole == "numpy.random.default_rng":
            return _seeded_call(value, "numpy.random.default_rng without a seed")
        return _Guarded(value) if whole == "numpy.random" else value


_dates: dict[type, type] = {}


def _guarded_date(cls: Any) -> Any:
    refused = {n: _refusal(f"datetime.{cls.__name__}.{n}") for n in ("now", "utcnow", "today") if hasattr(cls, n)}
    return _dates.setdefault(cls, type(cls.__name__, (cls,), {n: staticmethod(f) for n, f in refused.items()}))


def _seeded(cls: Any, what: str) -> Any:
    def init(self: Any, seed: Any = None) -> None:
        if seed is None:
            _refusal(what)()
        cls.__init__(self, seed)

    return type(cls.__name__, (cls,), {"__init__": init, "__new__": lambda made, *_: cls.__new__(made)})


def _seeded_call(function: Any, what: str) -> Any:
    def call(seed: Any = None) -> Any:
        return _refusal(what)() if seed is None else function(seed)

    return call


_GUARDED = frozenset({*_REFUSED, "datetime", "numpy"})


def seen(module: types.ModuleType) -> types.ModuleType:
    """A module as a plugin sees it."""
    return _Guarded(module) if module.__name__ in _GUARDED else module


def builtins(file: str) -> dict[str, Any]:
    """The built-in names of a plugin's code: an import gives it guarded modules, and what depends on places in memory refuses."""

    def guarded_import(
        name: str, scope: Any = None, local: Any = None, fromlist: Any = (), level: int = 0
    ) -> types.ModuleType:
        if level:
            raise ImportError(
                f"{file}: relative imports have no package here; expected one file, or `module:Class` of an installed one"
            )
        module = _builtins.__import__(name, scope, local, fromlist, level)
        return seen(module)

    def no_hash(value: Any) -> int:
        if isinstance(value, str | bytes):
            _refusal("the hash of a text")()
        return hash(value)

    install()
    return {**vars(_builtins), "__import__": guarded_import, "id": _refusal("id()"), "hash": no_hash}


#: Events that are refused while the engine calls a plugin, by their first words.
_EVENTS = (
    "socket.", "subprocess.", "os.", "time.sleep", "shutil.", "ctypes.", "gc.get_", "sys._getframe", "sys.settrace", "sys.setprofile",
    "http.", "urllib.", "ftplib.", "mmap.", "pty.", "signal.", "tempfile.", "webbrowser.", "code.__new__", "builtins.input",
)  # fmt: skip

#: Files that an import reads.
_CODE = (".py", ".pyc", ".so", ".pyd")

_installed = False

#: Its attribute `on`: the code that runs in this thread is headgate's own, although the engine calls it as a plugin.
own = threading.local()


@contextlib.contextmanager
def ours() -> Iterator[None]:
    """What headgate itself does within the call of a plugin is not refused."""
    before, own.on = getattr(own, "on", False), True
    try:
        yield
    finally:
        own.on = before


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _core.inside() or getattr(own, "on", False):
        return
    if event == "open":
        name = arguments[0]
        if not (isinstance(name, str) and name.endswith(_CODE)):
            raise NotDeterministicError(
                f"it opened {name!r}; expected that a plugin reads and writes no file while it is called"
            )
    elif event.startswith(_EVENTS) and not event.startswith(("os.listdir", "os.scandir", "sys._getframe")):
        raise NotDeterministicError(f"it used {event}; expected that a plugin does not look out of its calls")


def install() -> None:
    """Begins to notice, once."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)
