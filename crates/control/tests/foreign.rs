//! A flow control that is not of the list: what it is told, which of its answers are taken, and that it is left alone after a fault.

use headgate_control::foreign::{Answer, Control, Event, Foreign, Make, Wants};
use headgate_control::transport::Config;
use headgate_control::transport::tcp::Recovery;
use headgate_control::{Ack, FlowControl, Loss, LossKind};
use headgate_packet::foreign::{Failure, Value};
use headgate_packet::{Duration, Time};
use std::sync::{Arc, Mutex};

const FINE: Answer = Answer { window: Some(10.5), rate: None, burst: 1.0, slow_start: false };

/// What was told, one line for each call, and what is answered next.
#[derive(Clone)]
struct Other(Arc<Mutex<(Vec<String>, Answer)>>, Wants);

impl Other {
    fn new(wants: Wants) -> Other {
        Other(Arc::new(Mutex::new((Vec::new(), FINE))), wants)
    }
    fn answers(&self, answer: Answer) {
        self.0.lock().unwrap().1 = answer;
    }
    fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().0)
    }
    fn made(&self) -> Foreign {
        let mut made = Foreign::new(self, &Value::Null);
        made.on_start(10);
        self.told();
        made
    }
}

impl Control for Other {
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failure> {
        let text = match event {
            Event::Start(window) => format!("start {window}"),
            Event::Ack(ack, since) => {
                let counts = [ack.newly_acked, ack.credit, ack.delivered, ack.lost];
                format!("ack {counts:?} {} {} {:?}", since.acks, since.marks, since.rtt)
            }
            Event::Loss(_) => "loss".to_owned(),
            Event::Sent(_, seq, in_flight, _) => format!("sent {seq} {in_flight}"),
            _ => "more".to_owned(),
        };
        let mut state = self.0.lock().unwrap();
        state.0.push(text);
        Ok(state.1)
    }
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("mine", 7.0);
    }
}

impl Make for Other {
    fn make(&self, _: &Value) -> Result<Box<dyn Control>, Failure> {
        Ok(Box::new(self.clone()))
    }
    fn transport(&self) -> Config {
        Config::rfc(Recovery::Sack)
    }
    fn wants(&self) -> Wants {
        self.1
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn ack(at: u64, rtt: Option<u64>, round: bool) -> Ack {
    Ack {
        now: Time::ZERO + ms(at),
        newly_acked: 2,
        credit: 3,
        delivered: 4,
        lost: 5,
        rtt: rtt.map(ms),
        round,
        ..Ack::default()
    }
}

fn loss() -> Loss {
    let kind = LossKind::DuplicateAcks;
    Loss { now: Time::ZERO, kind, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None }
}

#[test]
fn each_acknowledgement_is_told_with_what_was_counted_since_the_last_one() {
    let other = Other::new(Wants::default());
    let mut foreign = other.made();
    foreign.on_delivered(2, 1, false);
    foreign.on_ack(&ack(1, Some(20), false));
    foreign.on_ack(&ack(2, None, true));
    assert_eq!(other.told(), ["ack [2, 3, 4, 5] 1 1 [0.02, 0.02, 0.02]", "ack [2, 3, 4, 5] 1 0 [0.0, 0.0, 0.0]"]);
}

#[test]
fn once_a_round_counts_are_sums_and_round_trips_the_least_the_most_and_their_sum() {
    let other = Other::new(Wants { rounds_only: true, ..Wants::default() });
    let mut foreign = other.made();
    for round in 0..2 {
        foreign.on_delivered(2, 1, false);
        foreign.on_ack(&ack(1, Some(500), false));
        foreign.on_ack(&ack(2, None, false));
        assert!(other.told().is_empty(), "round {round}");
        foreign.on_delivered(2, 2, true);
        foreign.on_ack(&ack(3, Some(250), true));
        assert_eq!(other.told(), ["ack [6, 9, 12, 15] 3 3 [0.25, 0.5, 0.75]"], "round {round}");
    }
}

#[test]
fn what_it_does_not_want_is_not_told() {
    let other = Other::new(Wants::default());
    let mut foreign = other.made();
    foreign.on_loss(&loss());
    foreign.on_packet_sent(Time::ZERO, 0, false);
    foreign.on_undo();
    assert!(other.told().is_empty());
    let eager = Other::new(Wants { loss: true, sent: true, ..Wants::default() });
    let mut foreign = eager.made();
    foreign.on_loss(&loss());
    foreign.on_number(5);
    foreign.on_packet_sent(Time::ZERO, 3, false);
    assert_eq!(eager.told(), ["loss", "sent 5 3"]);
}

#[test]
fn between_packets_in_flight_nothing_that_is_allowed_changes() {
    let other = Other::new(Wants { sent: true, ..Wants::default() });
    let mut foreign = other.made();
    other.answers(Answer { window: Some(20.0), ..FINE });
    foreign.on_packet_sent(Time::ZERO, 1, false);
    assert_eq!(foreign.allowance().window, 10);
    foreign.on_packet_sent(Time::ZERO, 0, false);
    assert_eq!(foreign.allowance().window, 20);
}

#[test]
fn answers_are_checked_at_their_edges() {
    let given = |answer: Answer| {
        let other = Other::new(Wants::default());
        let mut foreign = other.made();
        other.answers(answer);
        foreign.on_ack(&ack(7, None, false));
        foreign.fault().map_or(Ok(foreign.allowance()), |fault| Err((fault.text.clone(), fault.at, fault.call)))
    };
    let fine = given(Answer { window: Some(1.0), rate: Some(1e-9), burst: 2.9, slow_start: true }).expect("fine");
    assert_eq!((fine.window, fine.rate, fine.burst), (1, 1e-9, 2));
    assert_eq!(given(Answer { window: None, ..FINE }).expect("fine").window, u64::MAX);
    assert_eq!(given(Answer { window: Some(1e300), ..FINE }).expect("fine").window, 1_000_000_000_000);
    assert_eq!(given(FINE).expect("fine").rate, f64::INFINITY);
    for (answer, word) in [
        (Answer { window: Some(0.999), ..FINE }, "window: found 0.999"),
        (Answer { window: Some(f64::NAN), ..FINE }, "window: found NaN"),
        (Answer { window: Some(f64::INFINITY), ..FINE }, "window: found inf"),
        (Answer { rate: Some(0.0), ..FINE }, "rate: found 0"),
        (Answer { rate: Some(f64::INFINITY), ..FINE }, "rate: found inf"),
        (Answer { burst: 0.5, ..FINE }, "burst: found 0.5"),
        (Answer { burst: f64::NAN, ..FINE }, "burst: found NaN"),
    ] {
        let (text, at, call) = given(answer).expect_err(word);
        assert!(text.starts_with(word), "{text}");
        assert_eq!((at, call), (Time::ZERO + ms(7), "on_ack"));
    }
}

#[test]
fn after_a_fault_nothing_is_allowed_and_it_is_left_alone() {
    let other = Other::new(Wants { loss: true, ..Wants::default() });
    let mut foreign = other.made();
    other.answers(Answer { window: Some(-1.0), ..FINE });
    foreign.on_ack(&ack(1, None, false));
    other.told();
    other.answers(FINE);
    foreign.on_ack(&ack(2, None, false));
    foreign.on_loss(&loss());
    assert!(other.told().is_empty());
    assert_eq!((foreign.allowance().window, foreign.fault().map(|fault| fault.call)), (0, Some("on_ack")));
    let mut gauges = Vec::new();
    foreign.probe(&mut |name, value| gauges.push((name, value)));
    assert_eq!(gauges, [("window", 0.0)]);
}
