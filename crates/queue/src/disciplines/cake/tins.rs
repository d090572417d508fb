//! The tins of CAKE: which code point goes into which, what share each is promised, and what follows from its rate.

use crate::parts::{BlueSteps, CobaltRule};
use headgate_packet::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets are put into tins by their code point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Diffserv {
    /// One tin for all.
    Besteffort,
    /// Best effort, bulk (code points 1 and 8) and voice (4, 44, 46, 48 and 56).
    #[default]
    Diffserv3,
    /// Best effort, bulk, video (4, 16 to 38 without those that are odd or the class 1) and voice (32, 40, 44, 46, 48 and 56).
    Diffserv4,
    /// Eight tins, from the least urgent: background (1 and 8), high throughput (2, 10, 12 and 14), best effort, video (24 to 30 and 34 to 38,
    /// those that are even), low latency (4, 18, 20 and 22), shell (16), voice (32, 40, 44 and 46) and network (48 and 56).
    Diffserv8,
    /// Eight tins, by the upper three bits of the code point.
    Precedence,
}

/// A tin as the mode makes it: what part of the rate it is promised, as a numerator and a shift to the right, and its weight where no rate is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub rate: u64,
    pub weight: i64,
}

impl Diffserv {
    /// The tins at a rate in bytes per second; with 0 the rates are 0 too.
    pub fn parts(self, rate: u64) -> Vec<Part> {
        let of = |all: &[(u32, i64)]| {
            all.iter().map(|(shift, weight)| Part { rate: rate >> shift, weight: *weight }).collect()
        };
        match self {
            Diffserv::Besteffort => of(&[(0, 65_535)]),
            Diffserv::Diffserv3 => of(&[(0, 1024), (4, 64), (2, 256)]),
            Diffserv::Diffserv4 => of(&[(0, 1024), (4, 64), (1, 512), (2, 256)]),
            Diffserv::Diffserv8 | Diffserv::Precedence => {
                // Seven eighths, rounded down.
                let next = |part: &Part| {
                    Some(Part { rate: part.rate - part.rate.div_ceil(8), weight: (part.weight * 7) >> 3 })
                };
                std::iter::successors(Some(Part { rate, weight: 256 }), next).take(8).collect()
            }
        }
    }

    /// The tin of a code point; of a value that is none, that of best effort.
    pub fn tin(self, code_point: u8) -> usize {
        let code_point = if code_point < 64 { code_point } else { 0 };
        match self {
            Diffserv::Besteffort => 0,
            Diffserv::Precedence => usize::from(code_point >> 3),
            Diffserv::Diffserv3 => match code_point {
                1 | 8 => 1,
                4 | 44 | 46 | 48 | 56 => 2,
                _ => 0,
            },
            Diffserv::Diffserv4 => match code_point {
                1 | 8 => 1,
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                _ => 0,
            },
            // Some kernels after that which knew code point 1 had 8 in tin 1, by mistake.
            Diffserv::Diffserv8 => match code_point {
                1 | 8 => 0,
                2 | 10 | 12 | 14 => 1,
                24 | 26 | 28 | 30 | 34 | 36 | 38 => 3,
                4 | 18 | 20 | 22 => 4,
                16 => 5,
                32 | 40 | 44 | 46 => 6,
                48 | 56 => 7,
                _ => 2,
            },
        }
    }
}

/// The longest packet that is reckoned with, in bytes.
pub const LONGEST: u32 = 1514;
/// The least rate, in bytes per second.
const SLOWEST: u64 = 64;

/// What follows from the rate of a tin (`cake_set_rate`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived {
    /// The rate; none if it is not limited.
    pub rate: Option<Rate>,
    /// Bytes that a queue gets in each turn.
    pub quantum: u64,
    /// What its queues are held to.
    pub rule: CobaltRule,
}

impl Derived {
    /// Of a rate in bytes per second, 0 for none.
    pub fn new(rate: u64, target: Duration, rtt: Duration) -> Derived {
        let quantum = if rate == 0 { u64::from(LONGEST) } else { (rate >> 12).clamp(300, u64::from(LONGEST)) };
        let rate = if rate == 0 { None } else { Rate::from_bps(rate.max(SLOWEST).saturating_mul(8)) };
        let packet_time = rate.map_or(Duration::ZERO, |rate| rate.transmission(LONGEST).0);
        let own = target.max(Duration::from_ps(packet_time.as_ps() / 2 * 3));
        let interval = (rtt + own - target).max(own * 2);
        let blue = BlueSteps { increment: 1.0 / 256.0, decrement: 1.0 / 4096.0, freeze: own };
        Derived { rate, quantum, rule: CobaltRule { target: own, interval, packet_time, blue } }
    }

    /// How long the tin is charged for this number of bytes.
    #[inline]
    pub fn time(&self, bytes: u32) -> Duration {
        self.rate.map_or(Duration::ZERO, |rate| rate.transmission(bytes).0)
    }
}
