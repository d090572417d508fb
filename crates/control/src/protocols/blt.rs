//! BLT, the bandwidth-latency tradeoff: all data is sent at once, in windows of growing size and falling priority.
//!
//! Source: Kim and Farber 1994, sections 3.3.1 and 3.3.3.
//! - A burst begins with packet p; its windows hold `|W_k|` packets, and all packets of window k carry the priority number k; 0 is the highest.
//! - Switches that discard low priority first (the discipline `blt`) accept as many windows as they can.
//! - A loss of packet n begins a new burst at n, even while the old one is being sent.
//! - With `reset_on_submit`, new data is a burst of its own; data submitted before keeps its priorities until a loss (section 3.3.3).
//! - With `marks = "urgent"` all packets have the highest priority: the abusive source of section 3.3.4.
//! - With `marks = "rates"` the stream carries many rates in place of many windows, as section 5.2.1 asks for.
//!
//! Deviations:
//! - What the paper leaves open of timer, old duplicates and retransmission is in `transport/basic/line.rs` and `transport/basic/stamped.rs`; the
//!   options `count_old`, `skip_received` and `shift_on_ack` are the other readings.
//! - gamma^k is rounded to the nearest whole number, half up, and at least 1 (the paper has gamma = 2 only).
//! - Priority numbers end at 255, or with `bits` at 2^bits - 1: all later packets have the last one.
//! - Without `reset_on_submit` data that is submitted later belongs to the burst that is under way, as in the paper's simulations, which have files only.
//! - Section 5.2.1 has no rule for several rates in one stream; this one is ours. All packets of priority k and better are every 2^(last - k)-th packet of
//!   the burst, so that they are a stream of 2^-(last - k) of the line's rate, and a switch that discards the worst priorities takes the fastest of these streams
//!   that it can carry. Rates are a factor of two apart, whatever `windows` says. Losses begin new bursts as with windows.
//!
//! State per flow: that of the transport, the ends of the windows if gamma is not 2, and with `reset_on_submit` where data begins that is not yet sent.

use crate::transport::basic::line;
use crate::transport::{Config, check_timer};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Rate, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the windows of a burst grow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Windows {
    /// Each window is larger than the one before by this factor; above 1, at most 16.
    Geometric(f64),
    /// Each window has this number of packets more than the one before; at least 1, at most 1000000.
    Additive(u32),
}

impl Windows {
    /// Packets of window `k`; saturating.
    ///
    /// ```
    /// use headgate_control::protocols::blt::Windows;
    /// assert_eq!([0, 1, 5].map(|k| Windows::Geometric(2.0).size(k)), [1, 2, 32]);
    /// assert_eq!([0, 1, 2].map(|k| Windows::Geometric(1.5).size(k)), [1, 2, 2]);
    /// assert_eq!([0, 1, 5].map(|k| Windows::Additive(4).size(k)), [1, 5, 21]);
    /// ```
    pub fn size(self, k: u32) -> u64 {
        match self {
            Windows::Geometric(gamma) => ((libm::pow(gamma, f64::from(k)) + 0.5).floor() as u64).max(1),
            Windows::Additive(alpha) => 1 + u64::from(k) * u64::from(alpha),
        }
    }
}

/// What the priorities of a burst say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Marks {
    /// Which window a packet belongs to.
    #[default]
    Windows,
    /// Which rate it belongs to: each rate is half of the next one, and the last one is that of the line.
    Rates,
    /// Nothing: an abusive source gives all its packets the highest priority.
    Urgent,
}

/// All data is sent at once, in windows of falling priority. The windows grow, and the rate is that of the source's own link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BltParams {
    /// Rate of the source's own link: a packet is sent when the one before has left. Its transmission time belongs to the delay of the first link.
    pub line: Rate,
    /// How the windows grow: `{ geometric = 2.0 }` or `{ additive = 1 }`.
    pub windows: Windows,
    /// Bits of a priority number, which then ends at 2^bits - 1; with 8, at 255.
    #[schemars(range(min = 1, max = 8))]
    pub bits: u8,
    /// Timeout until the first round trip is known.
    pub initial_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
    /// The timeout is the smoothed round trip and this many mean deviations.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub deviations: f64,
    /// Duplicates caused by packets of an older burst begin a new burst, too.
    pub count_old: bool,
    /// Packets known to have arrived are not sent again.
    pub skip_received: bool,
    /// Windows are counted from the oldest packet not acknowledged, not from where the burst began.
    pub shift_on_ack: bool,
    /// What the priorities say: `windows`, `rates`, or `urgent` for a source that gives all its packets the highest one.
    pub marks: Marks,
    /// New data of the workload begins with the highest priority; data submitted before keeps its priorities until a loss.
    pub reset_on_submit: bool,
}

impl Default for BltParams {
    fn default() -> BltParams {
        BltParams {
            line: Rate::from_bps(150_000_000).expect("above zero"),
            windows: Windows::Geometric(2.0),
            bits: 8,
            initial_timeout: Duration::from_secs(1),
            max_timeout: Duration::from_secs(3600),
            deviations: 4.0,
            count_old: false,
            skip_received: false,
            shift_on_ack: false,
            marks: Marks::Windows,
            reset_on_submit: false,
        }
    }
}

impl Check for BltParams {
    fn check(&self) -> Result<(), Wrong> {
        match self.windows {
            Windows::Geometric(gamma) if !(gamma > 1.0 && gamma <= 16.0) => {
                return Err(Wrong::at("windows.geometric", "expected a number above 1, at most 16").found(&gamma));
            }
            Windows::Additive(alpha) if !(1..=1_000_000).contains(&alpha) => {
                return Err(Wrong::at("windows.additive", "expected a number from 1 to 1000000").found(&alpha));
            }
            _ => {}
        }
        check_timer("initial_timeout", self.initial_timeout, Duration::ZERO, self.max_timeout)
    }
}

impl BltParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = line::Rules {
            count_old: self.count_old,
            skip_received: self.skip_received,
            shift_on_ack: self.shift_on_ack,
            reset_on_submit: self.reset_on_submit,
            ..line::Rules::new(self.line, line::Repair::Burst)
        };
        rules.config(self.initial_timeout, self.max_timeout, self.deviations)
    }
}

/// A burst of windows.
#[derive(Clone, Debug)]
pub struct Blt {
    /// Maximum priority number.
    last: u8,
    /// One above the offset of the last packet of each window but the last; nothing where gamma is 2.
    ends: Option<Box<[u64]>>,
    marks: Marks,
}

impl Blt {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Kim and Farber 1994, section 3.3");

    /// A source before its first packet.
    pub fn new(params: &BltParams) -> Blt {
        let last = ((1u16 << params.bits.min(8)) - 1) as u8;
        let sizes = (0..u32::from(last)).scan(0u64, |end, k| {
            *end = end.saturating_add(params.windows.size(k));
            Some(*end)
        });
        Blt { last, marks: params.marks, ends: (params.windows != Windows::Geometric(2.0)).then(|| sizes.collect()) }
    }

    /// The priority number of a packet, from its distance in packets to the first one of the burst.
    ///
    /// ```
    /// use headgate_control::protocols::blt::{Blt, BltParams};
    /// let blt = Blt::new(&BltParams::default());
    /// assert_eq!([0, 1, 2, 3, 6, 7, 199].map(|offset| blt.number(offset)), [0, 1, 1, 2, 2, 3, 7]);
    /// ```
    pub fn number(&self, offset: u64) -> u8 {
        let window = match (self.marks, &self.ends) {
            (Marks::Urgent, _) => 0,
            // Every 2^n-th packet has n zeros at the end; the first one has 64, more than there are priorities.
            (Marks::Rates, _) if offset == 0 => 0,
            (Marks::Rates, _) => u64::from(self.last).saturating_sub(offset.trailing_zeros().into()),
            (Marks::Windows, None) => u64::from((offset.saturating_add(1)).ilog2()),
            (Marks::Windows, Some(ends)) => ends.partition_point(|end| *end <= offset) as u64,
        };
        window.min(u64::from(self.last)) as u8
    }
}

impl FlowControl for Blt {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn allowance(&self) -> Allowance {
        Allowance::window(u64::MAX)
    }
    fn priority(&self, offset: u64) -> Option<u8> {
        Some(self.number(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blt(windows: Windows) -> Blt {
        Blt::new(&BltParams { windows, ..BltParams::default() })
    }

    const PRIORITIES: &str = include_str!("../../tests/kim1994/priorities.csv");
    const FILES: &str = include_str!("../../tests/kim1994/file_windows.csv");

    #[test]
    fn offsets_have_the_priorities_of_the_sheet() {
        use Windows::{Additive, Geometric};
        let all = [Geometric(2.0), Geometric(3.0), Geometric(1.5), Additive(1), Additive(4)].map(blt);
        let mut checked = 0;
        for row in PRIORITIES.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let offset = cells[0].parse().expect("an offset");
            for (source, cell) in all.iter().zip(&cells[1..]).filter(|(_, cell)| !cell.is_empty()) {
                assert_eq!(source.number(offset).to_string(), *cell, "{row}");
                checked += 1;
            }
        }
        assert_eq!(checked, 123);
    }

    #[test]
    fn files_have_the_windows_of_the_sheet() {
        let source = blt(Windows::Geometric(2.0));
        for row in FILES.lines().skip(1) {
            let cells: Vec<u64> = row.split(',').map(|c| c.parse().expect("a number")).collect();
            let numbers: Vec<u8> = (0..cells[0]).map(|offset| source.number(offset)).collect();
            let last = *numbers.last().expect("a packet");
            let in_last = numbers.iter().filter(|n| **n == last).count() as u64;
            let full = Windows::Geometric(2.0).size(u32::from(last));
            assert_eq!(vec![cells[0], last.into(), u64::from(last) + 1, in_last, full], cells);
        }
    }

    #[test]
    fn four_bits_tell_65535_packets_apart() {
        let source = Blt::new(&BltParams { bits: 4, ..BltParams::default() });
        assert_eq!([32766, 32767, 65534, 65535, 1 << 30].map(|o| source.number(o)), [14, 15, 15, 15, 15]);
    }

    proptest! {
        /// Whatever follows the first packet of a burst: of each 2^n packets in a row one belongs to the stream of 2^-n of the line's rate or a slower one.
        #[test]
        fn each_rate_is_half_of_the_next(from in 1..1_000_000u64, n in 0..8u32, bits in 4..9u8) {
            let source = Blt::new(&BltParams { marks: Marks::Rates, bits, ..BltParams::default() });
            let worst = ((1u32 << bits) - 1 - n) as u8;
            let found: Vec<u64> = (from..from + (4 << n)).filter(|o| source.number(*o) <= worst).collect();
            prop_assert_eq!(found.len(), 4);
            prop_assert!(found.windows(2).all(|pair| pair[1] - pair[0] == 1 << n));
            prop_assert_eq!(source.number(0), 0);
        }

        #[test]
        fn an_abusive_source_has_one_priority(offset: u64) {
            prop_assert_eq!(Blt::new(&BltParams { marks: Marks::Urgent, ..BltParams::default() }).number(offset), 0);
        }

        #[test]
        fn each_window_has_its_size_and_its_number(gamma in 1.01..4.0f64, alpha in 1..50u32, additive: bool) {
            let windows = if additive { Windows::Additive(alpha) } else { Windows::Geometric(gamma) };
            let (source, mut counts) = (blt(windows), [0u64; 256]);
            (0..5000).for_each(|offset| counts[usize::from(source.number(offset))] += 1);
            let last = source.number(4999);
            for k in 0..last {
                prop_assert_eq!(counts[usize::from(k)], windows.size(k.into()), "window {}", k);
            }
            prop_assert!(last == 255 || counts[usize::from(last)] <= windows.size(last.into()));
        }

        #[test]
        fn twice_the_packets_are_one_window_more(k in 0..60u32) {
            // |W'_0| + ... + |W'_k| = 2^(k + 1) - 1.
            let source = blt(Windows::Geometric(2.0));
            let ends = [(1u64 << k) - 1, (1 << (k + 1)) - 2];
            prop_assert_eq!(ends.map(|offset| source.number(offset)), [k as u8; 2]);
        }
    }
}
