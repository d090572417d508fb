//! Token bucket filter: packets leave in the order of arrival, no faster than a rate but for a burst.
//!
//! Source: Linux's `sch_tbf`, and tc-tbf(8) for the limit.
//! - A bucket of `burst` bytes fills at `rate`. The first packet leaves when the bucket holds its length, which is then taken out.
//! - With `peak_rate` it has to find its length in a second bucket too, which holds `mtu` bytes and fills at that rate.
//! - A packet that is longer than a bucket is dropped as it arrives, and one that finds the buffer full. The buffer is `buffer`, or what may wait for
//!   `latency`: `rate` times `latency` and `burst` more or, if that is less, `peak_rate` times `latency` and `mtu` more.
//!
//! In this file:
//! - In any time t no more than `rate` t + `burst` begins to be sent, and no more than `peak_rate` t + `mtu`.
//! - Where the line is no slower, no packet waits longer than the buffer in bytes takes at `rate`.
//!
//! Deviations:
//! - Tokens are counted without rounding, and timers are exact.
//! - An AQM decides about a packet when the buckets let it go; in Linux as soon as the one before it has left.
//! - Lengths are those of packets here, without a header of the link.
//! - Without `rate`, which tc-tbf(8) wants, nothing but the line and `peak_rate` limits: there is no bucket of `burst` bytes, and the buffer follows from the line's rate.
//!
//! State per flow: none.

use crate::explain::tell_buffer;
use crate::parts::{Bucket, Ring};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::packet_length;
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Token bucket filter: no faster than a rate but for a burst. Packets are served first come, first served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TbfParams {
    /// Rate at which the bucket fills: what may be sent in the long run. Without it the line alone limits, and `peak_rate` if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Bytes that the bucket holds: what may be sent at once. No packet may be longer.
    pub burst: Bytes,
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted. Without it `latency` gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// How long the last packet of a full buffer waits with a full bucket, which gives the buffer where that is not set.
    pub latency: Duration,
    /// Rate that bursts do not exceed, above `rate`. Without it they leave as fast as the line sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rate: Option<Rate>,
    /// Bytes that the bucket of `peak_rate` holds: with the length of the longest packet no two leave faster. No packet may be longer.
    pub mtu: Bytes,
    /// Manages the queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for TbfParams {
    fn default() -> TbfParams {
        TbfParams {
            rate: None,
            burst: Bytes(10_000),
            buffer: None,
            latency: Duration::from_millis(50),
            peak_rate: None,
            mtu: Bytes(1514),
            aqm: None,
        }
    }
}

impl Check for TbfParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.burst.0 == 0 {
            return Err(Wrong::at("burst", "expected at least the length of a packet").found(&self.burst));
        }
        packet_length("mtu", self.mtu)?;
        match (self.peak_rate, self.rate) {
            (Some(peak), Some(rate)) if peak <= rate => {
                Err(Wrong::at("peak_rate", format!("expected more than `rate`, {rate}")).found(&peak))
            }
            _ => Ok(()),
        }
    }
}

impl TbfParams {
    /// The rate to which it holds what it sends, if nothing is charged for beside the packets.
    pub(crate) fn holds_to(&self) -> Option<Rate> {
        self.rate
    }
}

impl TbfParams {
    /// The buffer before a line of this rate, if it is not given that which follows from the latency.
    fn room(&self, line: Rate) -> Buffer {
        let within = |rate: Rate, more: Bytes| {
            let bits = u128::from(rate.as_bps()) * u128::from(self.latency.as_ps()) / 1_000_000_000_000;
            u64::try_from(bits / 8 + u128::from(more.0)).unwrap_or(u64::MAX)
        };
        self.buffer.unwrap_or_else(|| {
            let peak = self.peak_rate.map_or(u64::MAX, |peak| within(peak, self.mtu));
            Buffer::Bytes(within(self.rate.unwrap_or(line), self.burst).min(peak))
        })
    }
}

/// Token bucket filter.
#[derive(Clone, Debug)]
pub struct Tbf {
    params: TbfParams,
    buffer: Buffer,
    tokens: Option<Bucket>,
    peak: Option<Bucket>,
    queue: Ring<Packet>,
    bytes: u64,
    held_until: Option<Time>,
}

impl Tbf {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["token_bucket"],
        examples: &[r#"{"rate": "5kbit/s", "burst": "900B", "peak_rate": "7kbit/s", "aqm": "codel"}"#],
        main: &["buffer"],
        says: &[include_str!("tbf.says")],
        ..Card::of("Linux, sch_tbf")
    };

    /// An empty queue and full buckets.
    pub fn new(params: &TbfParams, link: &LinkInfo) -> Tbf {
        // A packet leaves only if its bucket covers it: nothing is ever owed.
        let bucket = |rate, burst| Bucket::new(rate, burst, Duration::ZERO);
        Tbf {
            params: params.clone(),
            buffer: params.room(link.rate),
            tokens: params.rate.map(|rate| bucket(rate, params.burst)),
            peak: params.peak_rate.map(|peak| bucket(peak, params.mtu)),
            queue: Ring::default(),
            bytes: 0,
            held_until: None,
        }
    }

    fn buckets(&self) -> impl Iterator<Item = &Bucket> {
        self.tokens.iter().chain(&self.peak)
    }

    fn buckets_mut(&mut self) -> impl Iterator<Item = &mut Bucket> {
        self.tokens.iter_mut().chain(&mut self.peak)
    }

    /// How long a packet of this length has to wait for the buckets.
    fn wait(&self, bytes: u32, now: Time) -> Duration {
        self.buckets().map(|bucket| bucket.wait(bytes, now)).max().unwrap_or_default()
    }
}

impl Discipline for Tbf {
    const WORK_CONSERVING: bool = false;
    const PER_CONVERSATION: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let fits = self.buckets().all(|bucket| bucket.can_hold(packet.bytes));
        if !fits || cx.exceeds(self.buffer, &self.backlog(), 1, u64::from(packet.bytes)) {
            return cx.drop(&packet, DropReason::Full);
        }
        self.bytes += u64::from(packet.bytes);
        self.queue.push_back(packet);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.held_until = None;
        let bytes = self.queue.front()?.bytes;
        let wait = self.wait(bytes, cx.now);
        if wait > Duration::ZERO {
            self.held_until = Some(cx.now + wait);
            return None;
        }
        self.buckets_mut().for_each(|bucket| bucket.take(bytes, cx.now));
        self.bytes -= u64::from(bytes);
        self.queue.pop_front()
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.queue.len() as u64, bytes: self.bytes }
    }

    fn timeout(&self) -> Option<Time> {
        self.held_until
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {
        self.held_until = None; // the port asks again
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.buffer = self.params.room(link.rate);
    }

    fn take_back(&mut self, packet: &Packet) {
        self.buckets_mut().for_each(|bucket| bucket.put_back(packet.bytes));
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        tell_buffer(self.buffer, tell);
        if let Some(tokens) = &self.tokens {
            tell(Number::Tokens, tokens.bytes(look.now));
        }
        if self.buckets().next().is_none() {
            return;
        }
        let first = self.queue.front().map_or(packet.bytes, |first| first.bytes);
        let wait = if self.buckets().all(|bucket| bucket.can_hold(first)) { self.wait(first, look.now) } else { Duration::ZERO };
        tell(Number::Held, wait.as_secs_f64());
    }
}

#[cfg(test)]
mod tests;
