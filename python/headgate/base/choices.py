"""The values that options of commands and arguments of functions may have. Nothing is loaded with them: `headgate --help` needs them."""

from __future__ import annotations

#: Forms in which a table can be written, with the ending of their files.
FORMATS = ("csv", "json", "parquet")

#: Formats of other programs in which a run can be written: what the option of each takes, and its help.
EXPORTS = {
    "qlog": ("DIR", "Write a qlog trace of each flow and of the network into this folder."),
    "pcapng": (
        "FILE",
        "Write the packets at every port into this capture (.pcapng), with the wait and the fate of each.",
    ),
    "perfetto": ("FILE", "Write transmissions, queues and windows into this trace of Perfetto (.pftrace)."),
    "flent": ("FILE", "Write goodputs and round-trip times of the intervals into this data file of flent (.flent.gz)."),
}

#: What a flow of a game wants more of, by metrics.
PAYOFFS = ("goodput", "power", "delay")

#: Sparse flows that may stand beside those of a matrix, by their short names.
SPARSE = ("call", "game")

#: Which packets of a capture are one flow.
CLASSIFY = ("flow", "pair", "source", "destination", "5tuple", "priority", "ecn")

#: What that decides.
CLASSIFY_HELP = "Which packets of a capture are one flow; 5tuple by default."

#: Conventions for what a trace does not contain; the first of each is the default.
CONVENTIONS = {
    "in_service": ("extra", "counts"),
    "ties": ("first", "together"),
    "at_departure": ("departures-first", "arrivals-first"),
    "ecn": ("not-capable", "capable"),
}

#: What each convention decides.
CONVENTION_HELP = {
    "in_service": "Whether the packet in transmission counts against the buffer.",
    "ties": "Several packets at one instant at an idle link: the first one is sent, or the discipline chooses.",
    "at_departure": "Which comes first when a packet arrives at the instant at which a transmission ends.",
    "ecn": "Whether the packets of a table without a column ecn can be marked; in a capture, each packet says so.",
}
