//! The state machine of packet-pair: when pairs are sent, and what an acknowledgement means in which phase.
//!
//! Source: Keshav 1991, section 4.4.1 and figure 4.2, which is lost: rebuilt from the text, see [`MACHINE`].
//! Deviations, where the thesis says nothing:
//! - A probe that measured nothing (a packet of it was lost, or its two acknowledgements arrived together) is repeated once nothing is outstanding.
//! - While only one packet waits before the first measurement it is sent alone.
//! - A TICK that is to send and finds nothing to send, or no room in the window, is held until there is; [`Gate`] says how much room it needs.
//! - The signal FREE and the counter num_in_burst belong to the queue of the source's own line.
//! - A pending TICK keeps its deadline; a new spacing counts from the next one.
//!
//! State per flow: the state, the next TICK, packets of a burst, whether the second packet of a pair is still to be sent.

use crate::{Ack, Probe, Release, Supply};
use headgate_packet::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must fit the window for a pair to be sent; the thesis does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Both its packets.
    Pair,
    /// The first; the second follows as soon as it fits too. Behind a queue the two acknowledgements still have the bottleneck's spacing. Where no
    /// queue stands, since the window is smaller than the path holds, they show when there was room: the rate is estimated too low.
    Packet,
}

/// Phases of section 4.4.1; priming is an action on the way from `Probe` to `Receive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing has been sent yet.
    Start,
    /// The first pair was sent.
    Probe,
    /// A pair is sent with each TICK.
    Receive,
}

/// What happens to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Something waits and nothing is outstanding.
    Idle,
    /// The acknowledgement of the first packet of an intact pair.
    FirstAck,
    /// That of the second packet.
    SecondAck,
    /// The interval between pairs is over, and the slot is to be skipped or something may be sent.
    Tick,
}

/// What the machine asks of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends a pair (one packet if only one waits).
    SendPair,
    /// Estimates the round-trip time.
    RoundTrip,
    /// Takes the first measurement of the rate, primes the queue and starts the TICK at once.
    Prime,
    /// Takes a measurement of the rate and corrects.
    Correct,
    /// Lets a slot pass if slots are to be skipped; else sends a pair.
    NextSlot,
}

/// Figure 4.2: state, signal, action, next state. What is not here changes nothing.
pub const MACHINE: &[(State, Signal, Action, State)] = &[
    (State::Start, Signal::Idle, Action::SendPair, State::Probe),
    (State::Probe, Signal::Idle, Action::SendPair, State::Probe),
    (State::Probe, Signal::FirstAck, Action::RoundTrip, State::Probe),
    (State::Probe, Signal::SecondAck, Action::Prime, State::Receive),
    (State::Receive, Signal::FirstAck, Action::RoundTrip, State::Receive),
    (State::Receive, Signal::SecondAck, Action::Correct, State::Receive),
    (State::Receive, Signal::Tick, Action::NextSlot, State::Receive),
];

/// The machine of one flow.
#[derive(Clone, Debug)]
pub struct Machine {
    state: State,
    /// The next TICK; `NEVER` before the first measurement.
    tick: Time,
    /// The TICK is due, and waits for packets or for room in the window.
    held: bool,
    /// Unpaired packets that are sent at once.
    burst: u64,
    window: u64,
    gate: Gate,
    /// The second packet of a pair waits for room.
    half: bool,
}

impl Machine {
    /// A machine before its first packet; at most `window` packets are outstanding.
    pub fn new(window: u64, gate: Gate) -> Machine {
        Machine { state: State::Start, tick: Time::NEVER, held: false, burst: 0, window, gate, half: false }
    }

    /// Maximum number of packets outstanding.
    pub fn window(&self) -> u64 {
        self.window
    }

    fn step(&mut self, signal: Signal) -> Option<Action> {
        let &(_, _, action, next) = MACHINE.iter().find(|row| (row.0, row.1) == (self.state, signal))?;
        self.state = next;
        Some(action)
    }

    /// What an acknowledgement asks for.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<Action> {
        let action = match ack.pair {
            Probe::None => None,
            Probe::First(_) => self.step(Signal::FirstAck),
            Probe::Second(_) => self.step(Signal::SecondAck),
        };
        if action == Some(Action::Prime) {
            self.tick = ack.now;
        }
        action
    }

    /// Packets of a burst that are still to be sent.
    pub fn bursting(&self) -> u64 {
        self.burst
    }

    /// This many more unpaired packets are sent at once.
    pub fn burst(&mut self, packets: u64) {
        self.burst = self.burst.saturating_add(packets);
    }

    /// What is sent now. `skip` is asked at each TICK whether the slot passes unused, and gives the time to the next TICK.
    pub fn release(&mut self, now: Time, supply: &Supply, skip: impl FnMut() -> (bool, Duration)) -> Release {
        let room = self.window.saturating_sub(supply.in_flight);
        let slot = self.slot(now, skip);
        if supply.waiting == 0 || self.half && room == 0 {
            self.half &= supply.waiting > 0;
            self.held = slot.is_some();
            return Release::Nothing;
        }
        // Nothing slips between the two packets of a pair.
        if std::mem::take(&mut self.half) {
            return Release::Second;
        }
        if self.state != State::Receive {
            if supply.in_flight > 0 {
                return Release::Nothing;
            }
            self.step(Signal::Idle);
            return Release::Pair;
        }
        if self.burst > 0 && room > 0 {
            let packets = self.burst.min(room).min(supply.waiting);
            self.burst -= packets;
            return Release::Packets(packets);
        }
        let Some(interval) = slot else { return Release::Nothing };
        let pair = supply.waiting.min(2);
        self.held = room < if self.gate == Gate::Pair { pair } else { 1 };
        if self.held || self.step(Signal::Tick).is_none() {
            return Release::Nothing;
        }
        self.reload(now, interval);
        self.half = room < pair;
        if self.half { Release::First } else { Release::Pair }
    }

    /// Whether a TICK that is not to be skipped is due, and the time to the one after it. Slots that are skipped need neither packets
    /// nor room to pass.
    fn slot(&mut self, now: Time, mut skip: impl FnMut() -> (bool, Duration)) -> Option<Duration> {
        while self.state == State::Receive && self.tick <= now {
            let (skipped, interval) = skip();
            if !skipped {
                return Some(interval);
            }
            self.held = false;
            self.reload(now, interval);
        }
        None
    }

    fn reload(&mut self, now: Time, interval: Duration) {
        // At least one picosecond, so that time advances.
        self.tick = now + interval + Duration::from_ps(u64::from(interval == Duration::ZERO));
    }

    /// When the next TICK is due.
    pub fn next(&self) -> Time {
        if self.held { Time::NEVER } else { self.tick }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn supply(waiting: u64, in_flight: u64) -> Supply {
        Supply { waiting, in_flight, unanswered: in_flight }
    }

    fn ack(ms: u64, pair: Probe) -> Ack {
        let (now, waited) = (at(ms), Duration::ZERO);
        Ack {
            now,
            newly_acked: 1,
            duplicates: 0,
            rtt: None,
            marked: false,
            cumulative: 0,
            highest_sent: 0,
            in_flight: 0,
            seq: 0,
            waited,
            pair,
            ..Ack::default()
        }
    }

    /// What is sent at `ms`, with a TICK each 200 ms and no slot to be skipped.
    fn release(m: &mut Machine, ms: u64, supply: Supply) -> Release {
        m.release(at(ms), &supply, || (false, Duration::from_millis(200)))
    }

    /// A machine whose first pair was measured at 1.1 s: the first TICK is due at once.
    fn started(window: u64, gate: Gate) -> Machine {
        let mut m = Machine::new(window, gate);
        assert_eq!((release(&mut m, 0, supply(9, 0)), m.next()), (Release::Pair, Time::NEVER));
        assert_eq!(m.on_ack(&ack(1000, Probe::First(Duration::from_secs(1)))), Some(Action::RoundTrip));
        assert_eq!(m.on_ack(&ack(1100, Probe::Second(Duration::from_millis(100)))), Some(Action::Prime));
        assert_eq!(m.next(), at(1100));
        m
    }

    #[test]
    fn nothing_goes_beside_the_first_pair() {
        let mut m = Machine::new(10, Gate::Pair);
        assert_eq!(release(&mut m, 0, supply(0, 0)), Release::Nothing, "nothing waits");
        assert_eq!(release(&mut m, 0, supply(9, 0)), Release::Pair);
        assert_eq!(release(&mut m, 0, supply(9, 1)), Release::Nothing);
        // It is lost, or measured nothing: another is sent once nothing is outstanding.
        assert_eq!(m.on_ack(&ack(1000, Probe::None)), None);
        assert_eq!(release(&mut m, 5000, supply(9, 0)), Release::Pair);
    }

    #[test]
    fn a_burst_goes_as_far_as_the_window_and_the_supply_reach_and_the_rest_later() {
        let mut m = started(10, Gate::Pair);
        m.burst(5);
        m.burst(2);
        assert_eq!((m.window(), m.bursting()), (10, 7));
        assert_eq!((release(&mut m, 1100, supply(9, 7)), m.bursting()), (Release::Packets(3), 4));
        assert_eq!((release(&mut m, 1100, supply(9, 10)), m.bursting()), (Release::Nothing, 4));
        assert_eq!((release(&mut m, 1100, supply(1, 0)), m.bursting()), (Release::Packets(1), 3));
        assert_eq!((release(&mut m, 1100, supply(9, 1)), m.bursting()), (Release::Packets(3), 0));
        assert_eq!(release(&mut m, 1100, supply(6, 4)), Release::Pair);
        m.burst(u64::MAX);
        m.burst(1);
        assert_eq!(m.bursting(), u64::MAX);
    }

    #[test]
    fn a_pair_goes_at_each_tick_that_finds_packets_and_room() {
        let mut m = started(4, Gate::Pair);
        assert_eq!((release(&mut m, 1100, supply(9, 0)), m.next()), (Release::Pair, at(1300)));
        assert_eq!(release(&mut m, 1299, supply(9, 0)), Release::Nothing);
        // Room for one of two: held until there is more, and the next interval runs from then.
        assert_eq!((release(&mut m, 1300, supply(9, 3)), m.next()), (Release::Nothing, Time::NEVER));
        assert_eq!((release(&mut m, 1450, supply(9, 2)), m.next()), (Release::Pair, at(1650)));
        // Nothing waits: held too. One packet that waits alone needs room for one.
        assert_eq!((release(&mut m, 1650, supply(0, 2)), m.next()), (Release::Nothing, Time::NEVER));
        assert_eq!((release(&mut m, 1700, supply(1, 3)), m.next()), (Release::Pair, at(1900)));
        assert_eq!(
            (release(&mut m, 1800, supply(0, 3)), m.next()),
            (Release::Nothing, at(1900)),
            "no TICK, nothing held"
        );
    }

    #[test]
    fn with_room_for_one_packet_the_second_of_the_pair_follows_when_there_is_more() {
        let mut m = started(4, Gate::Packet);
        m.burst(1);
        assert_eq!(release(&mut m, 1100, supply(9, 4)), Release::Nothing);
        m.burst = 0;
        assert_eq!((release(&mut m, 1100, supply(9, 3)), m.next()), (Release::First, at(1300)));
        // Nothing slips between the two, neither a burst nor the next TICK, which is held.
        m.burst(1);
        assert_eq!((release(&mut m, 1200, supply(9, 4)), m.next()), (Release::Nothing, at(1300)));
        assert_eq!((release(&mut m, 1300, supply(9, 4)), m.next()), (Release::Nothing, Time::NEVER));
        assert_eq!(release(&mut m, 1400, supply(9, 3)), Release::Second);
        assert_eq!(release(&mut m, 1400, supply(9, 3)), Release::Packets(1));
        assert_eq!((release(&mut m, 1400, supply(9, 2)), m.next()), (Release::Pair, at(1600)));
    }

    #[test]
    fn a_second_packet_that_the_workload_takes_back_is_forgotten() {
        let mut m = started(4, Gate::Packet);
        assert_eq!(release(&mut m, 1100, supply(9, 3)), Release::First);
        assert_eq!(release(&mut m, 1200, supply(0, 4)), Release::Nothing);
        assert_eq!(release(&mut m, 1200, supply(9, 2)), Release::Nothing);
        assert_eq!(release(&mut m, 1300, supply(9, 2)), Release::Pair);
    }

    #[test]
    fn slots_to_be_skipped_pass_without_packets_or_room() {
        let mut m = started(4, Gate::Pair);
        let mut skips = 2;
        let mut release = |m: &mut Machine, ms, supply| {
            m.release(at(ms), &supply, || {
                skips -= 1;
                (skips >= 0, Duration::from_millis(200))
            })
        };
        assert_eq!((release(&mut m, 1100, supply(0, 4)), m.next()), (Release::Nothing, at(1300)));
        assert_eq!((release(&mut m, 1300, supply(0, 4)), m.next()), (Release::Nothing, at(1500)));
        assert_eq!((release(&mut m, 1500, supply(9, 0)), m.next()), (Release::Pair, at(1700)));
    }

    #[test]
    fn time_goes_on_though_the_interval_is_nothing() {
        let mut m = started(1000, Gate::Pair);
        assert_eq!(m.release(at(1100), &supply(9, 0), || (false, Duration::ZERO)), Release::Pair);
        assert_eq!(m.next(), at(1100) + Duration::from_ps(1));
    }
}
