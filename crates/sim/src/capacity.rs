//! What a line offers: its rate, integrated over the time in which it is up. It follows from the scenario alone.
//!
//! The utilisation of a port is what it used over this (see `Counters::used`), and the max-min shares of the flows are computed from it.

use crate::change::Change;
use crate::link::rate::LineRate;
use crate::link::rate::steps::StepsParams;
use crate::spec::Scenario;
use headgate_packet::{Rate, Time};
use headgate_queue::line::Slots;
use std::sync::Arc;

/// 10^-12 bits in a byte.
const BYTE: u128 = 8_000_000_000_000;

/// The line of one lane. Copies share what is long.
#[derive(Clone, Debug)]
pub struct Capacity {
    base: Base,
    /// The times in which it is up: from each first one to each second one, in order. The last one may be open.
    up: Arc<[(Time, Time)]>,
}

/// What the line would offer if it were always up.
#[derive(Clone, Debug)]
enum Base {
    /// Times, what was offered until then, and the rate from then on in bit/s. After the period of a trace they begin again.
    Rates { changes: Arc<[(u64, u128, u64)]>, period: Option<(u64, u128)> },
    /// Opportunities.
    Slots(Box<Slots>),
}

impl Capacity {
    /// Of all lanes of a scenario, two to a link.
    pub fn all(s: &Scenario, changes: &[Change]) -> Vec<Capacity> {
        let mut events = vec![Vec::new(); 2 * s.links.len()];
        // In the order in which they happen; a stable sort keeps that of the file at one instant.
        let mut order: Vec<usize> = (0..changes.len()).filter(|i| !changes[*i].lanes.is_empty()).collect();
        order.sort_by_key(|i| s.events[*i].at);
        for i in order {
            for lane in &changes[i].lanes {
                events[*lane].push((Time::ZERO + s.events[i].at, s.events[i].rate, s.events[i].up));
            }
        }
        let one = |(lane, events): (usize, &Vec<_>)| Capacity::new(s.links[lane / 2].rate.way(lane % 2 == 1), events);
        events.iter().enumerate().map(one).collect()
    }

    fn new(rate: &LineRate, events: &[(Time, Option<Rate>, Option<bool>)]) -> Capacity {
        let base = match (rate.slots(), rate.steps()) {
            (Some(slots), _) => Base::Slots(Box::new(slots)),
            (_, Some(steps)) => Base::of_steps(steps),
            _ => {
                let later = events.iter().filter_map(|(at, rate, _)| Some((at.as_ps(), (*rate)?.as_bps())));
                Base::of_rates(std::iter::once((0, rate.mean().as_bps())).chain(later), None)
            }
        };
        let mut up = vec![(Time::ZERO, Time::NEVER)];
        for (at, _, change) in events {
            match (change, up.last_mut()) {
                (Some(false), Some(last)) if last.1 == Time::NEVER => last.1 = *at,
                (Some(true), Some(last)) if last.1 != Time::NEVER => up.push((*at, Time::NEVER)),
                _ => {}
            }
        }
        Capacity { base, up: up.into() }
    }

    /// What the line has offered before `now`, in 10^-12 bits.
    pub fn before(&self, now: Time) -> u128 {
        let passed = self.up.iter().take_while(|(from, _)| *from < now);
        passed.map(|(from, until)| self.base.before((*until).min(now)) - self.base.before(*from)).sum()
    }

    /// The mean rate in bit/s that it offers from one time to a later one; 0 if that is the same time.
    pub fn mean_bps(&self, from: Time, until: Time) -> f64 {
        let (offered, span) = (self.before(until) - self.before(from), u128::from(until.since(from).as_ps()));
        if span == 0 {
            return 0.0;
        }
        // A constant rate comes out as it is.
        (offered / span) as f64 + (offered % span) as f64 / span as f64
    }
}

impl Base {
    fn of_steps(steps: &StepsParams) -> Base {
        let bps = |number| steps.rate(number).map_or(0, Rate::as_bps);
        let all = (0..steps.round()).map(|number| (steps.at(number).unwrap_or_default().as_ps(), bps(number)));
        Base::of_rates(all, steps.period.map(|period| period.as_ps()))
    }

    fn of_rates(rates: impl Iterator<Item = (u64, u64)>, period: Option<u64>) -> Base {
        let mut changes: Vec<(u64, u128, u64)> = Vec::new();
        for (at, bps) in rates {
            changes.push((at, until(changes.last(), at), bps));
        }
        let period = period.map(|period| (period, until(changes.last(), period)));
        Base::Rates { changes: changes.into(), period }
    }

    fn before(&self, now: Time) -> u128 {
        match self {
            Base::Slots(slots) => BYTE * slots.offered_before(now),
            Base::Rates { changes, period } => {
                let ps = now.as_ps();
                let (rounds, rest) = period.map_or((0, ps), |(length, _)| (ps / length, ps % length));
                let last = changes.partition_point(|(at, ..)| *at <= rest).checked_sub(1).map(|i| &changes[i]);
                u128::from(rounds) * period.map_or(0, |(_, whole)| whole) + until(last, rest)
            }
        }
    }
}

/// What is offered until `ps`, of which nothing changes after `last`.
fn until(last: Option<&(u64, u128, u64)>, ps: u64) -> u128 {
    last.map_or(0, |(at, offered, bps)| offered + u128::from(ps - at) * u128::from(*bps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Duration;
    use serde_json::{Value, json};

    fn ms(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    fn line(rate: &Value, events: &[(u64, Option<u64>, Option<bool>)]) -> Capacity {
        let rate = <LineRate as crate::link::OneWay>::read::<serde_json::Error>(rate.clone()).expect("a rate");
        let events: Vec<_> = events
            .iter()
            .map(|(at, bps, up)| (ms(*at), bps.map(|bps| Rate::from_bps(bps).expect("above zero")), *up))
            .collect();
        Capacity::new(&rate, &events)
    }

    fn mean(line: &Capacity, from: u64, until: u64) -> f64 {
        line.mean_bps(ms(from), ms(until))
    }

    #[test]
    fn a_constant_rate_is_that_rate_to_the_last_bit() {
        let line = line(&json!("1234567bit/s"), &[]);
        assert!(
            [(0, 1), (3, 17), (1000, 700_000)].iter().all(|(from, until)| mean(&line, *from, *until) == 1_234_567.0)
        );
    }

    #[test]
    fn events_change_it_and_take_it_down() {
        // 8 Mbit/s for 10 s, down for 5 s, within which it gets 2 Mbit/s, which it has from 15 s on; down again from 19 s on.
        let events = [(10_000, None, Some(false)), (12_000, Some(2_000_000), None), (15_000, None, Some(true))];
        let line = line(
            &json!("8Mbit/s"),
            &[events.as_slice(), &[(19_000, None, Some(false)), (19_500, None, Some(false))]].concat(),
        );
        let due = [(0, 10, 8e6), (5, 15, 4e6), (10, 15, 0.0), (10, 20, 0.8e6), (15, 19, 2e6), (19, 40, 0.0)];
        for (from, until, bps) in due {
            assert_eq!(mean(&line, 1000 * from, 1000 * until), bps, "{from} s to {until} s");
        }
    }

    #[test]
    fn steps_repeat_with_a_period_and_keep_the_last_rate_without() {
        let steps = json!([["0s", "8Mbit/s"], ["2s", "0bit/s"], ["3s", "4Mbit/s"]]);
        let repeated = line(&json!({"kind": "steps", "steps": steps, "period": "5s"}), &[]);
        let once = line(&json!({"kind": "steps", "steps": steps}), &[]);
        // A period has 16 + 0 + 8 Mbit.
        for (from, until, of_repeated, of_once) in
            [(0, 5, 4.8e6, 4.8e6), (1, 11, 4.8e6, 4e6), (2, 3, 0.0, 0.0), (5, 7, 8e6, 4e6), (4, 6, 6e6, 4e6)]
        {
            let got = (mean(&repeated, 1000 * from, 1000 * until), mean(&once, 1000 * from, 1000 * until));
            assert_eq!(got, (of_repeated, of_once), "{from} s to {until} s");
        }
    }

    #[test]
    fn opportunities_count_while_the_line_is_up_and_before_the_end() {
        let trace = json!({"kind": "mahimahi", "times": [1, 4, 4, 10], "bytes": "1000B"});
        let always = line(&trace, &[]);
        // Four of 8 kbit in 10 ms; from 4 ms to 11 ms those at 4, 4 and 10 ms.
        assert_eq!((mean(&always, 1, 10_001), mean(&always, 4, 11)), (3.2e6, 24e3 / 7e-3));
        // Down from 4 ms on until 10 ms: those at 4 ms are lost, that at 10 ms is not.
        let broken = line(&trace, &[(4, None, Some(false)), (10, None, Some(true))]);
        assert_eq!([4, 10, 11, 12].map(|at| broken.before(ms(at)) / (1000 * BYTE)), [1, 1, 2, 3]);
    }
}
