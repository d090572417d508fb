//! The line of a replay: its rate is constant, or a link that was recorded, whose time begins with the first packet.

use headgate_packet::{Rate, Time};
use headgate_queue::line::{Frame, Gate};
use headgate_queue::{Port, line::Law};
use headgate_sim::link::LineRate;
use headgate_sim::link::rate::Spec;
use headgate_sim::link::rate::steps::StepsParams;

/// The rate of a line over time.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    steps: Option<StepsParams>,
    /// The number of the next step.
    number: u64,
    /// When it is.
    due: Time,
}

impl Line {
    /// The line before the first packet, and its port in that state.
    pub fn new(rate: &LineRate, port: &mut Port) -> Line {
        if let Some(slots) = rate.slots() {
            port.follow(Law { frame: Frame::default(), gate: Gate::Slots(slots) });
        }
        let steps = rate.steps().cloned();
        if steps.as_ref().is_some_and(|steps| steps.rate(0).is_none()) {
            port.set_up(false, Time::ZERO);
        }
        let mut line = Line { steps, number: 0, due: Time::NEVER };
        line.go_on();
        line
    }

    /// When the rate changes next.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }

    /// The change that is due: the rate from then on, or none while nothing is sent.
    pub fn change(&mut self) -> Option<Rate> {
        let rate = self.steps.as_ref().and_then(|steps| steps.rate(self.number));
        self.go_on();
        rate
    }

    fn go_on(&mut self) {
        self.number += 1;
        let next = self.steps.as_ref().and_then(|steps| steps.at(self.number));
        self.due = next.map_or(Time::NEVER, |at| Time::ZERO + at);
    }
}

/// Bits that a line may send from the first packet until a time; what may be sent at that instant counts.
pub(crate) fn offered(rate: &LineRate, until: Time) -> f64 {
    match rate {
        LineRate::Fixed(rate) => rate.as_bps() as f64 * until.as_secs_f64(),
        LineRate::Trace(Spec::Steps(steps)) => {
            let (mut bits, mut number) = (0.0, 0);
            while let Some(start) = steps.at(number).map(|at| Time::ZERO + at).filter(|start| *start < until) {
                let end = steps.at(number + 1).map_or(until, |at| (Time::ZERO + at).min(until));
                let bps = steps.rate(number).map_or(0, Rate::as_bps);
                bits += bps as f64 * end.since(start).as_secs_f64();
                number += 1;
            }
            bits
        }
        LineRate::Trace(Spec::Mahimahi(trace)) => {
            let times: Vec<u64> = trace.times.clone().into();
            let ms = 1_000_000_000;
            let round = times.last().map_or(ms, |last| last * ms);
            let rounds = if trace.looped { until.as_ps().saturating_sub(1) / round } else { 0 };
            let rest = times.partition_point(|at| at * ms <= until.as_ps() - rounds * round);
            (rounds as f64 * times.len() as f64 + rest as f64) * 8.0 * f64::from(trace.bytes.bytes())
        }
    }
}
