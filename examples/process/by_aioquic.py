"""aioquic's congestion controllers, unchanged, as a program that headgate asks: `python by_aioquic.py reno|cubic [BYTES]`. Needs aioquic.

Its clock begins at 1 s, since its Reno takes no packet sent at 0 for one.
"""

from __future__ import annotations

import json
import sys

import aioquic.quic.congestion.cubic
import aioquic.quic.congestion.reno  # noqa: F401
from aioquic.quic.congestion.base import create_congestion_control
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch


def main(name: str, size: int) -> None:
    """Answers events until there are no more."""
    control = create_congestion_control(name, max_datagram_size=size)
    out: dict[int, QuicSentPacket] = {}
    for line in sys.stdin:
        event = json.loads(line)
        now, ev = 1 + event["t"] / 1e9, event["ev"]
        if ev == "sent":
            pn = event["pn"]
            out[pn] = QuicSentPacket(Epoch.ONE_RTT, True, True, False, pn, 0, sent_time=now, sent_bytes=size)
            control.on_packet_sent(packet=out[pn])
        elif ev == "ack":
            # Those up to `pn` that are still out are in the order of their numbers.
            arrived = [event["pn"]]
            if event["n"] > 1:
                arrived = sorted(pn for pn in out if pn <= event["pn"])[-event["n"] :]
            for pn in arrived:
                control.on_packet_acked(now=now, packet=out.pop(pn))
            if "rtt" in event:
                control.on_rtt_measurement(now=now, rtt=event["rtt"] / 1e9)
        elif ev == "loss" and event.get("timeout"):
            # What it does after a persistent congestion stands in its recovery, not in its controllers.
            control.congestion_window = 2 * size
        elif ev == "loss":
            control.on_packets_lost(now=now, packets=[out.pop(event["pn"])])
        threshold = None if control.ssthresh is None else control.ssthresh / size
        answer = {"t": event["t"], "cwnd": control.congestion_window / size, "ssthresh": threshold, "pacing": None}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1200)
