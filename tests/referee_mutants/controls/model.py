"""A small control by a model of the path, after BBR (version 1), the original of mutants: each changes a line of it."""

import headgate

GAINS = (1.25, 0.75, 1, 1, 1, 1, 1, 1)


@headgate.control("NAME", source="Cardwell et al. 2016", rate_samples=True, gauges=["bandwidth", "least"])
class Model:
    """Sends at the rate that the path delivered, with a window of two of its products, and probes for more now and then."""

    def on_start(self, window):
        self.window, self.rate = float(window), None
        self.state, self.bandwidth, self.least = "startup", 0.0, None
        self.rates, self.rounds = {}, 0
        self.full, self.flat = 0.0, 0
        self.stamp = self.least_at = self.since = 0.0

    def on_ack(self, ack):
        self.measure(ack)
        if self.least is None or not self.bandwidth:
            return
        self.change(ack)
        path = self.bandwidth * self.least
        gain = {"startup": 2.77, "drain": 0.36, "probe": GAINS[int((ack.now - self.since) / self.least) % 8], "rtt": 1}[
            self.state
        ]
        if self.state != "startup" or self.rate is None or gain * self.bandwidth > self.rate:
            self.rate = max(gain * self.bandwidth, 0.1)
        target = max((2.77 if self.state == "startup" else 2) * path + 3, 4)
        self.window = 4.0 if self.state == "rtt" else min(self.window + ack.delivered, target)

    def measure(self, ack):
        if ack.rtt and (self.least is None or ack.rtt <= self.least or ack.now > self.least_at + 10):
            if self.least is not None and ack.rtt > self.least and self.state != "startup":
                self.state, self.stamp = "rtt", ack.now
            self.least, self.least_at = ack.rtt, ack.now
        self.rounds += ack.round
        if ack.rate and (not ack.app_limited or ack.rate > self.bandwidth):
            # The greatest rate of each of the last ten rounds.
            self.rates[self.rounds] = max(ack.rate, self.rates.get(self.rounds, 0.0))
            self.rates = {r: rate for r, rate in self.rates.items() if r > self.rounds - 10}
            self.bandwidth = max(self.rates.values())

    def change(self, ack):
        if self.state == "startup" and ack.round and not ack.app_limited:
            if self.bandwidth >= 1.25 * self.full:
                self.full, self.flat = self.bandwidth, 0
            else:
                self.flat += 1
            if self.flat >= 3:
                self.state = "drain"
        if self.state == "drain" and ack.in_flight <= self.bandwidth * self.least:
            self.state, self.since = "probe", ack.now
        if self.state == "rtt":
            self.least = min(self.least, ack.rtt or self.least)
            if ack.now > self.stamp + 0.2 + self.least:
                self.state, self.since = "probe", ack.now

    def on_loss(self, loss):
        if loss.kind == "timeout":
            self.window = loss.remaining + 1
