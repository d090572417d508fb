//! Constant bit rate: equally spaced packets; the ill-behaved source of the papers when it has no flow control.
//!
//! Source: Demers, Keshav and Shenker 1989, scenario 3. Deviations: none; the first packet comes at the start. With `jitter` each packet is late by a
//! random time of its own, so that their order and the rate in the long run stay what they are.

use super::{Supply, Workload};
use headgate_packet::{Check, Duration, Rate, Rng, Serialiser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Equally spaced packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CbrParams {
    /// Rate at which the source makes bits.
    pub rate: Rate,
    /// Each packet comes uniformly at random within this share of the time between two packets after it is due, the first one too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
}

impl Default for CbrParams {
    fn default() -> CbrParams {
        CbrParams { rate: Rate::from_bps(1_000_000).expect("not zero"), jitter: 0.0 }
    }
}

impl Check for CbrParams {}

impl CbrParams {
    /// The rate.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        self.rate.as_bps() as f64
    }
}

/// Equally spaced packets.
#[derive(Clone, Debug)]
pub struct Cbr {
    line: Serialiser,
    bytes: u32,
    jitter: Option<Box<Jitter>>,
}

#[derive(Clone, Debug)]
struct Jitter {
    /// Most that a packet is late.
    span: Duration,
    /// How late the next packet is; `None` before the first one.
    late: Option<Duration>,
}

impl Cbr {
    /// Where it was published.
    pub const SOURCE: &'static str = "Demers, Keshav and Shenker 1989, scenario 3";

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &CbrParams, packet_bytes: u32) -> Cbr {
        // The shortest time between two packets: none is overtaken by the next.
        let gap = params.rate.transmission(packet_bytes).0;
        let span = Duration::from_ps((gap.as_ps() as f64 * params.jitter) as u64).min(gap);
        let jitter = (span > Duration::ZERO).then(|| Box::new(Jitter { span, late: None }));
        Cbr { line: Serialiser::new(params.rate), bytes: packet_bytes, jitter }
    }
}

impl Workload for Cbr {
    #[inline]
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        match &mut self.jitter {
            None => Supply { packets: 1, again: Some(self.line.transmit(self.bytes)) },
            Some(jitter) => {
                let late = rng.uniform_duration(jitter.span);
                match jitter.late.replace(late) {
                    None => Supply { packets: 0, again: Some(late) },
                    Some(before) => Supply { packets: 1, again: Some(self.line.transmit(self.bytes) + late - before) },
                }
            }
        }
    }
}
