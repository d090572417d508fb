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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Allowance, Loss};
    use headgate_packet::Duration;

    /// A control that says whether it is in slow start.
    struct Control(bool);

    impl FlowControl for Control {
        fn on_ack(&mut self, _: &Ack) {}
        fn on_loss(&mut self, _: &Loss) {}
        fn allowance(&self) -> Allowance {
            Allowance::window(10)
        }
        fn in_slow_start(&self) -> bool {
            self.0
        }
    }

    /// Acknowledgements of these packets in this state: what of each is held back.
    fn held(watch: &mut Watch, slow: bool, limited: bool, packets: &[u64]) -> Vec<u64> {
        let one = |n: &u64| {
            let mut ack = Ack { newly_acked: *n, credit: *n, limited, ..Ack::default() };
            watch.on_ack(&mut ack, 0, &mut Control(slow));
            assert_eq!(ack.credit + ack.held, *n);
            ack.held
        };
        packets.iter().map(one).collect()
    }

    /// A second round whose eight round trips are longer: a quarter counts from the last of them on, so that one of four is left over.
    fn conservative() -> Watch {
        let mut watch = Watch::new(Some(SlowStart::HystartPlusPlus)).expect("a rule");
        for n in 0..16 {
            let rtt = Some(Duration::from_millis(if n < 8 { 100 } else { 150 }));
            let mut ack = Ack { newly_acked: 1, credit: 1, limited: true, rtt, round: n % 8 == 0, ..Ack::default() };
            watch.on_ack(&mut ack, 0, &mut Control(true));
            assert_eq!(ack.held, u64::from(n == 15), "{n}");
        }
        *watch
    }

    #[test]
    fn of_four_packets_three_are_held_back_in_a_conservative_slow_start() {
        assert_eq!(held(&mut conservative(), true, true, &[1, 1, 1, 1, 1, 1, 1]), [1, 1, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn what_cannot_open_a_window_that_is_not_used_counts_for_nothing() {
        let mut watch = conservative();
        assert_eq!(held(&mut watch, true, false, &[2, 3, 1]), [0, 0, 0]);
        assert_eq!(held(&mut watch, true, true, &[1, 1, 1]), [1, 1, 0]);
    }

    #[test]
    fn congestion_avoidance_is_not_watched() {
        let mut watch = conservative();
        assert_eq!(held(&mut watch, false, true, &[1, 2, 4, 1]), [0, 0, 0, 0]);
        assert_eq!(held(&mut watch, true, true, &[1, 1, 1]), [1, 1, 0]);
    }
}
