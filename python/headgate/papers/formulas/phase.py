"""Traffic phase: which of two window-controlled connections finds room in a full drop-tail queue.

Source: the notion is that of Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways"; of its
text only the abstract was at hand, so that the rule is derived here. A window that is used up sends a packet for each
acknowledgement: a packet of a connection arrives one round trip (without waiting) after an earlier one has left the
queue. Packets leave a busy line once in a service time, so a round trip is a number of whole service times and a
rest, the phase: how long after a departure the connection's packets arrive.

Where both connections have the same number of whole service times, each departure is followed by one arrival. A
window that grows then sends a packet too many right behind one that has just taken the only place: it is dropped, and
the connection that grew pays. With different numbers a service time in which the order of the packets changes from
one connection to the other has two arrivals or none. While the packets of the connection with more whole service
times pass, the queue is one packet shorter, so that its additional packet finds room. It is paid for at the next
change, where two packets arrive in one service time and the first one takes the place: if the connection with more
whole service times also has the smaller phase, the other one pays for it. That one also pays for its own growth, and
it loses nearly all of the line.
"""

from __future__ import annotations

import math


def phase(round_trip_s: float, service_s: float) -> tuple[int, float]:
    """Whole service times in a round trip, and the rest in seconds: how long after a departure packets arrive at the queue.

    `round_trip_s` is the time from the end of a packet's transmission at the queue until the packet that its acknowledgement releases has
    arrived there in full; `service_s` is the time that the line takes for a packet.

    >>> whole, rest = phase(0.20744, 0.01)
    >>> whole, f"{rest:.5f}"
    (20, '0.00744')

    Raises:
        ValueError: the round trip is negative, or the service time is not above zero.
    """
    if not (round_trip_s >= 0 and math.isfinite(round_trip_s)):
        raise ValueError(f"found a round trip of {round_trip_s} s; expected a finite time of 0 s or more")
    if not (service_s > 0 and math.isfinite(service_s)):
        raise ValueError(f"found a service time of {service_s} s; expected a finite time above 0 s")
    whole = math.floor(round_trip_s / service_s)
    return whole, round_trip_s - whole * service_s


def phase_winner(first_s: float, second_s: float, service_s: float) -> int | None:
    """The connection that gets nearly all of the line, 0 or 1, by the round trips of both; None where each pays for its own growth.

    It is the one with more whole service times in its round trip, if its phase is the smaller one. Beyond the rule: a
    phase so near to the service time that the packet behind another one arrives after the next departure, and round
    trips of more than a service time apart in which several windows of either pass in turn.

    >>> [phase_winner(0.21144, r, 0.01) for r in (0.20744, 0.22044, 0.22244)]
    [0, 1, None]

    Raises:
        ValueError: a round trip is negative, or the service time is not above zero.
    """
    (n1, rest1), (n2, rest2) = phase(first_s, service_s), phase(second_s, service_s)
    if n1 > n2 and rest1 < rest2:
        return 0
    return 1 if n2 > n1 and rest2 < rest1 else None
