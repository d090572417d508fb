"""Times in sentences."""


def time_text(ps: int) -> str:
    """A time in picoseconds for people: in s, ms or us.

    >>> time_text(1_500_000_000_000), time_text(20_000_000)
    ('1.5 s', '20 us')
    """
    if ps < 10**10:
        return f"{ps / 1e9:.3g} ms" if ps >= 10**9 else f"{ps / 1e6:.3g} us"
    return f"{ps / 1e12:.3g} s"
