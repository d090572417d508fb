"""Amounts in the options of `quick`."""

from __future__ import annotations

import re
from collections.abc import Callable

from .. import _core
from ..base.errors import HeadgateError, cut

#: By the kinds of quantities, what is expected of one.
_EXPECTED = {"bps": "a rate such as 20Mbit/s", "s": "a time such as 30ms", "bytes": "a size such as 1500B"}


def base_units(text: str, kind: str) -> int:
    """The base units of a quantity of a kind; 0 if it is none."""
    try:
        return int(_core.quantity(text, kind)[1])
    except ValueError:
        return 0


def quantity(where: str, text: str, kind: str) -> int:
    """The base units of a quantity of a kind, above zero: bit/s of `bps`, ps of `s`, bytes of `bytes`.

    Raises:
        HeadgateError: it is none; the error has the quantity that was probably meant.

    >>> quantity("--packet", "1500B", "bytes")
    1500
    >>> quantity("--packet", "big", "bytes")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: --packet: found 'big'; expected a size such as 1500B
    """
    try:
        amount, hint = _core.quantity(text, kind)[1], ""
    except ValueError as e:
        meant = re.search(r" \(did you mean .*\)$", str(e))
        amount, hint = 0, meant[0] if meant else ""
        if where == "--duration" and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
            hint = f" (did you mean `{text}s`?)" if base_units(f"{text}s", kind) else ""
    if amount == 0:
        expected = "a time such as 60s" if where == "--duration" else _EXPECTED[kind]
        raise HeadgateError(f"{where}: found {cut(repr(text))}; expected {expected}{hint}")
    return amount


def read(where: str, text: str, kind: str) -> str:
    """The text of a quantity as files have it, from any way to write it that means one thing: `100Mbps`, `1G`, or a number alone.

    Raises:
        HeadgateError: it is none, or may mean two things.

    >>> read("--rate", "100Mbps", "bps"), read("--rate", "1G", "bps"), read("--rtt", "30", "s"), read("--rtt", ".5 sec", "s")
    ('100Mbit/s', '1Gbit/s', '30ms', '0.5s')
    """
    given = re.sub(r"^\.(?=\d)", "0.", text.strip())
    try:
        if where == "--duration" and re.search(r"\dm(\d|$)|h", given):
            given = text = _long(given)
        _core.quantity(given, kind)
    except ValueError as e:
        meant = re.search(r" \(did you mean `(.*)`\?\)$", str(e))
        if meant is None:
            two = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKMGT])B(?:/s|ps|PS)", given) if kind == "bps" else None
            prefix = two[2].replace("K", "k") if two is not None else ""
            amount = base_units(f"{two[1]}{prefix}bit/s", "bps") if two is not None else 0
            if two is not None and 0 < 8 * amount < 2**64:
                number, bits = two[1], _core.quantity_text("bps", 8 * amount)
                raise HeadgateError(
                    f"{where}: found {cut(repr(text))}; expected {number}{prefix}bit/s, or {bits} if B is bytes"
                ) from None
            given = text
        else:
            given = meant[1]
    if where == "--duration" and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()):
        # A run of so many milliseconds is none.
        given = f"{text.strip()}s"
    quantity(where, given, kind)
    return given


def _long(text: str) -> str:
    """A time of hours, minutes and seconds in seconds; a text that is none stays.

    >>> _long("1m30s"), _long("2m"), _long("1h"), _long("90s")
    ('90s', '120s', '3600s', '90s')
    """
    found = re.fullmatch(
        r"(?:(\d{1,4})\s*h(?:ours?|rs?)?)?\s*(?:(\d{1,5})\s*m(?:in(?:ute)?s?)?)?\s*"
        r"(?:(\d{1,5})\s*s?(?:ec(?:ond)?s?)?)?",
        text,
        re.IGNORECASE,
    )
    if found is None or not (found[1] or found[2]):
        return text
    return f"{3600 * int(found[1] or 0) + 60 * int(found[2] or 0) + int(found[3] or 0)}s"


#: Parameters whose unit says less than their name: `5M` is a rate or a size.
_KINDS = {"rate": "bps", "peak_rate": "bps", "max_rate": "bps", "bytes": "bytes", "packet": "bytes", "burst": "bytes"}


def with_unit(key: str, text: str) -> str:
    """The value of a parameter with its unit as files have it: `64kbps` is `64kbit/s`. What is no such quantity stays as it is.

    >>> with_unit("rate", "5M"), with_unit("target", "5msec"), with_unit("rate", "64"), with_unit("kind", "pareto")
    ('5Mbit/s', '5ms', '64', 'pareto')
    >>> with_unit("target", "0 msec")
    '0ms'
    """
    if not re.fullmatch(r"\s*(\d+(\.\d*)?|\.\d+)\s*[^\W\d].{0,20}", text):
        return text
    kind = _KINDS.get(key)
    given = re.sub(r"^\s*\.", "0.", text)
    # Of zero nothing is suggested, as many places refuse it: the unit is that of another number.
    number = re.match(r"\s*[\d.]+", given)
    zero = number is not None and not re.search("[1-9]", number[0])
    try:
        _core.quantity(f"1{given[number.end() :]}" if number is not None and zero else given, kind)
    except ValueError as e:
        meant = re.search(r" \(did you mean `(.*)`\?\)$", str(e))
        return (f"0{meant[1][1:]}" if zero else meant[1]) if meant else text
    return given


def read_buffer(text: str) -> str:
    """The text of a buffer as files have it: `2bdp`, `1.5xBDP`, `100 packets` or `64k`; a number alone is packets.

    >>> read_buffer("BDP/4"), read_buffer("half a bdp"), read_buffer("BDPx2")
    ('0.25BDP', '0.5BDP', '2BDP')
    >>> read_buffer("2bdp"), read_buffer("bdp"), read_buffer("100"), read_buffer("64k"), read_buffer("50 msec")
    ('2BDP', '1BDP', '100pkt', '64KB', '50ms')
    """
    given = text.strip()
    given = re.sub(
        r"^(one|half|quarter|double|twice)[\s-]+(?:a[\s-]+|an[\s-]+|the[\s-]+)?(?=bdp$)",
        lambda m: _PARTS[m[1].lower()],
        given,
        flags=re.IGNORECASE,
    )
    given = re.sub(r"^(bdp)\s*[x*×]\s*([\d.]+)$", r"\2\1", given, flags=re.IGNORECASE)
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?|)\s*[x*×]?\s*bdps?", given, re.IGNORECASE)
    if found is not None:
        return f"{found[1] or 1}BDP"
    part = re.fullmatch(r"(\d{0,6})\s*[x*]?\s*bdps?\s*/\s*(\d{1,6})", given, re.IGNORECASE)
    if part is not None and float(part[1] or 1) and float(part[2]):
        return f"{float(part[1] or 1) / float(part[2]):.3f}".rstrip("0").rstrip(".") + "BDP"
    if re.fullmatch(r"\d{1,12}", given):
        return f"{given}pkt"
    if given.lower() in ("unlimited", "infinite", "infinity", "inf"):
        return "unlimited"
    for kind in ("bytes", "pkt", "s"):
        try:
            _core.quantity(given, kind)
        except ValueError as e:
            meant = re.search(r" \(did you mean `(.*)`\?\)$", str(e))
            if meant is not None:
                return meant[1]
        else:
            return given
    return text


#: Parts of a product in words.
_PARTS = {"one": "1", "half": "0.5", "quarter": "0.25", "double": "2", "twice": "2"}


def read_share(where: str, text: str) -> str:
    """The text of a share: a number from 1 on is per cent, as a share has to be below 1.

    >>> read_share("--loss", "1"), read_share("--loss", "0.01"), read_share("--loss", "1 %")
    ('1%', '0.01', '1 %')
    """
    given = re.sub(r"\s*(percent|per cent|pct)$", "%", text.strip(), flags=re.IGNORECASE)
    given = f"{given}%" if re.fullmatch(r"[1-9]\d?(\.\d{1,9})?", given) else given
    share(where, given)
    return given


def together(*readings: Callable[[], object]) -> None:
    """Reads several options, so that one error has the faults of all of them.

    Raises:
        HeadgateError: with a line for each that cannot be read.
    """
    faults = []
    for read in readings:
        try:
            read()
        except HeadgateError as e:
            faults.append(str(e))
    if faults:
        raise HeadgateError("\n  ".join([f"{len(faults)} faults", *faults]) if len(faults) > 1 else faults[0])


def text_of(kind: str, amount: int) -> str:
    """The text of base units of a kind."""
    # Only times may be zero.
    return _core.quantity_text(kind, min(amount, 2**64 - 1)) if amount else "0s"


def share(where: str, text: str) -> float:
    """A share, as 1% or 0.01.

    Raises:
        HeadgateError: it is none.

    >>> share("--loss", "1%"), share("--loss", "0.005")
    (0.01, 0.005)
    """
    found = re.fullmatch(r"\s*(\d{1,9}\.?\d{0,9}|\.\d{1,9})\s*(%?)\s*", text)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value < 1:
        hint = f" (did you mean `{found[1]}%`?)" if found and not found[2] and 1 <= value < 100 else ""
        raise HeadgateError(f"{where}: found {cut(repr(text))}; expected a share below 1, such as 1% or 0.01{hint}")
    return round(value, 12)


#: What a line may say of all flows, by the words for it.
OF_ALL = {
    "mtu": "mtu", "packet": "mtu", "packets": "mtu", "packet_size": "mtu", "pktsize": "mtu", "iw": "iw", "initcwnd": "iw", "icwnd": "iw",
    "initial_window": "iw", "parallel": "parallel", "ecn": "ecn",
}  # fmt: skip

#: What its values are, as an error says it, and a pattern of them.
_VALUES = {
    "mtu": (r"(\d{2,5})\s*(?:b|bytes?)?", "a number of bytes such as 1500"),
    "iw": (r"(\d{1,5})\s*(?:pkts?|packets?|segments?)?", "a number of packets such as 10"),
    "parallel": (r"0*([1-9]\d{0,5})", "a number of flows such as 4"),
    "ecn": (r"(on|off|true|false|yes|no|1|0)", "on or off"),
}


def value_of(key: str, text: str) -> str:
    """The value of what is said of all flows.

    Raises:
        HeadgateError: it is none.
    """
    pattern, expected = _VALUES[key]
    found = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
    if found is None:
        raise HeadgateError(f"found '{key}={text}'; expected {expected}")
    return found[1].lower()
