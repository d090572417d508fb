//! What a run and a flow control in a process of its own tell each other, as bytes: an event is its number and whole numbers of 64 bits, an answer is a
//! status, a length and a body. Both ends are of the same build.

use headgate_control::foreign::{Answer, Event, Since};
use headgate_control::transport::tcp::{AfterIdle, RateSample, Sent};
use headgate_control::{Ack as EngineAck, Loss, LossKind};
use headgate_packet::{Duration, Time};

/// Bytes before the body of an answer: its status, 0 for an answer and 1 for the text of a fault, and the length of the body.
pub const HEAD: usize = 5;
/// Bytes of the body of an answer: window, rate, burst, slow start, and a byte that says which of window (1) and rate (2) are none.
pub const BODY: usize = 33;
/// The longest text of a fault.
pub const FAULT: usize = 4000;
/// Added to the number of an event that is not answered, since no answer could change anything.
pub const QUIET: u8 = 0x80;

const START: u8 = 1;
const SEED: u8 = 2;
const ACK: u8 = 3;
const LOSS: u8 = 4;
const SENT: u8 = 5;
const LOST: u8 = 6;
const IDLE: u8 = 7;
const UNDO: u8 = 8;

/// No time.
const NONE: u64 = u64::MAX;

/// The whole numbers of an event.
pub fn numbers(event: u8) -> Option<usize> {
    Some(match event & !QUIET {
        START | SEED => 1,
        ACK => 24,
        LOSS => 5,
        SENT => 4,
        LOST => 7,
        IDLE => 3,
        UNDO => 0,
        _ => return None,
    })
}

fn optional(time: Option<Duration>) -> u64 {
    time.map_or(NONE, Duration::as_ps)
}

fn some(ps: u64) -> Option<Duration> {
    (ps != NONE).then(|| Duration::from_ps(ps))
}

/// Adds an event to what is to be sent; an answer to it is wanted unless it is `quiet`.
pub fn write(out: &mut Vec<u8>, event: &Event<'_>, quiet: bool) {
    let mut put = |kind: u8, numbers: &[u64]| {
        out.push(if quiet { kind | QUIET } else { kind });
        numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    };
    match *event {
        Event::Start(window) => put(START, &[window]),
        Event::Seed(seed) => put(SEED, &[seed]),
        Event::Ack(a, since) => {
            let bits = [a.marked, a.recovering, a.limited, a.round, a.rate.is_some_and(|rate| rate.app_limited)];
            let bits = bits.iter().enumerate().map(|(i, bit)| u64::from(*bit) << i).sum();
            let rate = a.rate.map_or([0, NONE], |rate| [rate.delivered, rate.interval.as_ps()]);
            let [least, longest, sum] = since.rtt.map(f64::to_bits);
            put(
                ACK,
                &[
                    a.now.as_ps(),
                    a.newly_acked,
                    u64::from(a.duplicates),
                    a.cumulative,
                    a.highest_sent,
                    a.in_flight,
                    a.seq,
                    a.credit,
                    a.delivered,
                    a.lost,
                    a.total_delivered,
                    a.prior_in_flight,
                    a.one_way.as_ps(),
                    optional(a.rtt),
                    optional(a.smoothed),
                    bits,
                    rate[0],
                    rate[1],
                    since.acks,
                    since.marks,
                    least,
                    longest,
                    sum,
                    since.rtts,
                ],
            );
        }
        Event::Loss(loss) => {
            let kind = LossKind::ALL.iter().position(|kind| *kind == loss.kind).expect("all kinds are there") as u64;
            put(LOSS, &[loss.now.as_ps(), kind, loss.in_flight, loss.remaining, u64::from(loss.again)]);
        }
        Event::Sent(now, seq, in_flight, limited) => {
            put(SENT, &[now.as_ps(), seq, in_flight, u64::from(limited)]);
        }
        Event::Lost(now, p) => {
            let numbers = [now.as_ps(), p.seq, p.at.as_ps(), p.in_flight, p.delivered, p.lost];
            put(LOST, &[&numbers[..], &[u64::from(p.app_limited)]].concat());
        }
        Event::Idle(rule, initial, timeouts) => {
            put(IDLE, &[u64::from(matches!(rule, AfterIdle::Halved)), initial, timeouts]);
        }
        Event::Undo => put(UNDO, &[]),
    }
}

/// An event that was read, and what its parts are borrowed from.
pub enum Received {
    /// One of whole numbers alone.
    Plain(Event<'static>),
    /// An acknowledgement.
    Ack(Box<(EngineAck, Since)>),
    /// A loss.
    Loss(Loss),
    /// A packet that is lost.
    Lost(Time, Sent),
}

impl Received {
    /// The event.
    pub fn event(&self) -> Event<'_> {
        match self {
            Received::Plain(Event::Start(window)) => Event::Start(*window),
            Received::Plain(Event::Seed(seed)) => Event::Seed(*seed),
            Received::Plain(Event::Sent(now, seq, in_flight, limited)) => Event::Sent(*now, *seq, *in_flight, *limited),
            Received::Plain(Event::Idle(rule, initial, timeouts)) => Event::Idle(*rule, *initial, *timeouts),
            Received::Plain(_) => Event::Undo,
            Received::Ack(both) => Event::Ack(&both.0, &both.1),
            Received::Loss(loss) => Event::Loss(loss),
            Received::Lost(now, sent) => Event::Lost(*now, sent),
        }
    }
}

/// The event of a kind with these numbers.
pub fn read(kind: u8, n: &[u64]) -> Received {
    match kind & !QUIET {
        START => Received::Plain(Event::Start(n[0])),
        SEED => Received::Plain(Event::Seed(n[0])),
        ACK => {
            let bit = |i: u64| n[15] >> i & 1 == 1;
            let ack = EngineAck {
                now: Time::from_ps(n[0]),
                newly_acked: n[1],
                duplicates: n[2] as u32,
                cumulative: n[3],
                highest_sent: n[4],
                in_flight: n[5],
                seq: n[6],
                credit: n[7],
                delivered: n[8],
                lost: n[9],
                total_delivered: n[10],
                prior_in_flight: n[11],
                one_way: Duration::from_ps(n[12]),
                rtt: some(n[13]),
                smoothed: some(n[14]),
                marked: bit(0),
                recovering: bit(1),
                limited: bit(2),
                round: bit(3),
                rate: some(n[17]).map(|interval| RateSample {
                    delivered: n[16],
                    interval,
                    app_limited: bit(4),
                    prior_delivered: 0,
                    lost: 0,
                    in_flight: 0,
                    resent: false,
                }),
                ..EngineAck::default()
            };
            let rtt = [n[20], n[21], n[22]].map(f64::from_bits);
            Received::Ack(Box::new((ack, Since { acks: n[18], marks: n[19], rtt, rtts: n[23] })))
        }
        LOSS => Received::Loss(Loss {
            now: Time::from_ps(n[0]),
            kind: LossKind::ALL[n[1] as usize % LossKind::ALL.len()],
            in_flight: n[2],
            remaining: n[3],
            again: n[4] != 0,
            used: u64::MAX,
            left: None,
        }),
        SENT => Received::Plain(Event::Sent(Time::from_ps(n[0]), n[1], n[2], n[3] != 0)),
        LOST => {
            let sent = Sent {
                seq: n[1],
                at: Time::from_ps(n[2]),
                in_flight: n[3],
                delivered: n[4],
                lost: n[5],
                app_limited: n[6] != 0,
            };
            Received::Lost(Time::from_ps(n[0]), sent)
        }
        IDLE => {
            let rule = if n[0] == 0 { AfterIdle::Initial } else { AfterIdle::Halved };
            Received::Plain(Event::Idle(rule, n[1], n[2]))
        }
        _ => Received::Plain(Event::Undo),
    }
}

/// The bytes of an answer.
pub fn answer(answer: &Answer) -> [u8; HEAD + BODY] {
    let mut out = [0; HEAD + BODY];
    out[1..HEAD].copy_from_slice(&(BODY as u32).to_le_bytes());
    let slow_start = f64::from(u8::from(answer.slow_start));
    let numbers = [answer.window.unwrap_or(0.0), answer.rate.unwrap_or(0.0), answer.burst, slow_start];
    for (place, number) in out[HEAD..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    out[HEAD + BODY - 1] = u8::from(answer.window.is_none()) | u8::from(answer.rate.is_none()) << 1;
    out
}

/// The bytes of a fault.
pub fn fault(text: &str) -> Vec<u8> {
    let body: String = text.chars().take(FAULT / 4).collect();
    let mut out = vec![1];
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(body.as_bytes());
    out
}

/// What the body of an answer says. What its numbers may be, the engine checks, whoever answered.
///
/// # Errors
/// It is none.
pub fn read_answer(body: &[u8]) -> Result<Answer, String> {
    if body.len() != BODY {
        return Err(format!("an answer of {} bytes; expected {BODY}", body.len()));
    }
    let number = |i: usize| f64::from_le_bytes(body[8 * i..8 * i + 8].try_into().expect("eight bytes"));
    let (slow_start, flags) = (number(3), body[BODY - 1]);
    if !(slow_start == 0.0 || slow_start == 1.0) || flags > 3 {
        return Err(format!("slow start {slow_start} and flags {flags}; expected 0 or 1, and 0 to 3"));
    }
    Ok(Answer {
        window: (flags & 1 == 0).then(|| number(0)),
        rate: (flags & 2 == 0).then(|| number(1)),
        burst: number(2),
        slow_start: slow_start == 1.0,
    })
}
