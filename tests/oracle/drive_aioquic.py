"""aioquic's Reno and CUBIC, driven by events on the standard input; answers as `headgate control --stdio` does. Needs aioquic (BSD).

Clocks start at 1 s, since packets sent at 0 are ignored by its Reno.
"""

from __future__ import annotations

import json
import sys

import aioquic.quic.congestion.cubic
import aioquic.quic.congestion.reno  # noqa: F401
from aioquic.quic.congestion.base import create_congestion_control
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch

SIZE = 1200


def main(name: str) -> None:
    cc = create_congestion_control(name, max_datagram_size=SIZE)
    out: dict[int, QuicSentPacket] = {}
    next_pn = 0
    for line in sys.stdin:
        event = json.loads(line)
        now, ev = 1 + event["t"] / 1e9, event["ev"]
        if ev == "sent":
            packet = QuicSentPacket(Epoch.ONE_RTT, True, True, False, next_pn, 0, sent_time=now, sent_bytes=SIZE)
            out[next_pn] = packet
            next_pn += 1
            cc.on_packet_sent(packet=packet)
        elif ev == "ack":
            cc.on_packet_acked(now=now, packet=out.pop(event["pn"]))
            cc.on_rtt_measurement(now=now, rtt=event["rtt"] / 1e9)
        elif ev == "loss":
            oldest = sorted(out)[: event["n"]]
            cc.on_packets_lost(now=now, packets=[out.pop(pn) for pn in oldest])
        threshold = None if cc.ssthresh is None else cc.ssthresh / SIZE
        print(json.dumps({"t": event["t"], "cwnd": cc.congestion_window / SIZE, "ssthresh": threshold}))


if __name__ == "__main__":
    main(sys.argv[1])
