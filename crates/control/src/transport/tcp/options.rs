//! What a scenario may say about a flow's transport: a preset, and what differs from it.

use super::{AfterIdle, EcnEcho, EcnMode, Estimate, Growth, Gso, Policy, Rules, SlowStart, Trains, Undo};
use crate::{FlowControl, LIST, Spec};
use headgate_packet::check::at_least;
use headgate_packet::{Check, Duration, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// A timeout sends everything again from the oldest packet not acknowledged on, as the window allows; duplicates that mean a loss send the oldest.
    GoBackN,
    /// A timeout sends the oldest packet again, whatever the window; a further loss waits for its own timeout. So do duplicates that mean a loss.
    Oldest,
    /// As `oldest`; then, until everything sent before the timeout is acknowledged, each advance sends the packet again that is oldest then.
    Repair,
    /// Each packet has its own timer, which sends it again, though it may wait at the sink for an earlier one; duplicates as in `oldest`.
    Each,
    /// Duplicates send the oldest packet again; after a timeout everything is sent again (4.3BSD-Tahoe).
    Tahoe,
    /// As `tahoe`; and while duplicates arrive, each allows one more packet, until something new is acknowledged (RFC 5681).
    Reno,
    /// As `reno`, until everything that was under way is acknowledged: each partial acknowledgement sends the next hole (RFC 6582).
    Newreno,
    /// The sink reports which packets arrived: holes with enough packets above them are sent again (RFC 6675).
    Sack,
    /// As `sack`, but what counts is that a packet sent later arrived, and how much later (RFC 8985).
    Rack,
}

impl Recovery {
    /// Whether the sink has to report which packets arrived.
    pub fn needs_blocks(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Rack)
    }

    /// Whether each duplicate stands for a packet that arrived.
    #[inline]
    pub fn counts_duplicates(self) -> bool {
        !self.needs_blocks() && !self.is_plain()
    }

    /// Whether duplicates signal a loss and nothing else: they do not count as packets that left the network, and nothing is done to the window.
    #[inline]
    pub fn is_plain(self) -> bool {
        matches!(self, Recovery::GoBackN | Recovery::Oldest | Recovery::Repair | Recovery::Each)
    }
}

/// A set of rules by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The RFCs' own values, and the recovery that the protocol names.
    Rfc,
    /// 4.3BSD: an initial window of 1, timers of 500 ms ticks and at least 1 s.
    #[serde(rename = "bsd_1988")]
    Bsd1988,
    /// ns-2 of 1998 (2.1b1 to 2.1b4): an initial window of 1, round trips in ticks of 100 ms, a first timeout of 6 s and later ones of at least two
    /// ticks; the timer itself is exact.
    #[serde(rename = "ns2_1998")]
    Ns21998,
    /// The Linux kernel: RACK with a tail probe, PRR, an initial window of 10, a timeout of at least 200 ms above the round trip, ticks of 4 ms.
    Linux,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 4] = [Preset::Rfc, Preset::Bsd1988, Preset::Ns21998, Preset::Linux];

    /// Its rules. Only `linux` says how losses are repaired; else that is up to the protocol.
    pub fn rules(self) -> Rules {
        let rfc = Rules {
            recovery: Recovery::Newreno,
            prr: false,
            limited_transmit: true,
            tail_probe: false,
            undo: Undo::None,
            duplicates: 3,
            receiver_window: 1_000_000_000,
            initial_window: 10,
            after_idle: AfterIdle::Initial,
            slow_start: None,
            beta_ecn: None,
            paced: false,
            gso: None,
            estimate: Estimate::Rfc6298,
            early: false,
            initial_timeout: Duration::from_secs(1),
            min_timeout: Duration::from_secs(1),
            max_timeout: Duration::from_secs(60),
            tick: Duration::ZERO,
            growth: Growth::Used,
            count_packets: false,
            as_linux: false,
            own_window: false,
            rate_samples: false,
        };
        match self {
            Preset::Rfc => rfc,
            Preset::Bsd1988 => Rules {
                limited_transmit: false,
                initial_window: 1,
                initial_timeout: Duration::from_secs(3),
                max_timeout: Duration::from_secs(64),
                tick: Duration::from_millis(500),
                ..rfc
            },
            Preset::Ns21998 => Rules {
                limited_transmit: false,
                initial_window: 1,
                estimate: Estimate::Ns2,
                initial_timeout: Duration::from_secs(6),
                min_timeout: Duration::from_millis(200),
                max_timeout: Duration::from_secs(64),
                ..rfc
            },
            Preset::Linux => Rules {
                recovery: Recovery::Rack,
                prr: true,
                limited_transmit: false,
                tail_probe: true,
                undo: Undo::Eifel,
                after_idle: AfterIdle::Halved,
                estimate: Estimate::Kernel,
                min_timeout: Duration::from_millis(200),
                max_timeout: Duration::from_secs(120),
                tick: Duration::from_millis(4),
                count_packets: true,
                as_linux: true,
                ..rfc
            },
        }
    }
}

/// A flow's transport, where it differs from what its flow control asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Set of rules that the others here change; the protocol's own unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// How losses are found and repaired; the protocol's own, or that of the preset, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// The window falls in step with what is delivered (PRR, RFC 9937).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// The first two duplicate acknowledgements release a new packet each (RFC 3042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// A probe is sent when the last packets are not acknowledged (TLP, RFC 8985); with recovery `rack` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail_probe: Option<bool>,
    /// How a spurious reduction is found out and taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<Undo>,
    /// Duplicate acknowledgements that mean a loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub duplicates: Option<u32>,
    /// Maximum number of packets that the receiver accepts beyond the oldest one not acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub receiver_window: Option<u64>,
    /// The window at the start, in packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: Option<u64>,
    /// Packets of a protocol with a window are sent at 2 windows a round trip in slow start and at 1.2 later, not in bursts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paced: Option<bool>,
    /// The host hands packets to the network card in trains, which leave back to back (GSO): `"linux"` for Linux's rule, a table for another one, `"off"` unless given. Only
    /// for paced flows; a train leaves when the pacer allows it, and the next one after the time that the pacing rate needs for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gso: Option<Gso>,
    /// What ends the first slow start beside a loss; the protocol's own rule unless given. Only for protocols whose window has a slow start with a threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow_start: Option<SlowStart>,
    /// Part of the window that a mark leaves: RFC 8511 (ABE) has 0.8 for Reno's window and 0.85 for CUBIC's; as with a loss unless given. Only for those two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.5, max = 1.0))]
    pub beta_ecn: Option<f64>,
    /// How the timeout is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// Timeout before the first round trip is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_timeout: Option<Duration>,
    /// Minimum timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_timeout: Option<Duration>,
    /// Maximum timeout; at least 1 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeout: Option<Duration>,
    /// Timers run out at multiples of this, never early; 0 for exact timers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<Duration>,
    /// Whether data packets may be marked instead of dropped (ECN), and which feedback the source asks for; the protocol's own choice unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnMode>,
    /// Growth of the window counts packets that were acknowledged, not acknowledgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_packets: Option<bool>,
    /// How far a window grows that is not used; `used` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

/// Minimum first timeout: with a shorter one a packet would be sent millions of times over a path of seconds.
const LEAST_FIRST: Duration = Duration::from_ps(100_000_000);

impl Check for Options {
    fn check(&self) -> Result<(), Wrong> {
        let rules = self.rules(&Preset::Rfc.rules());
        at_least("initial_timeout", rules.initial_timeout, LEAST_FIRST)?;
        at_least("max_timeout", rules.max_timeout, Duration::from_millis(1))?;
        if rules.min_timeout > rules.max_timeout {
            let why = format!("expected at most max_timeout, {}", rules.max_timeout);
            return Err(Wrong::at("min_timeout", why).found(&rules.min_timeout));
        }
        if rules.tick > Duration::from_secs(10) {
            return Err(Wrong::at("tick", "expected at most 10s".to_owned()).found(&rules.tick));
        }
        if let Some(Err(wrong)) = self.gso.and_then(Gso::rule).map(|rule| rule.check()) {
            return Err(Wrong { path: format!("gso.{}", wrong.path), ..wrong });
        }
        if self.tail_probe == Some(true) && self.recovery.is_some_and(|r| r != Recovery::Rack) {
            return Err(Wrong::at("tail_probe", "expected recovery = \"rack\" with it".to_owned()));
        }
        Ok(())
    }
}

/// Length of a packet where nothing else is said.
const USUAL_PACKET: u64 = 1500;

/// Families with Reno's window or CUBIC's, which a mark can leave another part of than a loss.
const ABE: [&str; 2] = ["reno-window", "cubic-window"];

impl Options {
    /// Whether a control takes them: `slow_start` is for those that have one, `beta_ecn` for some of these, trains for those that are paced.
    pub fn suit(&self, control: &Spec) -> Result<(), Wrong> {
        let name = control.name();
        if self.slow_start.is_some() && !control.build().end_slow_start() {
            let why = format!("expected none: flow control `{name}` has no slow start that ends at a threshold");
            return Err(Wrong::at("slow_start", why));
        }
        let suited = LIST.iter().filter(|entry| ABE.contains(&entry.card.family)).map(|entry| entry.name);
        let suited: Vec<&str> = suited.collect();
        if let Some(part) = self.beta_ecn.filter(|_| !suited.contains(&name)) {
            let why = format!("expected none: flow control `{name}` is none of {}", suited.join(", "));
            return Err(Wrong::at("beta_ecn", why).found(&part));
        }
        // Swift has a rate below one packet alone, and none else.
        if self.gso.and_then(Gso::rule).is_some() && !control.transport().with(Some(self)).is_paced() {
            let why =
                format!("expected none without pacing: flow control `{name}` is not paced; paced = true makes it so");
            return Err(Wrong::at("gso", why));
        }
        Ok(())
    }

    /// What a sink does whose flow says nothing of it.
    pub fn usual_policy(&self) -> Policy {
        let policy = if self.preset == Some(Preset::Linux) { Policy::linux() } else { Policy::default() };
        match self.ecn {
            Some(EcnMode::Classic) => Policy { ecn: EcnEcho::Classic, ..policy },
            Some(EcnMode::Accecn) => Policy { ecn: EcnEcho::Accecn, ..policy },
            _ => policy,
        }
    }

    /// The rules for a protocol that asks for `own`.
    pub fn rules(&self, own: &Rules) -> Rules {
        let mut r = self.preset.map_or(*own, Preset::rules);
        if self.preset != Some(Preset::Linux) {
            r.recovery = own.recovery;
        }
        (r.own_window, r.early, r.rate_samples) = (own.own_window, own.early, own.rate_samples);
        fn put<T>(to: &mut T, from: Option<T>) {
            if let Some(value) = from {
                *to = value;
            }
        }
        put(&mut r.recovery, self.recovery);
        put(&mut r.prr, self.prr);
        put(&mut r.limited_transmit, self.limited_transmit);
        put(&mut r.tail_probe, self.tail_probe);
        put(&mut r.undo, self.undo);
        put(&mut r.duplicates, self.duplicates);
        put(&mut r.receiver_window, self.receiver_window);
        put(&mut r.initial_window, self.initial_window);
        put(&mut r.paced, self.paced);
        r.gso = self.gso.and_then(Gso::rule).map(|rule| Trains { rule, packet: USUAL_PACKET });
        put(&mut r.estimate, self.estimate);
        put(&mut r.initial_timeout, self.initial_timeout);
        put(&mut r.min_timeout, self.min_timeout);
        put(&mut r.max_timeout, self.max_timeout);
        put(&mut r.tick, self.tick);
        (r.slow_start, r.beta_ecn) = (self.slow_start, self.beta_ecn);
        put(&mut r.count_packets, self.count_packets);
        put(&mut r.growth, self.growth);
        r.tail_probe &= r.recovery == Recovery::Rack;
        let plain = r.recovery.is_plain();
        r.prr &= !r.own_window && !plain;
        // Both look at acknowledgements that new packets and retransmissions of an episode cause; these have none.
        r.early &= !plain;
        if plain {
            (r.undo, r.limited_transmit) = (Undo::None, false);
        }
        r
    }
}
