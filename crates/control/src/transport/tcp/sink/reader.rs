//! The program that reads at a sink, and the buffer that it reads from: what they change about when acknowledgements are sent.
//!
//! Source: Linux 6.18, of which only facts are used. tcp_input.c: quick acknowledgements (tcp_incr_quickack, tcp_enter_quickack_mode), the growth of
//! the offered window (tcp_grow_window), the size of the buffer (tcp_rcvbuf_grow), the delay (tcp_event_data_recv), what waits for a read
//! (__tcp_ack_snd_check). tcp_output.c: the offered window (__tcp_select_window), the delay's bounds (tcp_send_delayed_ack). tcp.c: when a read
//! acknowledges (tcp_cleanup_rbuf).
//! Deviations:
//! - All packets have one length, and take one amount of memory. A retransmission that fills a gap counts as one packet that is read with what follows it.
//! - The offered window decides when acknowledgements are sent, but does not hold the source, which has a `receiver_window` of its own.
//! - Windows are not rounded to the scale of the header's field. The memory of the host is unlimited.
//! - The round trip is given: the kernel measures it, first in the handshake, which is not modelled.
//! - An acknowledgement that would only double an offered window is left out if another one is sent at the same instant.

use headgate_packet::check::{at_most, up_to};
use headgate_packet::{Bytes, Check, Duration, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Quick acknowledgements at the start, after a long pause, and after a packet that had arrived before (TCP_MAX_QUICKACKS).
const QUICK: u64 = 16;

/// The share of the buffer that is offered before the first packet tells how much memory a packet takes, of 256 (TCP_DEFAULT_SCALING_RATIO).
const FIRST_RATIO: u64 = 128;

/// The initial window, in packets, which the buffer's growth takes for what was read before (TCP_INIT_CWND).
const INITIAL: u64 = 10;

/// Minimum retransmission timeout: of the sink's own, which says what a long pause is.
const MIN_TIMEOUT: Duration = Duration::from_millis(200);

/// The program that reads what arrives, and the buffer from which it reads (Linux). While the window that it offers grows, and for the 16 packets before
/// and after, each packet is acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReaderParams {
    /// Receive buffer at the start: what `tcp_rmem` says, or twice what a program asks for.
    pub buffer: Bytes,
    /// The buffer grows up to this with what the program reads in a round trip (`tcp_moderate_rcvbuf`); it is fixed if this is not more than `buffer`.
    pub max_buffer: Bytes,
    /// Data of a packet.
    pub segment: Bytes,
    /// What a packet takes of the buffer until the program has read it, and while it is ahead of a gap.
    pub memory: Bytes,
    /// The program reads everything there is this long after the first packet that it has not read; 0 for at once.
    pub pause: Duration,
    /// The source's program writes this number of packets at a time. A program that has read the last packet of a write (PSH) acknowledges it; 0
    /// for writes that follow each other without an end, of which the source's TCP makes one. The end of a transfer is that of a write, too.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub writes: u64,
    /// The round trip as the handshake measured it: the most that `delay` adapts to, and the time in which the buffer's growth counts.
    pub round_trip: Duration,
}

impl Default for ReaderParams {
    fn default() -> ReaderParams {
        ReaderParams {
            buffer: Bytes(131_072),
            max_buffer: Bytes(33_554_432),
            segment: Bytes(1448),
            memory: Bytes(2304),
            pause: Duration::ZERO,
            writes: 0,
            round_trip: Duration::from_millis(40),
        }
    }
}

impl ReaderParams {
    /// One with a buffer that keeps its size.
    pub fn fixed(buffer: Bytes) -> ReaderParams {
        ReaderParams { buffer, max_buffer: buffer, ..ReaderParams::default() }
    }
}

impl Check for ReaderParams {
    fn check(&self) -> Result<(), Wrong> {
        up_to("segment", self.segment, Bytes(1 << 24))?;
        up_to("memory", self.memory, Bytes(1 << 26))?;
        if self.memory < self.segment {
            return Err(Wrong::at("memory", format!("expected at least segment, {}", self.segment)).found(&self.memory));
        }
        if self.buffer < self.memory {
            return Err(Wrong::at("buffer", format!("expected at least memory, {}", self.memory)).found(&self.buffer));
        }
        at_most("buffer", self.buffer, Bytes(1 << 40))?;
        at_most("max_buffer", self.max_buffer, Bytes(1 << 40))?;
        for (name, time) in [("pause", self.pause), ("round_trip", self.round_trip)] {
            if time > Duration::from_secs(60) {
                return Err(Wrong::at(name, "expected at most 60s").found(&time));
            }
        }
        Ok(())
    }
}

/// A packet that arrived, as the buffer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The next one in sequence.
    Next,
    /// One beyond a gap.
    Ahead,
    /// One that is beyond a gap and had arrived before.
    AheadAgain,
    /// One that was received in sequence before.
    Old,
}

/// What a sink has in its buffer when it asks: packets received in sequence, those beyond gaps, and how many in sequence one acknowledgement is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffered {
    pub next: u64,
    pub ahead: u64,
    pub every: u64,
}

/// The program and its buffer. Windows and buffers are in bytes, sequence numbers count packets.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    p: ReaderParams,
    /// Shortest delay, and the present one (ATO).
    least: Duration,
    delay: Duration,
    buffer: u64,
    /// The share of the buffer that is offered, of 256; the most that may be offered (window_clamp), and that is offered now (rcv_ssthresh).
    ratio: u64,
    clamp: u64,
    grown: u64,
    /// The window in the last acknowledgement (rcv_wnd), its number (rcv_wup), and the number of packets read.
    offered: u64,
    acked: u64,
    read: u64,
    quick: u64,
    /// A packet that ends a write arrived since the last acknowledgement.
    pushed: bool,
    /// The number that ends the present transfer.
    end: u64,
    /// When the last packet in sequence arrived; `NEVER` before the first.
    last: Time,
    /// When the program reads.
    reads: Time,
    /// The buffer's growth: bytes read in the round trip before, packets read at the start of this one, and when that was.
    space: u64,
    since: (u64, Time),
}

impl Reader {
    pub fn new(params: &ReaderParams, delay: Duration) -> Reader {
        let (buffer, segment) = (params.buffer.0, params.segment.0);
        let clamp = (buffer * FIRST_RATIO) >> 8;
        let grown = clamp - clamp % segment;
        Reader {
            p: params.clone(),
            least: delay,
            delay,
            buffer,
            ratio: FIRST_RATIO,
            clamp,
            grown,
            offered: grown,
            acked: 0,
            read: 0,
            quick: 0,
            pushed: false,
            end: u64::MAX,
            last: Time::NEVER,
            reads: Time::NEVER,
            space: grown.min(INITIAL * segment),
            since: (0, Time::ZERO),
        }
    }

    /// Whether it has read a packet at the instant when that arrives.
    pub fn reads_at_once(&self) -> bool {
        self.p.pause == Duration::ZERO
    }

    /// When it reads; `NEVER` if everything is read.
    pub fn reads(&self) -> Time {
        self.reads
    }

    /// How long an acknowledgement may wait.
    pub fn delay(&self) -> Duration {
        self.delay.min(self.p.round_trip.max(self.least))
    }

    /// The present transfer ends below this number.
    pub fn set_end(&mut self, end: u64) {
        self.end = end;
    }

    /// Each of the next packets is acknowledged (tcp_enter_quickack_mode).
    pub fn be_quick(&mut self, most: u64) {
        // None is a small window's, which takes two.
        let quick = match self.offered / (2 * self.p.segment.0) {
            0 => 2,
            some => some,
        };
        self.quick = self.quick.max(quick.min(most));
        self.delay = self.least;
    }

    /// A packet arrived; whether an acknowledgement is sent now. `due`: it is due by what has arrived since the last one; `at_once`: whatever waits.
    pub fn on_arrival(&mut self, arrival: Arrival, b: Buffered, due: bool, at_once: bool, now: Time) -> bool {
        match arrival {
            Arrival::Next => self.on_next(b, now),
            Arrival::Ahead => self.grow(b),
            Arrival::AheadAgain => {}
            Arrival::Old => self.be_quick(QUICK),
        }
        // What fills the buffer waits for the program, unless the window is to open as far as it did (__tcp_ack_snd_check).
        let sent = at_once || self.quick > 0 || (due && self.window(b) >= self.offered);
        if sent {
            self.on_sent(b);
        }
        if self.reads_at_once() {
            let asks = self.on_read(b, now) && !sent;
            if asks {
                self.on_sent(b);
            }
            return sent || asks;
        }
        if self.reads == Time::NEVER && b.next > self.read {
            self.reads = now + self.p.pause;
        }
        sent
    }

    /// A packet in sequence (tcp_event_data_recv).
    fn on_next(&mut self, b: Buffered, now: Time) {
        self.pushed |= b.next == self.end || (self.p.writes > 0 && b.next.is_multiple_of(self.p.writes));
        if self.last == Time::NEVER {
            self.on_first(now);
        } else {
            let gap = now.since(self.last);
            let half = Duration::from_ps(self.least.as_ps() / 2);
            if gap > self.timeout() {
                self.be_quick(QUICK);
            } else if gap <= half {
                self.delay = self.halved() + half;
            } else if gap < self.delay {
                self.delay = (self.halved() + gap).min(self.timeout());
            }
        }
        self.last = now;
        self.grow(b);
    }

    /// The first packet tells how much memory one takes (tcp_measure_rcv_mss), and starts the quick acknowledgements.
    fn on_first(&mut self, now: Time) {
        self.ratio = ((self.p.segment.0 << 8) / self.p.memory.0).max(1);
        self.clamp = self.share(self.buffer);
        self.grown = self.grown.max(self.offered).min(self.clamp);
        self.space = self.space.min(self.clamp);
        self.since = (0, now);
        self.be_quick(QUICK);
    }

    fn halved(&self) -> Duration {
        Duration::from_ps(self.delay.as_ps() / 2)
    }

    /// The sink's own retransmission timeout after one measurement, that of the handshake (RFC 6298, with the kernel's minimum of the variance).
    fn timeout(&self) -> Duration {
        self.p.round_trip + (self.p.round_trip + self.p.round_trip).max(MIN_TIMEOUT)
    }

    /// What of so much memory is offered.
    fn share(&self, memory: u64) -> u64 {
        (memory * self.ratio) >> 8
    }

    /// What is free of the buffer, as a window.
    fn free(&self, b: Buffered) -> u64 {
        let held = b.next.saturating_sub(self.read) + b.ahead;
        self.share(self.buffer.saturating_sub(held.saturating_mul(self.p.memory.0)))
    }

    /// The window grows by two packets for each one that arrives, and each packet is acknowledged meanwhile (tcp_grow_window).
    fn grow(&mut self, b: Buffered) {
        if self.grown >= self.clamp {
            return;
        }
        let room = self.clamp.min(self.free(b)).saturating_sub(self.grown);
        if room > 0 {
            self.grown += room.min(2 * self.p.segment.0);
            self.quick |= 1;
        }
    }

    /// The window that would be offered now (__tcp_select_window).
    fn window(&mut self, b: Buffered) -> u64 {
        let free = self.free(b);
        if free < self.clamp / 2 {
            self.quick = 0;
            if free < self.share(self.buffer) >> 4 || free < self.p.segment.0 {
                return 0;
            }
        }
        free.min(self.grown)
    }

    /// What is left of the window in the last acknowledgement.
    fn left(&self, b: Buffered) -> u64 {
        self.offered.saturating_sub((b.next - self.acked).saturating_mul(self.p.segment.0))
    }

    /// An acknowledgement is sent (tcp_event_ack_sent, tcp_select_window: a window is never taken back).
    pub fn on_sent(&mut self, b: Buffered) {
        self.offered = self.window(b).max(self.left(b));
        (self.acked, self.pushed) = (b.next, false);
        if self.quick == 1 {
            self.delay = self.least;
        }
        self.quick = self.quick.saturating_sub(1);
    }

    /// The delay ran out (tcp_delack_timer_handler): the next one is longer.
    pub fn on_late(&mut self) {
        self.delay = (self.delay + self.delay).min(self.timeout());
    }

    /// The program reads all there is; whether that sends an acknowledgement (tcp_cleanup_rbuf).
    pub fn on_read(&mut self, b: Buffered, now: Time) -> bool {
        self.reads = Time::NEVER;
        if b.next == self.read {
            return false;
        }
        self.read = b.next;
        self.fit(b, now);
        let waiting = b.next - self.acked;
        if waiting >= b.every || (waiting > 0 && self.pushed && b.ahead == 0) {
            return true;
        }
        // Its room doubles the window.
        let left = self.left(b);
        2 * left <= self.clamp && {
            let window = self.window(b);
            window > 0 && window >= 2 * left
        }
    }

    /// The buffer follows what is read in a round trip (tcp_rcv_space_adjust, tcp_rcvbuf_grow).
    fn fit(&mut self, b: Buffered, now: Time) {
        if self.p.max_buffer.0 <= self.p.buffer.0 || now.since(self.since.1) < self.p.round_trip {
            return;
        }
        let (copied, before) = ((self.read - self.since.0) * self.p.segment.0, self.space.max(1));
        self.since = (self.read, now);
        if copied <= before {
            return;
        }
        self.space = copied;
        // Twice that, since the measurement is a round trip old, and more as the source doubles its rate.
        let twice = u128::from(2 * copied);
        let grows = 2 * (twice * u128::from(copied - before) / u128::from(before));
        let window = twice + grows + u128::from(b.ahead * self.p.segment.0);
        let wanted = (window << 8) / u128::from(self.ratio);
        let buffer = u64::try_from(wanted).unwrap_or(u64::MAX).min(self.p.max_buffer.0);
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.share(buffer);
        }
    }
}

#[cfg(test)]
mod tests;
