//! Constant bit rate: equally spaced packets; the ill-behaved source of the papers when it has no flow control.
//!
//! Source: Demers, Keshav and Shenker 1989, scenario 3. Deviations: none; the first packet arrives at the start.
//! - With `jitter` each packet is late by an independent random time, so that the order and the long-run rate stay what they are.
//! - With `spread` the times between packets are drawn independently of each other, so that packets move more and more out of step with the mean
//!   rate: the "UDP" of Stoica, Shenker and Zhang 1998, footnote 4.

use super::{Supply, Workload};
use headgate_packet::{Card, Check, Duration, Rate, Rng, Serialiser, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Equally spaced packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CbrParams {
    /// Rate of the source.
    pub rate: Rate,
    /// Each packet, the first one included, is late by a uniformly random time of at most this share of the time between two packets.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
    /// Each time between two packets is drawn independently, uniformly within this share of the mean below and above it: with 0.5 from 0.5 to 1.5
    /// times the mean.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub spread: f64,
}

impl Default for CbrParams {
    fn default() -> CbrParams {
        CbrParams { rate: Rate::from_bps(1_000_000).expect("not zero"), jitter: 0.0, spread: 0.0 }
    }
}

impl Check for CbrParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.jitter > 0.0 && self.spread > 0.0 {
            return Err(Wrong::at("spread", "expected 0 beside a jitter: packets are late or their times apart vary").found(&self.spread));
        }
        Ok(())
    }
}

impl CbrParams {
    /// The rate.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        self.rate.as_bps() as f64
    }
}

/// Equally spaced packets.
#[derive(Clone, Debug)]
pub struct Cbr(Source);

/// A source that draws is kept apart, so that one that does not takes no more memory.
#[derive(Clone, Debug)]
enum Source {
    Even { line: Serialiser, bytes: u32 },
    Uneven(Box<Uneven>),
    Drawn(Box<Drawn>),
}

#[derive(Clone, Debug)]
struct Uneven {
    line: Serialiser,
    bytes: u32,
    /// Maximum lateness of a packet.
    span: Duration,
    /// How late the next packet is; `None` before the first one.
    late: Option<Duration>,
}

/// Packets at independent random times apart.
#[derive(Clone, Debug)]
struct Drawn {
    line: Serialiser,
    bytes: u32,
    /// Maximum difference of a time from the mean.
    span: Duration,
}

impl Cbr {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["rate"], ..Card::of("Demers, Keshav and Shenker 1989, scenario 3") };

    /// The time until its next packet if each is exactly one gap after the one before; the packet of now is supplied.
    #[inline(always)]
    pub fn even(&mut self) -> Option<Duration> {
        if let Source::Even { line, bytes } = &mut self.0 { Some(line.transmit(*bytes)) } else { None }
    }

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &CbrParams, packet_bytes: u32) -> Cbr {
        let (line, bytes) = (Serialiser::new(params.rate), packet_bytes);
        // At most the shortest time between two packets: none is overtaken by the next.
        let gap = params.rate.transmission(bytes).0;
        let share = |of: f64| Duration::from_ps((gap.as_ps() as f64 * of) as u64).min(gap);
        let (late, span) = (share(params.jitter), share(params.spread));
        Cbr(if span > Duration::ZERO {
            Source::Drawn(Box::new(Drawn { line, bytes, span }))
        } else if late > Duration::ZERO {
            Source::Uneven(Box::new(Uneven { line, bytes, span: late, late: None }))
        } else {
            Source::Even { line, bytes }
        })
    }
}

impl Workload for Cbr {
    fn draws(&self) -> bool {
        !matches!(self.0, Source::Even { .. })
    }

    #[inline]
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        match &mut self.0 {
            Source::Even { line, bytes } => Supply { packets: 1, again: Some(line.transmit(*bytes)) },
            Source::Uneven(source) => source.supply(rng),
            Source::Drawn(source) => source.supply(rng),
        }
    }
}

impl Workload for Uneven {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let late = rng.uniform_duration(self.span);
        match self.late.replace(late) {
            None => Supply { packets: 0, again: Some(late) },
            Some(before) => Supply { packets: 1, again: Some(self.line.transmit(self.bytes) + late - before) },
        }
    }
}

impl Workload for Drawn {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let least = self.line.transmit(self.bytes) - self.span;
        Supply { packets: 1, again: Some(least + rng.uniform_duration(self.span + self.span)) }
    }
}
