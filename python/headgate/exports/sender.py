"""What a source has sent and not yet seen acknowledged, by its packets in the order of transmission."""

from __future__ import annotations

#: A flow whose lost data nobody sends again keeps as many packets.
_MOST = 1 << 16


class Sender:
    """The packets of one source, by the sequence numbers of their data.

    >>> source = Sender(0)
    >>> [source.send(seq, packet) for packet, seq in enumerate([0, 1, 2, 1])]
    [None, None, None, 1]
    >>> source.acknowledge(2, 1), source.acknowledge(1, 3), source.acknowledge(1, 3)
    ([[0], [2]], [[3]], [])
    """

    def __init__(self, entry: int) -> None:
        """Nothing was sent yet; `entry` is the place of its flow in the scenario."""
        self.entry = entry
        self._open: dict[int, int] = {}
        #: All data before this is acknowledged.
        self._low = 0
        self._received = self._marks = 0

    def begins_again(self, seq: int) -> bool:
        """Whether this is the first packet of another source: the place of one that ended is used again."""
        return seq == 0 and self._low > 0

    def send(self, seq: int, packet: int) -> int | None:
        """Data is sent; gives the packet with the same data that was sent before and is not acknowledged."""
        lost = self._open.pop(seq, None)
        if len(self._open) >= _MOST:
            del self._open[next(iter(self._open))]
        self._open[seq] = packet
        return lost

    def acknowledge(self, seq: int, cumulative: int) -> list[list[int]]:
        """An acknowledgement of the data `seq`, and of all before `cumulative`: ranges of the packets newly acknowledged."""
        found = []
        if cumulative - self._low > len(self._open):
            found = [self._open.pop(known) for known in [s for s in self._open if s < cumulative]]
        else:
            found = [self._open.pop(known) for known in range(self._low, cumulative) if known in self._open]
        self._low = max(self._low, cumulative)
        if seq in self._open:
            found.append(self._open.pop(seq))
        return ranges_of(found)

    def count_received(self) -> int:
        """The number of an acknowledgement, by the order in which they arrive."""
        self._received += 1
        return self._received - 1

    def count_mark(self) -> int:
        """How many acknowledgements reported a mark, with this one."""
        self._marks += 1
        return self._marks


def ranges_of(numbers: list[int]) -> list[list[int]]:
    """Ranges of packet numbers, in their order.

    >>> ranges_of([5, 1, 2, 3, 7, 8])
    [[1, 3], [5], [7, 8]]
    """
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][-1] == number - 1:
            found[-1] = [found[-1][0], number]
        else:
            found.append([number])
    return found
