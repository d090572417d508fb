//! Stochastic Fair BLUE: packets are dropped or marked with the probability of the bins that their conversation is hashed into, and conversations that
//! do not answer share a fixed rate.
//!
//! Source: Feng, Kandlur, Saha and Shin 2001, "Stochastic Fair Blue: a queue management algorithm for enforcing fairness"; Linux's `sch_sfb`, whose
//! defaults are the defaults here. The paper was not at hand: its algorithm is recalled; Linux's is known from descriptions and
//! excerpts. The bins are in `parts/bins.rs`.
//!
//! Deviations: those of the part, and
//! - One SFB serves all queues of a port: a bin counts what waits at the port.
//! - A packet is dropped because its bins are full where all of them hold `max` (as in Linux; in the paper, where one of them is full).
//! - A probability changes with each packet that arrives, without a pause (as in Linux).
//! - With `mark` a packet that can be marked is dropped all the same with probability 2 (p - 1/2), where p is above a half (as in Linux).
//! - The penalty box is a bucket of tokens that fills all the time; Linux fills it only when it is empty.
//! - Nothing is drawn while the probability is zero.
//!
//! State per conversation: none. A number of a conversation gives its bins, so that none is ever as a new one.

use super::{Aqm, Queue, Verdict};
use crate::explain::numbers;
use crate::parts::{Account, Bins, BinsLaw};
use crate::{Backlog, Cx, Does, DropReason, Dropped, LinkInfo, Look, Number, Tell};
use headgate_packet::{Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stochastic Fair BLUE: BLUE in bins of conversations. Packets are dropped or marked with the least probability of the bins that their conversation
/// is hashed into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SfbParams {
    /// Levels: how many bins each conversation has.
    #[schemars(range(min = 1, max = 32))]
    pub levels: u32,
    /// Bins of a level.
    #[schemars(range(min = 1, max = 4096))]
    pub bins: u32,
    /// Packets in a bin from which on its probability rises.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub bin_size: u32,
    /// Packets that all bins of a conversation may hold.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max: u32,
    /// What a packet that finds `bin_size` packets in a bin adds to its probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub increment: f64,
    /// What a packet that finds a bin empty takes off its probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrement: f64,
    /// Packets per second that conversations which do not answer may send together: those of which every packet would be chosen.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub penalty_rate: f64,
    /// Packets that they may send at once.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub penalty_burst: u32,
    /// After this time the conversations are hashed into other bins; 0 for never.
    pub rehash: Duration,
    /// For this time before that, the bins to come are prepared with the conversations that do not answer.
    pub warm_up: Duration,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
}

impl Default for SfbParams {
    fn default() -> SfbParams {
        SfbParams {
            levels: 8,
            bins: 16,
            bin_size: 20,
            max: 25,
            increment: 66.0 / 65_536.0,
            decrement: 11.0 / 65_536.0,
            penalty_rate: 10.0,
            penalty_burst: 20,
            rehash: Duration::from_secs(600),
            warm_up: Duration::from_secs(60),
            mark: false,
        }
    }
}

impl Check for SfbParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.max < self.bin_size {
            return Err(Wrong::at("max", format!("expected at least bin_size, {}", self.bin_size)).found(&self.max));
        }
        if self.rehash > Duration::ZERO && self.warm_up >= self.rehash {
            return Err(Wrong::at("warm_up", format!("expected less than rehash, {}", self.rehash)).found(&self.warm_up));
        }
        Ok(())
    }
}

impl SfbParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// What conversations that do not answer may still send: a bucket of tokens, kept as the time at which it is full.
#[derive(Clone, Copy, Debug)]
struct PenaltyBox {
    /// Time for a token; none if no packet passes.
    token: Option<u64>,
    /// Time for all tokens but one.
    burst: u64,
    full: u64,
}

impl PenaltyBox {
    fn new(rate: f64, burst: u32) -> PenaltyBox {
        let token = (rate > 0.0).then(|| (1e12 / rate) as u64);
        PenaltyBox { token, burst: token.unwrap_or(0).saturating_mul(u64::from(burst) - 1), full: 0 }
    }

    /// How long it takes until a packet passes, in picoseconds; nothing if none ever does.
    fn wait(&self, now: Time) -> Option<u64> {
        self.token.map(|_| self.full.saturating_sub(now.as_ps()).saturating_sub(self.burst))
    }

    /// Whether a packet passes.
    fn passes(&mut self, now: Time) -> bool {
        let passes = self.wait(now) == Some(0);
        if passes {
            self.full = self.full.max(now.as_ps()).saturating_add(self.token.unwrap_or(0));
        }
        passes
    }
}

/// What is to become of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Its bins are full.
    Full,
    /// Its conversation does not answer: it goes through the penalty box.
    Penalty,
    /// It is chosen with this probability.
    Chance(f64),
}

/// Stochastic Fair BLUE.
#[derive(Clone, Debug)]
pub struct Sfb {
    bins: Bins,
    max: u32,
    penalty: PenaltyBox,
    mark: bool,
}

numbers! {
    /// Packets in the emptiest of the bins into which the packet's conversation is hashed.
    BinPackets("bin_packets", Packets),
    /// Packets that all bins of a conversation may hold.
    BinLimit("bin_limit", Packets),
    /// Time until a packet of a conversation that does not answer may pass.
    PenaltyWait("penalty_wait", Seconds),
}

impl Sfb {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"increment": 0.25, "decrement": 0.125, "levels": 2, "bins": 3, "bin_size": 1, "max": 3, "penalty_rate": 2.0, "penalty_burst": 2, "rehash": "2s", "warm_up": "700ms"}"#,
        ],
        main: &["mark", "bin_size", "penalty_rate"],
        says: &[include_str!("sfb.says")],
        remembers: &[Memory::of("its number, which gives the bins", Memory::NEVER)],
        ..Card::of("Feng, Kandlur, Saha and Shin 2001; Linux, sch_sfb")
    };

    /// No queue yet.
    pub fn new(params: &SfbParams, _link: &LinkInfo) -> Sfb {
        let SfbParams { levels, bins, bin_size, max, increment, decrement, penalty_rate, penalty_burst, mark, .. } = *params;
        let (rehash, warm_up) = (params.rehash.as_ps(), params.warm_up.as_ps());
        let law = BinsLaw { levels, bins, bin_size, increment, decrement, rehash, warm_up };
        Sfb { bins: Bins::new(law), max, penalty: PenaltyBox::new(penalty_rate, penalty_burst), mark }
    }

    /// What is to become of a packet of which its bins say this.
    fn rule(&self, found: Account) -> Rule {
        if found.held >= self.max {
            Rule::Full
        } else if found.probability >= 1.0 {
            Rule::Penalty
        } else {
            Rule::Chance(found.probability)
        }
    }

    fn verdict(&mut self, packet: &Packet, rule: Rule, cx: &mut Cx<'_>) -> Verdict {
        match rule {
            Rule::Full => Verdict::Drop(DropReason::OverShare),
            Rule::Penalty => {
                self.bins.on_unresponsive(packet.flow, packet.arrived);
                if self.penalty.passes(cx.now) { Verdict::Pass } else { Verdict::Drop(DropReason::Penalty) }
            }
            Rule::Chance(p) => {
                let number = if p > 0.0 { cx.rng.uniform() } else { 1.0 };
                if number >= p {
                    Verdict::Pass
                } else if self.mark && packet.ecn.is_capable() && number >= 2.0 * (p - 0.5) {
                    Verdict::Mark
                } else {
                    Verdict::Drop(DropReason::Random)
                }
            }
        }
    }
}

impl Aqm for Sfb {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const NUMBERS: &'static [Number] = NUMBERS;
    const PER_CONVERSATION: bool = true;
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, _queues: &[Backlog], _now: Time) {}

    fn on_arrival(&mut self, packet: &Packet, _queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let found = self.bins.on_arrival(packet.flow, packet.arrived);
        let rule = self.rule(found);
        let verdict = self.verdict(packet, rule, cx);
        if !matches!(verdict, Verdict::Drop(_)) {
            self.bins.add(packet.flow, packet.arrived, packet.handle, rule != Rule::Penalty);
        }
        verdict
    }

    fn on_removed(&mut self, gone: &Dropped, _queue: usize) {
        self.bins.remove(gone.flow, gone.arrived, gone.handle);
    }

    fn on_departure(&mut self, packet: &Packet, _queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        self.bins.remove(packet.flow, packet.arrived, packet.handle);
        Verdict::Pass
    }

    fn never_forgets(&self, _own: bool) -> bool {
        true
    }

    fn has_forgotten(&self, _flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        false
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("max_probability", self.bins.most());
    }

    fn explain_arrival(&self, packet: &Packet, _queue: Queue, look: &Look, tell: Tell<'_>) {
        let found = self.bins.look(packet.flow, look.now);
        tell(Number::BinPackets, f64::from(found.held));
        tell(Number::BinLimit, f64::from(self.max));
        tell(Number::BaseProbability, found.probability);
        match self.rule(found) {
            Rule::Full => tell(Number::Probability, 1.0),
            Rule::Penalty => {
                let wait = self.penalty.wait(look.now);
                tell(Number::PenaltyWait, wait.map_or(f64::INFINITY, |ps| Duration::from_ps(ps).as_secs_f64()));
                tell(Number::Probability, if wait == Some(0) { 0.0 } else { 1.0 });
            }
            Rule::Chance(p) => tell(Number::Probability, p),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_box_by_hand() {
        // Ten tokens in a second and a burst of three: three at once, then one in each 100 ms.
        let ms = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        let mut penalty = PenaltyBox::new(10.0, 3);
        let passes = [0, 0, 0, 0, 99, 100, 100, 199, 350, 350, 400].map(|at| penalty.passes(ms(at)));
        assert_eq!(passes, [true, true, true, false, false, true, false, false, true, true, true]);
        assert_eq!(penalty.wait(ms(400)), Some(100_000_000_000));
        assert_eq!(penalty.wait(ms(450)), Some(50_000_000_000));
        // It is full again, and no fuller.
        let passes = [9000; 4].map(|at| penalty.passes(ms(at)));
        assert_eq!(passes, [true, true, true, false]);
    }

    #[test]
    fn no_rate_lets_none_pass_and_any_rate_some() {
        let end = Time::from_ps(u64::MAX - 1);
        assert!(!PenaltyBox::new(0.0, 20).passes(end));
        for rate in [1e-300, 1e-6, 1e9] {
            let mut penalty = PenaltyBox::new(rate, 1_000_000);
            assert!((0..1000).all(|_| penalty.passes(end) || rate < 1.0), "{rate}");
        }
        let mut penalty = PenaltyBox::new(1e-300, 1);
        assert!(penalty.passes(Time::ZERO) && !penalty.passes(end));
    }
}
