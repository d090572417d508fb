"""The rules of flow controls that cases name, and from where on each counts as broken.

A case names a rule (`rules`) only if a control that breaks it, by as much as stands here or more and wherever the rule applies,
cannot hold the case's lines. What else a case is about stands in its title. `make referee-mutants` tests it: it breaks rules of our own
controls, and counts how many of the cases that name the rule notice that.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A rule of flow controls.

    Attributes:
        says: the rule.
        broken: from where on it counts as broken.
        source: where it stands.
    """

    says: str
    broken: str
    source: str


#: The rules by the words that cases use.
RULES = {
    # Windows.
    "slow-start": Rule(
        "At the start, and after a timeout, the window or the rate doubles in a round trip.",
        "It grows to 1.67 times or less in a round trip, or not at all.",
        "RFC 5681, section 3.1; draft-ietf-ccwg-bbr, section Startup",
    ),
    "slow-start-limit": Rule(
        "In slow start an acknowledged packet opens the window by one packet at most.",
        "It opens it by 1.5 packets or more, or the first window is 2 times as large or more.",
        "RFC 5681, section 3.1, equation 2",
    ),
    "slow-start-exit": Rule(
        "Slow start ends at the threshold, which the last loss left; that of a control by a model after three rounds without growth.",
        "It goes on to 1.25 times the threshold or beyond, or for 6 rounds or more.",
        "RFC 5681, section 3.1; draft-ietf-ccwg-bbr, section Exiting Startup",
    ),
    "growth": Rule(
        "After slow start the window goes on growing while nothing is lost.",
        "It stays where the last loss left it, or below 1.5 times that.",
        "RFC 5681, section 3.1",
    ),
    "growth-speed": Rule(
        "In congestion avoidance the window of Reno grows by one packet in a round trip.",
        "It grows by two thirds of a packet or less.",
        "RFC 5681, section 3.1, equation 3",
    ),
    "growth-limit": Rule(
        "In congestion avoidance the window of Reno grows by one packet in a round trip at most.",
        "It grows by 1.5 packets or more.",
        "RFC 5681, section 3.1, equation 3",
    ),
    "cubic-curve": Rule(
        "The window of CUBIC is `C (t - K)^3 + W_max`, with C of 0.4 and K the cube root of `W_max (1 - beta) / C`.",
        "C or K is wrong by a factor of 1.5 or more.",
        "RFC 9438, section 4.2",
    ),
    "cubic-convex": Rule(
        "Beyond `W_max` the window grows by the same curve, faster and faster.",
        "It stays at `W_max`, or grows by half of that or less.",
        "RFC 9438, section 4.5",
    ),
    "cubic-limit": Rule(
        "CUBIC's target is 1.5 times the window at most, so that an acknowledgement adds half a packet.",
        "It adds 0.75 packets or more.",
        "RFC 9438, section 4.2",
    ),
    "friendly": Rule(
        "At short round trips CUBIC's window is that of Reno: 0.53 packets a round trip up to the window before the loss, and 1 beyond.",
        "It grows there by two thirds of that or less.",
        "RFC 9438, section 4.3",
    ),
    "fast-convergence": Rule(
        "A loss below the last `W_max` lowers `W_max` to 0.85 times the window.",
        "It lowers it to 0.95 times the window or above.",
        "RFC 9438, section 4.7",
    ),
    "unused-time": Rule(
        "Time in which the source does not use the window up does not count for CUBIC's curve.",
        "Half of the time or more counts.",
        "RFC 9438, section 5.8",
    ),
    "cut": Rule(
        "A loss lowers the window.",
        "Losses do not lower it, or by less than a twentieth.",
        "RFC 5681, section 3.1",
    ),
    "cut-share": Rule(
        "A loss leaves no more than half of the window, for CUBIC 0.7 of it.",
        "It leaves 1.2 times that share or more.",
        "RFC 5681, section 3.1, equation 4; RFC 9438, section 4.6",
    ),
    "cut-depth": Rule(
        "A loss leaves no less than that.",
        "It leaves 0.8 times that share or less.",
        "RFC 5681, section 3.1, equation 4; RFC 9438, section 4.6",
    ),
    "cut-once": Rule(
        "The losses of one window of data lower the window once.",
        "One in ten further losses, or more, lowers it again by a tenth or more.",
        "RFC 6582, section 3.2; RFC 6675, section 5",
    ),
    "cut-again": Rule(
        "A loss of a later window of data lowers it again, however soon that is.",
        "At least every other of such losses, or all within some seconds, lower nothing.",
        "RFC 6675, section 5",
    ),
    "floor": Rule(
        "Losses leave a threshold of two packets at least; BBR has a window of four at least.",
        "They leave one packet or less.",
        "RFC 5681, section 3.1, equation 4; draft-ietf-ccwg-bbr, section Minimum cwnd for Pipelining",
    ),
    "recovery": Rule(
        "While losses are repaired the window does not grow.",
        "It grows by a packet or more in a window of data.",
        "RFC 6675, section 5; RFC 9002, section 7.3.2",
    ),
    "timeout": Rule(
        "A timeout leaves a window of one packet.",
        "It leaves two packets or more.",
        "RFC 5681, section 3.1",
    ),
    "timeout-threshold": Rule(
        "A timeout leaves half of what was out as the threshold, for CUBIC 0.7 of the window.",
        "It leaves 1.2 times that or more, or 0.8 times or less.",
        "RFC 5681, section 3.1, equation 4; RFC 9438, section 4.8",
    ),
    "timeout-again": Rule(
        "A further timeout of the same packets leaves the threshold as it is.",
        "It lowers it to 0.8 times or less.",
        "RFC 5681, section 3.1",
    ),
    "app-limited": Rule(
        "A window or an estimate that the source does not use up does not grow, and what a slow source sends does not lower an estimate.",
        "It grows by half of its usual growth or more, or an estimate falls to a half.",
        "RFC 9002, section 7.8; RFC 9438, section 5.8; draft-cheng-iccrg-delivery-rate-estimation",
    ),
    "idle": Rule(
        "After an idle time that is longer than the timeout a flow does not begin with its former window.",
        "It begins with half of it or more, where that is three initial windows or more.",
        "RFC 5681, section 4.1; RFC 7661",
    ),
    "mark-response": Rule(
        "A control whose packets may be marked sends less after a mark.",
        "It does not.",
        "RFC 3168, section 6.1.2; RFC 9331, section 4.3",
    ),
    "mark-share": Rule(
        "A control that takes a mark for a loss leaves 0.85 of the window at most.",
        "It leaves 0.9 or more.",
        "RFC 3168, section 6.1.2; RFC 8511",
    ),
    "spurious": Rule(
        "The cut of a loss that was none is taken back.",
        "The window, or the rate, stays at 0.75 of what it was or less.",
        "RFC 4015; RFC 5682; RFC 9438, section 4.9",
    ),
    # The transport.
    "backoff": Rule(
        "The time between two timeouts of the same packets doubles.",
        "It does not grow, or no further than 2 s.",
        "RFC 6298, section 5.5",
    ),
    "timeout-least": Rule(
        "The timeout is 0.2 s beyond the round trip at least.",
        "It is 0.07 s beyond the round trip or less.",
        "RFC 6298, section 2.4, has 1 s; Linux",
    ),
    "fast-retransmit": Rule(
        "A lost packet, after which more than a handful of others arrived, is repaired without a timeout.",
        "Such a loss waits for a timeout.",
        "RFC 5681, section 3.2; RFC 8985",
    ),
    # Models of the path, as BBR's.
    "drain": Rule(
        "The queue that the start left is emptied in a few round trips, by sending at half of the path's rate.",
        "It is sent at 0.8 of the path's rate or more meanwhile, or half of the queue or more stays.",
        "draft-ietf-ccwg-bbr, section Drain",
    ),
    "probing": Rule(
        "Every few seconds a control by a model sends 1.25 times its estimate, to find more bandwidth.",
        "It sends less than 1.1 times its estimate, or 2.5 times as rarely or less often.",
        "draft-ietf-ccwg-bbr, section ProbeBW",
    ),
    "probing-limit": Rule(
        "It does so no more often and by no more.",
        "It sends 1.5 times its estimate or more, or 4 times as often or more.",
        "draft-ietf-ccwg-bbr, section ProbeBW",
    ),
    "round-trip": Rule(
        "The least round trip is measured with a small window every 5 s, or 10 s.",
        "It is measured 2.5 times as rarely, or never.",
        "draft-ietf-ccwg-bbr, section ProbeRTT",
    ),
    "round-trip-time": Rule(
        "The small window lasts for 0.2 s and a round trip.",
        "It lasts for a quarter of that or less, or 3 times as long or longer.",
        "draft-ietf-ccwg-bbr, section ProbeRTT",
    ),
    "round-trip-expiry": Rule(
        "A least round trip that is older than 10 s is forgotten.",
        "It is kept for 40 s or longer.",
        "draft-ietf-ccwg-bbr, section BBR.min_rtt Min Filter",
    ),
    "rate-estimate": Rule(
        "The path's rate is the greatest of the last ten round trips, or of the last two cycles.",
        "It is kept for 5 times as long or longer, or it is the rate of one round trip.",
        "Cardwell et al. 2016; draft-ietf-ccwg-bbr, section BBR.max_bw Max Filter",
    ),
    "loss-threshold": Rule(
        "A round trip that loses more than 2 % of its packets ends start-up, and a probe.",
        "It takes 8 % or more, or losses never end it.",
        "draft-ietf-ccwg-bbr, section Core Algorithm Design Parameters",
    ),
    "loss-bounds": Rule(
        "A round trip with such losses leaves 0.7 of the bounds of rate and packets in flight.",
        "It leaves 0.9 or more.",
        "draft-ietf-ccwg-bbr, section Core Algorithm Design Parameters",
    ),
    "ack-aggregation": Rule(
        "The window has room for packets whose acknowledgements come late, in clumps.",
        "It is no more than what the path holds, though clumps are 0.4 of that.",
        "draft-ietf-ccwg-bbr, section BBR.extra_acked Max Filter",
    ),
    "window-limit": Rule(
        "The window is twice what the path holds at most, and some packets.",
        "It is 4 times what the path holds or more.",
        "Cardwell et al. 2016; draft-ietf-ccwg-bbr, section Core Algorithm Design Parameters",
    ),
    "pacing": Rule(
        "A control by a model paces its packets by its gain times its estimate.",
        "They leave in bursts of 16 packets or more, or twice as fast.",
        "draft-ietf-ccwg-bbr, section Pacing Rate",
    ),
    # What comes out of several rules.
    "fairness": Rule(
        "Of flows of one kind with equal round trips one that comes later gets its share within half a minute.",
        "It has a quarter of an equal share or less.",
        "RFC 9743, section 5.1.4",
    ),
    "aggression": Rule(
        "Beside flows of Reno or CUBIC a flow takes the share of a few of them at most.",
        "It takes that of eight or more.",
        "RFC 9743, section 5.2.1",
    ),
    "delay-target": Rule(
        "A control for media keeps the queue near its target, of 60 ms or less.",
        "It keeps 180 ms or more of queue.",
        "RFC 8298; RFC 8868",
    ),
    "loss-tolerance": Rule(
        "Losses by chance of 1 % leave a control by a model most of the line.",
        "They leave it half of the line or less.",
        "draft-ietf-ccwg-bbr, section Core Algorithm Design Parameters",
    ),
}  # fmt: skip
