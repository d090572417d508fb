//! Scheduled background traffic: a constant rate that is on and off by a fixed timetable, on first.
//!
//! Source: Keshav 1991, section 6.4, scenario 3 (on 300 s, off 300 s, on 300 s). Deviations: none.

use super::{Supply, Workload};
use headgate_packet::{Card, Check, Duration, Rate, Rng, Serialiser, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A constant rate that is on and off by a timetable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackgroundParams {
    /// Rate while on.
    pub rate: Rate,
    /// Lengths of the on and off times in turn, on first; the source stays silent after the last one.
    pub schedule: Vec<Duration>,
}

impl Default for BackgroundParams {
    fn default() -> BackgroundParams {
        BackgroundParams {
            rate: Rate::from_bps(1_000_000).expect("not zero"),
            schedule: vec![Duration::from_secs(300); 3],
        }
    }
}

impl Check for BackgroundParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.schedule.is_empty() {
            return Err(Wrong::at("schedule", "expected at least one time").found(&self.schedule));
        }
        Ok(())
    }
}

impl BackgroundParams {
    /// The rate while it is on: what it can claim then.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        self.rate.as_bps() as f64
    }
}

/// A constant rate by timetable.
#[derive(Clone, Debug)]
pub struct Background(Box<State>);

#[derive(Clone, Debug)]
struct State {
    line: Serialiser,
    bytes: u32,
    /// The rest of the timetable, and the time since its first entry began.
    schedule: std::collections::VecDeque<Duration>,
    elapsed: Duration,
}

impl Background {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["rate"], ..Card::of("Keshav 1991, section 6.4, scenario 3") };

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &BackgroundParams, packet_bytes: u32) -> Background {
        Background(Box::new(State {
            line: Serialiser::new(params.rate),
            bytes: packet_bytes,
            schedule: params.schedule.iter().copied().collect(),
            elapsed: Duration::ZERO,
        }))
    }
}

impl Workload for Background {
    fn draws(&self) -> bool {
        false
    }

    fn supply(&mut self, _: &mut Rng) -> Supply {
        let state = &mut self.0;
        let Some(&on) = state.schedule.front() else { return Supply { packets: 0, again: None } };
        let gap = state.line.transmit(state.bytes);
        state.elapsed = state.elapsed + gap;
        if state.elapsed < on {
            return Supply { packets: 1, again: Some(gap) };
        }
        // The next packet belongs to the next on time: wait for the rest of this one and the whole off time.
        let rest = on - (state.elapsed - gap);
        state.schedule.pop_front();
        let off = state.schedule.pop_front();
        state.elapsed = Duration::ZERO;
        Supply { packets: 1, again: off.filter(|_| !state.schedule.is_empty()).map(|off| rest + off) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_and_off_by_the_timetable() {
        let params = BackgroundParams { rate: "40kbit/s".parse().unwrap(), ..BackgroundParams::default() };
        let mut source = Background::new(&params, 1000);
        let (mut rng, mut now, mut times) = (Rng::new(0, 0, "x"), 0.0, Vec::new());
        loop {
            let supply = source.supply(&mut rng);
            times.extend((0..supply.packets).map(|_| now));
            let Some(gap) = supply.again else { break };
            now += gap.as_secs_f64();
        }
        // 5 packets/s: 1500 in [0, 300) and 1500 in [600, 900).
        assert_eq!(times.iter().filter(|t| **t < 300.0 - 1e-6).count(), 1500);
        assert_eq!(times.iter().filter(|t| **t >= 600.0 - 1e-6 && **t < 900.0 - 1e-6).count(), 1500);
        assert_eq!(times.len(), 3000);
    }
}
