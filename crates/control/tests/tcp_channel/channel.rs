//! A way there and back that loses, delays, reorders and doubles packets, and what a source over it may never do.

use headgate_control::transport::tcp::{Echo, Options, Policy, Recovery, Sink};
use headgate_control::transport::{Clock, Retransmit};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happens to packets on one way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    pub loss: f64,
    pub doubled: f64,
    /// This number of packets are late by up to this.
    pub late: f64,
    pub by: Duration,
}

/// Both ways.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    pub there: Way,
    pub back: Way,
    pub delay: Duration,
    /// Time that a packet takes at the bottleneck.
    pub service: Duration,
    pub marked: f64,
}

/// Something under way.
#[derive(Clone, Copy, Debug)]
enum Event {
    Data { seq: u64, sent: Time, reacted: bool },
    Ack { cumulative: u64, seq: u64, sent: Time, echo: Echo },
    SinkTimer,
}

/// What a run was like.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub end: Time,
    pub sent: u64,
    pub again: u64,
    pub timeouts: u64,
    pub most_out: u64,
    pub memory: usize,
    pub samples: Vec<Duration>,
}

/// What is under way, in the order of time.
struct Net {
    channel: Channel,
    rng: Rng,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    free: Time,
}

impl Net {
    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn offer(&mut self, now: Time, event: Event) {
        let there = matches!(event, Event::Data { .. });
        let way = if there { self.channel.there } else { self.channel.back };
        let mut start = now;
        if there {
            self.free = self.free.max(now) + self.channel.service;
            start = self.free;
        }
        if self.rng.uniform() < way.loss {
            return;
        }
        for _ in 0..1 + u32::from(self.rng.uniform() < way.doubled) {
            let late = if self.rng.uniform() < way.late { way.by * self.rng.uniform() } else { Duration::ZERO };
            self.push(start + self.channel.delay + late, event);
        }
    }
}

/// Timer calls, polls and acknowledgements that a transfer may take.
const MOST_EVENTS: u64 = 400_000;

/// Sends `packets`, or as many as are sent when the workload ends at `stop` transmissions; checks each step, and that all of it arrives and
/// is known to have.
pub fn transfer(
    spec: &Spec,
    options: &Options,
    policy: &Policy,
    channel: Channel,
    packets: u64,
    stop: u64,
    seed: u64,
) -> Result<Outcome, String> {
    let config = spec.transport().with(Some(options));
    // Counted from the last transmission, a round trip that an earlier one caused is too short.
    let ambiguous = config.basic_rules().is_some_and(|rules| rules.averages.clock == Clock::Last);
    let each = config.tcp_rules().is_some_and(|rules| rules.recovery == Recovery::Each)
        || config.basic_rules().is_some_and(|rules| rules.retransmit == Retransmit::Each);
    let mut source = Connection::new(spec, &Arc::new(config));
    source.seed(|| Rng::new(seed, 0, "control"));
    let mut sink = Sink::new(policy);
    let rng = Rng::new(seed, 0, "channel");
    let mut net = Net { channel, rng, events: BTreeMap::new(), count: 0, free: Time::ZERO };
    let (mut now, mut stuck, mut steps, mut armed) = (Time::ZERO, 0, 0u64, Time::NEVER);
    let mut outcome = Outcome::default();
    let mut last = (0, Time::ZERO);
    // Known to the source to have arrived, sent, and most of the one less the other.
    let (mut known, mut top, mut outstanding) = (0, 0, 1u64);
    // Each supply is a separate event, so that a source has nothing to send for a while.
    let (mut packets, mut supplied) = (packets, packets.div_ceil(2));
    source.supply(supplied);
    loop {
        let mut forced = 0;
        let mut burst = 0u64;
        loop {
            let (pipe, window) = (source.in_flight(), source.window());
            let Some(s) = source.poll_send(now) else { break };
            if s.seq >= supplied || s.seq < known {
                return Err(format!("{now:?}: it sends {s:?} of {supplied}, and {known} are acknowledged"));
            }
            top = top.max(s.seq + 1);
            outstanding = outstanding.max(top - known);
            forced += u64::from(pipe as f64 >= window.floor());
            burst += 1;
            // The first retransmission of an episode, or a probe. Packets whose own timers ran out may go if they lie in the window.
            if forced > 1 && !each {
                return Err(format!(
                    "{now:?}: {forced} packets go beyond the window {window} with {pipe} in the network"
                ));
            }
            if burst > packets + 2 {
                return Err(format!("{now:?}: a burst of {burst}"));
            }
            outcome.sent += 1;
            outcome.again += u64::from(s.retransmission);
            outcome.most_out = outcome.most_out.max(source.in_flight());
            outcome.memory = outcome.memory.max(source.memory());
            net.offer(now, Event::Data { seq: s.seq, sent: now, reacted: s.reacted });
        }
        steps += 1;
        if outcome.sent >= stop && supplied > top {
            source.stop();
            (supplied, packets) = (top, top);
        }
        if source.is_done() && supplied < packets {
            supplied = packets;
            source.supply(packets / 2);
            continue;
        }
        if source.is_done() {
            break;
        }
        let next = net.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
        let timer = source.timeout().unwrap_or(Time::NEVER);
        let then = next.min(timer);
        if then == Time::NEVER {
            return Err(format!(
                "{now:?}: nothing is under way, no timer runs, and {} arrived of {packets}",
                sink.cumulative()
            ));
        }
        if steps > MOST_EVENTS {
            return Err(format!("{now:?}: still at work, {} arrived of {packets}", sink.cumulative()));
        }
        stuck = if then > now { 0 } else { stuck + 1 };
        if stuck > 4 * packets + 100 {
            return Err(format!("{now:?}: no end of events at one instant"));
        }
        now = now.max(then);
        if next > timer {
            source.on_timeout(now);
            continue;
        }
        let Some((_, event)) = net.events.pop_first() else { break };
        match event {
            Event::Data { seq, sent, reacted } => {
                let marked = net.rng.uniform() < channel.marked;
                let answer = sink.on_data(seq, marked, reacted, now);
                for which in 0..usize::from(answer.now) {
                    let early = answer.earlier && which == 0;
                    let (seq, sent) = if early { last } else { (seq, sent) };
                    let cumulative = if early { answer.before } else { answer.cumulative };
                    let echo = if early { sink.earlier_echo(&answer) } else { sink.echo(&answer) };
                    net.offer(now, Event::Ack { cumulative, seq, sent, echo });
                }
                last = (seq, sent);
                if sink.timeout() < armed {
                    armed = sink.timeout();
                    net.push(armed, Event::SinkTimer);
                }
            }
            Event::SinkTimer => {
                armed = Time::NEVER;
                if let Some((cumulative, echo)) = sink.on_timeout(now) {
                    net.offer(now, Event::Ack { cumulative, seq: last.0, sent: last.1, echo });
                }
                if sink.timeout() != Time::NEVER {
                    armed = sink.timeout();
                    net.push(armed, Event::SinkTimer);
                }
            }
            Event::Ack { cumulative, seq, sent, echo } => {
                let ack = AckPacket {
                    cumulative,
                    seq,
                    sent,
                    marked: false,
                    waited: Duration::ZERO,
                    one_way: Duration::ZERO,
                    echo: Some(&echo),
                };
                source.on_ack(&ack, now, &mut |rtt| outcome.samples.push(rtt));
                known = known.max(cumulative);
            }
        }
    }
    if sink.cumulative() != packets {
        return Err(format!("it is done with {} of {packets} at the sink", sink.cumulative()));
    }
    let least = channel.delay * 2.0 + channel.service;
    if let Some(rtt) = outcome.samples.iter().find(|rtt| **rtt < least && !ambiguous) {
        return Err(format!("a round trip of {rtt}"));
    }
    // A record for each packet, in powers of two; RACK keeps transmissions, of which a packet may have several, until the next timeout.
    // What a protocol reads besides takes half a kilobyte.
    if outcome.memory as u64 > 2000 + outstanding.next_power_of_two() * 256 {
        return Err(format!("{} bytes for {outstanding} packets", outcome.memory));
    }
    (outcome.end, outcome.timeouts) = (now, source.timeouts());
    Ok(outcome)
}

/// All ways of recovery.
pub const RECOVERIES: [Recovery; 9] = [
    Recovery::GoBackN,
    Recovery::Oldest,
    Recovery::Repair,
    Recovery::Each,
    Recovery::Tahoe,
    Recovery::Reno,
    Recovery::Newreno,
    Recovery::Sack,
    Recovery::Rack,
];
