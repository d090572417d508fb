//! The parameters of CAKE.

use super::{AckFilter, Framing};
use super::tins::{Diffserv, LONGEST};
use crate::Does;
use headgate_packet::check::above_zero;
use headgate_packet::{Buffer, Check, Duration, Rate, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Between which queues the tins are fair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// One queue for all.
    Flowblind,
    /// A queue for each source host.
    Srchost,
    /// A queue for each destination host.
    Dsthost,
    /// A queue for each pair of hosts.
    Hosts,
    /// A queue for each conversation.
    Flows,
    /// A queue for each conversation, which share what their source host gets.
    DualSrchost,
    /// A queue for each conversation, which share what their destination host gets.
    DualDsthost,
    /// A queue for each conversation, which share what the busier one of their two hosts gets.
    #[default]
    TripleIsolate,
}

impl Isolation {
    /// Which of the hosts share, source and destination.
    pub(super) fn counts(self) -> [bool; 2] {
        let triple = self == Isolation::TripleIsolate;
        [triple || self == Isolation::DualSrchost, triple || self == Isolation::DualDsthost]
    }
}

/// CAKE: a shaper with fair queues of hosts and of flows. It has tins for classes of service, and COBALT on each queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeParams {
    /// Rate to which packets are held. Without it only the line limits them, and the tins share by weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Bytes that are added to each packet when it is charged for.
    #[schemars(range(min = -64, max = 256))]
    pub overhead: i32,
    /// Fewest bytes that a packet is charged for, before cells.
    #[schemars(range(min = 0, max = 256))]
    pub mpu: u32,
    /// Cells or coding of the line below, which are charged for.
    pub framing: Framing,
    /// The usual longest round trip, from which the interval of COBALT is.
    pub rtt: Duration,
    /// Time in a queue that is acceptable, or one and a half times that of the longest packet at the tin's rate, if that is longer.
    pub target: Duration,
    /// How packets are put into tins by their priority, which is the code point.
    pub diffserv: Diffserv,
    /// Between which queues each tin is fair.
    pub isolation: Isolation,
    /// Maximum backlog of all queues together. Without it four times what `rate` sends in `rtt`, at least 4 MiB and at most 10240 packets of 1514 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// The line to be kept free is in front of the port: packets that COBALT drops are charged for like others.
    pub ingress: bool,
    /// Which acknowledgements are dropped because one behind them says all that they say. Those of flow controls with a transport (`transport`) are seen, and in a replay those of a capture.
    pub ack_filter: AckFilter,
}

impl Default for CakeParams {
    fn default() -> CakeParams {
        CakeParams {
            rate: None,
            overhead: 0,
            mpu: 0,
            framing: Framing::None,
            rtt: Duration::from_millis(100),
            target: Duration::from_millis(5),
            diffserv: Diffserv::Diffserv3,
            isolation: Isolation::TripleIsolate,
            buffer: None,
            ingress: false,
            ack_filter: AckFilter::None,
        }
    }
}

impl Check for CakeParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("rtt", self.rtt)?;
        above_zero("target", self.target)
    }
}

impl CakeParams {
    /// Whether it drops acknowledgements that later ones make needless.
    pub(crate) fn filters_acknowledgements(&self) -> bool {
        self.ack_filter != AckFilter::None
    }

    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { priorities: does.priorities.filter(|_| self.diffserv != Diffserv::Besteffort), ..does }
    }

    /// The rate to which it holds what it sends, if nothing is charged for beside the packets.
    pub(crate) fn holds_to(&self) -> Option<Rate> {
        let plain = self.overhead <= 0 && self.framing == Framing::None && self.mpu == 0;
        self.rate.filter(|_| plain)
    }

    /// The rate in bytes per second; 0 without one.
    pub(super) fn per_second(&self) -> u64 {
        self.rate.map_or(0, |rate| (rate.as_bps() / 8).max(1))
    }

    /// The buffer, if it is not given that which follows from the rate (`cake_reconfigure`).
    pub(super) fn room(&self) -> Buffer {
        let most = 10_240 * u64::from(LONGEST);
        self.buffer.unwrap_or_else(|| match self.per_second() {
            0 => Buffer::Bytes(most),
            rate => {
                let product = u128::from(rate) * 4 * u128::from(self.rtt.as_ps()) / 1_000_000_000_000;
                Buffer::Bytes(product.clamp(4 << 20, u128::from(most)) as u64)
            }
        })
    }
}
