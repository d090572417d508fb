//! A slow start that the transport watches for any flow control that has one.

use crate::parts::hystart::HystartPlusPlus;
use crate::parts::search::Search;
use crate::transport::tcp::SlowStart;
use crate::{Ack, FlowControl};

/// What it looks for.
#[derive(Clone, Debug)]
pub enum Watch {
    /// Nothing: a loss ends it.
    Standard,
    /// Round trips that grow.
    Hystart(HystartPlusPlus),
    /// Packets that are delivered too late.
    Search(Box<Search>),
}

impl Watch {
    /// What a transport with this rule looks for; `None` if that is up to the control.
    pub fn new(rule: Option<SlowStart>) -> Option<Box<Watch>> {
        let watch = match rule? {
            SlowStart::Standard => Watch::Standard,
            SlowStart::HystartPlusPlus => Watch::Hystart(HystartPlusPlus::default()),
            SlowStart::Search => Watch::Search(Box::default()),
        };
        Some(Box::new(watch))
    }

    /// A loss or a mark: the first slow start is over, and only that one is watched (RFC 9406, section 4.3).
    pub fn end(&mut self) {
        *self = Watch::Standard;
    }

    /// An acknowledgement is handed on, of which a part may not count; `sent` packets were sent in all.
    pub fn on_ack(&mut self, ack: &mut Ack, sent: u64, control: &mut impl FlowControl) {
        if ack.newly_acked == 0 || ack.recovering || !control.in_slow_start() {
            return;
        }
        let ends = match self {
            Watch::Standard => false,
            Watch::Hystart(hystart) => {
                let credit = if ack.limited { ack.credit } else { 0 };
                let (grow, ends) = hystart.on_ack(ack, credit);
                ack.held = credit - grow.min(credit);
                ack.credit -= ack.held;
                ends
            }
            Watch::Search(search) => ack.rtt.is_some_and(|rtt| search.on_ack(ack.now, rtt, sent, ack.total_delivered)),
        };
        if ends {
            self.end();
            control.end_slow_start();
        }
    }
}
