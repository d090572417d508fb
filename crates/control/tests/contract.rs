//! The contract of `FlowControl`: in which order the transport calls a protocol, and what may be relied on, for every protocol with a window over random
//! channels that lose, delay, reorder and mark.

use headgate_control::source::{Source, Tcp, Window};
use headgate_control::transport::Way;
use headgate_control::transport::tcp::{AfterIdle, Options, Policy, Recovery, Sent, Sink, Undo};
use headgate_control::{Ack, AckPacket, Allowance, AnyFlowControl, Echo, FlowControl, LIST, Loss, LossKind, Spec};
use headgate_packet::{Check, Duration, Rng, Time};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A call of the protocol.
#[derive(Clone, Debug, PartialEq)]
enum Call {
    Start,
    Sent { in_flight: u64 },
    Idle,
    Delivered,
    Undo,
    Lost(Sent),
    Loss(LossKind),
    Round,
    Ack(Box<Ack>),
}

/// A protocol whose calls are written down.
struct Recorder {
    control: AnyFlowControl,
    calls: Rc<RefCell<Vec<(Time, Call)>>>,
}

impl Recorder {
    fn note(&self, now: Time, call: Call) {
        self.calls.borrow_mut().push((now, call));
    }
}

impl FlowControl for Recorder {
    fn on_ack(&mut self, ack: &Ack) {
        self.note(ack.now, Call::Ack(Box::new(*ack)));
        self.control.on_ack(ack);
    }
    fn on_loss(&mut self, loss: &Loss) {
        self.note(loss.now, Call::Loss(loss.kind));
        self.control.on_loss(loss);
    }
    fn allowance(&self) -> Allowance {
        self.control.allowance()
    }
    fn on_start(&mut self, window: u64) {
        self.note(Time::ZERO, Call::Start);
        self.control.on_start(window);
    }
    fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.note(now, Call::Sent { in_flight });
        self.control.on_packet_sent(now, in_flight, app_limited);
    }
    fn on_packet_lost(&mut self, now: Time, packet: &Sent) {
        self.note(now, Call::Lost(*packet));
        self.control.on_packet_lost(now, packet);
    }
    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        assert!(timeouts > 0);
        self.note(Time::ZERO, Call::Idle);
        self.control.on_idle(rule, initial, timeouts);
    }
    fn on_delivered(&mut self, delivered: u64, marks: u64, round: bool) {
        self.note(Time::ZERO, Call::Delivered);
        self.control.on_delivered(delivered, marks, round);
    }
    fn on_undo(&mut self) {
        self.note(Time::ZERO, Call::Undo);
        self.control.on_undo();
    }
    fn on_round(&mut self, rng: &mut Rng) {
        self.note(Time::ZERO, Call::Round);
        self.control.on_round(rng);
    }
    fn in_slow_start(&self) -> bool {
        self.control.in_slow_start()
    }
}

/// The place of a call among those of one acknowledgement or timeout.
fn rank(call: &Call) -> u32 {
    match call {
        Call::Start => 0,
        Call::Idle => 1,
        Call::Sent { .. } => 2,
        Call::Delivered => 3,
        Call::Undo => 4,
        Call::Lost(_) | Call::Loss(_) => 5,
        Call::Round => 6,
        Call::Ack(_) => 7,
    }
}

/// What has to hold over all calls.
struct Contract {
    calls: Rc<RefCell<Vec<(Time, Call)>>>,
    tcp: bool,
    rates: bool,
    /// A loss that may yet be undone.
    reduced: bool,
    /// A spurious loss is taken back, after which a transmission may be declared lost again.
    undoes: bool,
    /// Transmissions named as lost.
    lost: BTreeSet<(u64, Time)>,
    acked: u64,
}

impl Contract {
    fn take(&self) -> Vec<(Time, Call)> {
        std::mem::take(&mut *self.calls.borrow_mut())
    }

    fn polled(&self, before: u64, sent: bool) {
        let calls = self.take();
        let sends = calls.iter().filter(|(_, call)| *call == Call::Sent { in_flight: before }).count();
        assert_eq!(sends, usize::from(sent && self.tcp), "{calls:?}");
        assert!(calls.iter().all(|(_, call)| matches!(call, Call::Idle | Call::Sent { .. })), "{calls:?}");
        assert!(calls.windows(2).all(|w| rank(&w[0].1) < rank(&w[1].1)), "{calls:?}");
    }

    fn happened(&mut self, now: Time, in_flight: u64, timeout: bool) {
        let calls = self.take();
        let ranks: Vec<u32> = calls.iter().map(|(_, call)| rank(call)).collect();
        assert!(ranks.is_sorted() && ranks.iter().all(|r| *r > 2), "{calls:?}");
        if !calls.is_empty() && !timeout {
            assert_eq!((ranks[0] == 3, ranks.last()), (self.tcp || ranks[0] == 3, Some(&7)), "{calls:?}");
        }
        for single in [3, 4, 6, 7] {
            assert!(ranks.iter().filter(|r| **r == single).count() <= usize::from(single > 5 || !timeout), "{calls:?}");
        }
        assert!(calls.iter().filter(|(_, call)| matches!(call, Call::Loss(_))).count() <= 1, "{calls:?}");
        for (at, call) in calls {
            match call {
                Call::Undo => assert!(std::mem::take(&mut self.reduced), "nothing was reduced"),
                Call::Loss(kind) => {
                    // A timer may show a loss by reordering, too.
                    assert!(at == now && (timeout || kind != LossKind::Timeout));
                    self.reduced = !matches!(kind, LossKind::Mark);
                }
                Call::Lost(packet) => {
                    assert!(self.rates && at == now && packet.at <= now && packet.in_flight > 0);
                    let new = self.lost.insert((packet.seq, packet.at));
                    assert!(new || self.undoes, "{packet:?} is named twice");
                }
                Call::Ack(ack) => {
                    assert_eq!((ack.now, ack.in_flight), (now, in_flight));
                    self.acked += ack.newly_acked;
                    assert!(ack.rate.is_none_or(|rate| self.rates && rate.in_flight > 0));
                }
                _ => {}
            }
        }
    }
}

/// Acknowledgements on their way back, by when they arrive, and what they report.
type OnTheWay = BTreeMap<(Time, u64), (AckPacket<'static>, Echo)>;

/// Sends packets over a channel; `loss`, `late` and `marked` are probabilities.
fn transfer(mut source: impl Source, c: &mut Contract, tcp: bool, (loss, late, marked): (f64, f64, f64), seed: u64) {
    assert_eq!(c.take(), [(Time::ZERO, Call::Start)]);
    let (mut sink, mut rng, mut now) = (Sink::new(&Policy::default()), Rng::new(seed, 0, "channel"), Time::ZERO);
    let (mut way, mut n) = (OnTheWay::new(), 0u64);
    source.supply(60);
    let mut more = 60;
    for step in 0..20_000 {
        loop {
            let before = source.in_flight();
            let segment = source.poll_send(now);
            c.polled(before, segment.is_some());
            let Some(segment) = segment else { break };
            if rng.uniform() < loss {
                continue;
            }
            let answer = sink.on_data(segment.seq, rng.uniform() < marked, segment.reacted, now);
            let delay = 40 + if rng.uniform() < late { 25 } else { 0 };
            let ack = AckPacket {
                cumulative: answer.cumulative,
                seq: segment.seq,
                sent: now,
                marked: false,
                waited: Duration::ZERO,
                one_way: Duration::from_millis(20),
                echo: None,
            };
            way.insert((now + Duration::from_millis(delay), n), (ack, sink.echo(&answer)));
            n += 1;
        }
        let timer = source.timeout();
        match way.first_key_value().map(|((at, _), _)| *at) {
            Some(at) if at <= timer => {
                now = at;
                let (_, (ack, echo)) = way.pop_first().expect("there is one");
                source.on_ack(&AckPacket { echo: tcp.then_some(&echo), ..ack }, now, &mut |_| {});
                c.happened(now, source.in_flight(), false);
            }
            _ if timer < Time::NEVER => {
                now = timer;
                source.on_timeout(now);
                c.happened(now, source.in_flight(), true);
            }
            _ if more > 0 => {
                // After an idle time there is more to send.
                (now, more) = (now + Duration::from_secs(3), more - 20);
                source.supply(20);
            }
            _ => break,
        }
        assert!(step < 19_999, "it does not end");
    }
    assert!(source.is_done());
    assert_eq!(c.acked, 120, "what was acknowledged is what was sent");
}

fn check(spec: &Spec, options: &Options, channel: (f64, f64, f64), seed: u64) {
    let calls = Rc::new(RefCell::new(vec![]));
    let recorder = Recorder { control: spec.build(), calls: Rc::clone(&calls) };
    let mut c =
        Contract { calls, tcp: false, rates: false, reduced: false, undoes: false, lost: BTreeSet::new(), acked: 0 };
    match spec.transport().with(Some(options)).way {
        Way::Window(rules) => transfer(Window::new(recorder, &rules), &mut c, false, channel, seed),
        Way::Tcp(rules) => {
            (c.tcp, c.rates, c.undoes) = (true, rules.rate_samples, rules.undo != Undo::None);
            let mut source = Tcp::new(recorder, &Arc::clone(&rules));
            source.seed(&|| Rng::new(seed, 0, "control"));
            transfer(source, &mut c, true, channel, seed);
            // A packet that its own timer sends again stays in the window, and is not declared lost.
            let declares = c.rates && rules.recovery != Recovery::Each;
            assert!(!declares || channel.0 < 0.05 || !c.lost.is_empty(), "packets were lost and none was named");
        }
        _ => {}
    }
}

/// The names of all recoveries, and none.
fn recoveries() -> Vec<String> {
    let schema = serde_json::to_value(schemars::schema_for!(Recovery)).expect("JSON");
    let choices = schema["oneOf"].as_array().expect("a list of choices");
    let names = choices.iter().map(|choice| choice["const"].as_str().expect("a name").to_owned());
    std::iter::once(String::new()).chain(names).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_transport_keeps_the_order_of_calls(
        recovery in prop::sample::select(recoveries()),
        preset in prop::sample::select(vec!["rfc", "linux", "bsd_1988"]), ecn in any::<bool>(),
        loss in prop::sample::select(vec![0.0, 0.02, 0.2]), late in prop::sample::select(vec![0.0, 0.1]),
        marked in prop::sample::select(vec![0.0, 0.2]), seed in any::<u64>(),
    ) {
        let recovery = if recovery.is_empty() { String::new() } else { format!(r#", "recovery": "{recovery}""#) };
        let text = format!(r#"{{"preset": "{preset}", "ecn": {ecn}{recovery}}}"#);
        let options: Options = serde_json::from_str(&text).expect("options");
        prop_assume!(options.check().is_ok());
        for entry in LIST {
            check(&Spec::default_of(entry.name).expect("in the list"), &options, (loss, late, marked), seed);
        }
    }
}
