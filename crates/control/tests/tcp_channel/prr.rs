//! What proportional rate reduction keeps to, whatever is lost (RFC 9937 and the sheet of facts), and that every packet counts once.

use headgate_control::LossKind;
use headgate_control::transport::tcp::{Policy, Preset, Progress, Recovery, Rules, Sender, Sink};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::VecDeque;
use std::sync::Arc;

/// A source whose window falls from one size to another with the first loss; the way keeps the order, and takes 100 ms, there and back.
struct Run {
    sender: Sender,
    sink: Sink,
    window: u64,
    /// Transmissions under way: when they arrive, and which.
    way: VecDeque<(Time, u64)>,
    lost: Vec<u64>,
    sent: u64,
}

impl Run {
    fn pump(&mut self, now: Time) {
        while let Some((seq, again)) = self.sender.poll(self.window, now) {
            self.sent += 1;
            if again || !self.lost.contains(&seq) {
                let after = self.way.back().map_or(now, |(at, _)| *at);
                let at = (now + Duration::from_millis(100)).max(after + Duration::from_millis(1));
                self.way.push_back((at, seq));
            }
        }
    }

    /// The next acknowledgement, and when; or the timer of the sender.
    fn step(&mut self) -> Option<(Time, Progress)> {
        let timer = self.sender.timeout();
        let Some((at, seq)) = self.way.pop_front() else {
            return (timer != Time::NEVER).then(|| (timer, self.sender.on_timeout(timer)));
        };
        if timer < at {
            self.way.push_front((at, seq));
            return Some((timer, self.sender.on_timeout(timer)));
        }
        let answer = self.sink.on_data(seq, false, false, at);
        let echo = self.sink.echo(&answer);
        let p = self.sender.on_ack((answer.cumulative, at), Some(&echo), at, &mut |_| {});
        Some((at, p))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_more_is_sent_than_arrived(
        recovery in select(vec![Recovery::Newreno, Recovery::Sack, Recovery::Rack]), limited_transmit in any::<bool>(),
        first in 8..60u64, share in select(vec![5u64, 7]), lost in prop::collection::vec(any::<bool>(), 60), further in 0..80u64,
    ) {
        let rules = Rules { recovery, limited_transmit, prr: true, ..Preset::Rfc.rules() };
        let lost: Vec<u64> = (0..first).filter(|seq| lost[*seq as usize]).collect();
        let target = first * share / 10;
        let (sender, sink) = (Sender::new(&Arc::new(rules)), Sink::new(&Policy::default()));
        let mut run = Run { sender, sink, window: first, way: VecDeque::new(), lost, sent: 0 };
        let packets = first + further;
        run.sender.supply(packets);
        run.pump(Time::ZERO);
        // Since the episode began: delivered, safe acknowledgements, sent before, and the pipe then.
        let mut episode: Option<(u64, u64, u64, u64)> = None;
        while !run.sender.is_done() {
            let Some((now, mut p)) = run.step() else { break };
            match p.loss {
                Some(LossKind::DuplicateAcks) => {
                    let before = run.sender.pipe();
                    run.window = target;
                    run.sender.enter_recovery(LossKind::DuplicateAcks, p.delivered, &mut p);
                    episode = Some((0, 0, run.sent, before));
                }
                Some(_) => {
                    (run.window, episode) = (run.window.min(run.sender.pipe() + 1), None);
                }
                None => {}
            }
            // A timer of RACK marks losses without an acknowledgement: as in Linux they may be sent at once.
            if p.delivered == 0 && p.lost > 0 && p.loss.is_none() {
                episode = None;
            }
            run.sender.reduce(&p, run.window);
            if let Some((delivered, safe, ..)) = &mut episode {
                *delivered += p.delivered;
                *safe += u64::from(p.advanced > 0 && p.lost == 0);
            }
            run.pump(now);
            if let Some((delivered, safe, before, pipe)) = episode {
                if !run.sender.is_recovering() {
                    prop_assert!(run.sender.pipe() <= target.max(1), "it ends with {} in the network", run.sender.pipe());
                    episode = None;
                    continue;
                }
                // The first retransmission is sent whatever the pipe.
                let sent = run.sent - before;
                prop_assert!(sent <= delivered + safe + 1, "{sent} sent, {delivered} arrived, {safe} of them safe");
                prop_assert!(run.sender.pipe() <= target.max(pipe + 1), "{} in the network, {pipe} before", run.sender.pipe());
            }
        }
        prop_assert_eq!(run.sink.cumulative(), packets);
        prop_assert_eq!(run.sender.delivered(), packets);
    }
}
