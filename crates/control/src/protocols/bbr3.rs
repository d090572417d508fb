//! BBR version 3: sends at the rate that the path delivered, probes for more now and then, and keeps what is in flight below where losses began.
//!
//! Source: draft-ietf-ccwg-bbr, editor's copy of 2026-08-03, whose sections are cited by their titles.
//! Deviations:
//! - Packets are counted, not bytes. `inflight_longterm` is a number of whole packets, as in Linux: what is in flight could not reach a part of one.
//! - Without a handshake the round trip of the start comes from the first packets: the initial pacing rate is computed again then.
//! - A host hands each packet to the line by itself, at the pacing rate. The send quantum counts in the offload budget alone.
//! - The random waits are drawn at each round trip of the transport, the rounds first, and a cycle takes those drawn last.
//! - An acknowledgement without a rate sample (its interval is below the least round trip) tells nothing of rounds, rates and losses.
//! - Losses of 2 % count as where blocks report which packets arrived, whatever the transport's recovery is.
//! - Packets carry no marks, since the draft specifies no response. A mark, if one came, would count as a loss in its round.
//! - A cycle in which no rate was measured does not move the filter of the maximum on, as in Linux.
//!
//! Where the draft leaves something open or contradicts itself:
//! - Losses end start-up by `full_bw_reached` alone ("Exiting Startup Based on Packet Loss"), not by `full_bw_now` too (the example test cases).
//! - `inflight_longterm` stays as it is after losses of a source that lacked data (HandleInflightTooHigh, against the example test cases).
//! - RS.lost of an acknowledgement is what was declared lost since the newest packet that it delivers was sent.
//! - The state for an undo is saved with the first loss of a round (NoteLoss). An episode that begins with that loss does not save it again, or what the
//!   loss did would be saved.
//! - "Fully utilized C.cwnd in the last round trip": a packet filled the window, and not more was delivered since than was in flight then.
//! - `inflight_longterm` bounds no window of Drain (BoundCwndForModel, against the table in "Updating Control Parameters").
//! - A precautionary probe ends when the bound was in flight before an acknowledgement, as in Linux: after it less is, since the bound is the window, too.
//! - A restart from idle paces with the margin of 1 % (SetPacingRateWithGain), not at exactly the rate (the text).
//!
//! State per flow: some rates, bounds and times.

mod cycle;
mod least_rtt;
mod model;
mod params;
mod window;

use crate::parts::greatest::Greatest;
use crate::parts::small_window::SmallWindow;
use crate::transport::tcp::{RateSample, Sent};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Duration, Rng, Time};
pub use params::Bbr3Params;

/// What it is doing: the states of the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl Phase {
    /// Whether it is one of the states ProbeBW.
    fn probes_bw(self) -> bool {
        matches!(self, Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up)
    }

    /// Whether it accelerates, so that losses are taken for the probe's own (IsProbingBW).
    fn accelerates(self) -> bool {
        matches!(self, Phase::Startup | Phase::Refill | Phase::Up)
    }
}

/// What acknowledgements say of a probe for bandwidth (ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Minimum window (MinPipeCwnd).
const LEAST: f64 = 4.0;
/// Share of the rate at which packets are sent (PacingMarginPercent).
const MARGIN: f64 = 0.99;
/// Growth that shows that the path is not yet full, and rounds without it that show that it is.
const GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Ranges of packets lost in a round that end start-up (StartupFullLossCnt).
const FULL_RANGES: u32 = 6;
/// Rounds after which draining ends anyhow.
const DRAIN_ROUNDS: u64 = 3;
/// Rounds over which aggregated acknowledgements are remembered (ExtraAckedFilterLen), and in start-up.
const EXTRA_ROUNDS: (u64, u64) = (10, 1);

/// What is restored after a spurious loss.
#[derive(Clone, Copy, Debug)]
struct Undo {
    /// Start-up or the probe that the loss ended.
    phase: Option<Phase>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

/// The estimator of a full pipe.
#[derive(Clone, Copy, Debug, Default)]
struct Full {
    bw: f64,
    rounds: u32,
    now: bool,
    /// Once so, until an undo.
    reached: bool,
}

/// The variables of the draft, under their names where those say what they are. Volumes are packets, rates packets a second.
#[derive(Clone, Debug)]
struct State {
    params: Bbr3Params,
    phase: Phase,
    ack_phase: AckPhase,
    begun: bool,
    initial: f64,
    cwnd: f64,
    prior_cwnd: f64,
    pacing: f64,
    seen_rtt: bool,
    /// C.delivered and C.lost.
    delivered: u64,
    lost: u64,
    /// `next_round_delivered`, `round_start` and `round_count`.
    round_end: u64,
    round_start: bool,
    rounds: u64,
    /// The greatest rate of the cycle before this one and of this one.
    max_bw: [f64; 2],
    bw: f64,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    bw_latest: f64,
    inflight_latest: f64,
    loss_round_end: u64,
    loss_round_start: bool,
    is_loss_in_round: bool,
    /// Ranges of packets lost in this round, and the packet lost last.
    loss_ranges: u32,
    last_lost: Option<u64>,
    /// When a packet was declared lost last.
    loss_at: Option<Time>,
    /// A loss is being repaired, and that in fast recovery; and with how many packets delivered it began.
    repairing: bool,
    recovering: bool,
    repair_began: u64,
    undo: Undo,
    full: Full,
    drain_start_round: u64,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    rounds_since_probe_up: u64,
    bw_probe_wait: Duration,
    cycle_stamp: Time,
    /// Drawn last: rounds of the next wait that count as over, and the part of the time that chance adds.
    dice: (u64, f64),
    /// Until this number of packets is delivered, the window was fully used within a round trip.
    used_until: u64,
    /// None before the first round trip.
    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    small_window: SmallWindow,
    extra_acked_start: Time,
    extra_acked_delivered: f64,
    extra_acked: Greatest,
}

/// Model-based rate control with bounds by losses.
#[derive(Clone, Debug)]
pub struct Bbr3(State);

impl Bbr3 {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "bbr", aliases: &["bbr", "bbrv3"], ..Card::of("draft-ietf-ccwg-bbr") };

    /// A source before its first packet.
    pub fn new(params: &Bbr3Params) -> Bbr3 {
        let unset = f64::INFINITY;
        Bbr3(State {
            params: params.clone(),
            phase: Phase::Startup,
            ack_phase: AckPhase::Init,
            begun: false,
            initial: 1.0,
            cwnd: 1.0,
            prior_cwnd: 0.0,
            pacing: 0.0,
            seen_rtt: false,
            delivered: 0,
            lost: 0,
            round_end: 0,
            round_start: false,
            rounds: 0,
            max_bw: [0.0; 2],
            bw: 0.0,
            bw_shortterm: unset,
            inflight_shortterm: unset,
            inflight_longterm: unset,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_end: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            loss_ranges: 0,
            last_lost: None,
            loss_at: None,
            repairing: false,
            recovering: false,
            repair_began: 0,
            undo: Undo { phase: None, bw_shortterm: 0.0, inflight_shortterm: 0.0, inflight_longterm: 0.0 },
            full: Full::default(),
            drain_start_round: 0,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: unset,
            rounds_since_probe_up: 0,
            bw_probe_wait: Duration::ZERO,
            cycle_stamp: Time::ZERO,
            dice: (0, 0.0),
            used_until: 0,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            small_window: SmallWindow::default(),
            extra_acked_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            extra_acked: Greatest::default(),
        })
    }
}

/// Seconds, rounded once, so that whole packets of a path stay whole.
fn secs(time: Duration) -> f64 {
    time.as_ps() as f64 / 1e12
}

/// The rate of a sample.
fn rate_of(sample: Option<&RateSample>) -> f64 {
    sample.map_or(0.0, |s| s.delivered as f64 / secs(s.interval))
}

impl State {
    /// Whether a sample is that of a source that did not send what the path could take.
    fn is_limited(&self, sample: &RateSample) -> bool {
        sample.app_limited || self.small_window.covers(sample.prior_delivered)
    }
}

impl FlowControl for Bbr3 {
    fn on_start(&mut self, window: u64) {
        let s = &mut self.0;
        (s.initial, s.cwnd) = (window as f64, window as f64);
        // Until a round trip is known, it counts as 1 ms (InitPacingRate).
        s.pacing = s.params.startup_gain * s.initial / 1e-3;
    }

    fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        let s = &mut self.0;
        if !std::mem::replace(&mut s.begun, true) {
            (s.min_rtt_stamp, s.probe_rtt_min_stamp, s.extra_acked_start) = (now, now, now);
        }
        if in_flight == 0 && (app_limited || s.small_window.lasts(s.delivered)) {
            s.restart_from_idle(now);
        }
        if in_flight + 1 >= s.cwnd as u64 {
            s.used_until = s.delivered + in_flight + 1;
        }
    }

    fn on_delivered(&mut self, delivered: u64, _: u64, _: bool) {
        self.0.delivered += delivered;
    }

    fn on_round(&mut self, rng: &mut Rng) {
        self.0.dice = (rng.below(2), rng.uniform());
    }

    fn on_ack(&mut self, ack: &Ack) {
        let s = &mut self.0;
        s.delivered = ack.total_delivered;
        if std::mem::replace(&mut s.repairing, ack.repairing) && !ack.repairing {
            s.restore_cwnd();
        }
        let sample = ack.rate.as_ref();
        s.update_latest_delivery(sample);
        s.update_congestion_signals(sample);
        s.update_ack_aggregation(ack);
        s.check_full_bw(sample);
        s.check_startup_done(ack);
        s.recovering = ack.recovering;
        s.check_drain_done(ack);
        if ack.delivered > 0 {
            s.update_cycle(ack);
        }
        s.update_min_rtt(ack);
        s.check_probe_rtt(ack);
        s.advance_latest_delivery(sample);
        s.bw = s.max_bw().min(s.bw_shortterm);
        s.set_pacing_rate(ack);
        s.set_cwnd(ack);
    }

    fn on_packet_lost(&mut self, now: Time, packet: &Sent) {
        self.0.handle_lost_packet(now, packet);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let s = &mut self.0;
        match loss.kind {
            LossKind::Mark | LossKind::Probe => s.note_loss(),
            LossKind::DuplicateAcks | LossKind::Timeout => {
                if s.loss_at != Some(loss.now) {
                    s.save_state();
                }
                if !s.repairing {
                    s.repair_began = s.delivered;
                }
                (s.repairing, s.recovering) = (true, loss.kind == LossKind::DuplicateAcks);
                if loss.kind == LossKind::Timeout {
                    s.save_cwnd();
                    s.cwnd = loss.remaining as f64 + 1.0;
                }
            }
        }
    }

    fn on_undo(&mut self) {
        self.0.handle_spurious_loss();
    }

    fn allowance(&self) -> Allowance {
        Allowance { rate: self.0.pacing, ..Allowance::window(self.0.cwnd as u64) }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let s = &self.0;
        let set = |bound: f64| if bound.is_finite() { bound } else { f64::NAN };
        sink("window", (s.cwnd as u64) as f64);
        sink("rate", s.pacing);
        sink("delivery_rate", s.max_bw());
        sink("least_rtt", s.min_rtt.map_or(f64::NAN, Duration::as_secs_f64));
        sink("phase", f64::from(s.phase as u8));
        sink("bw_shortterm", set(s.bw_shortterm));
        sink("inflight_shortterm", set(s.inflight_shortterm));
        sink("inflight_longterm", set(s.inflight_longterm));
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod loss_tests;
#[cfg(test)]
mod rtt_tests;
#[cfg(test)]
mod window_tests;
