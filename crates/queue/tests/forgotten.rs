//! What a discipline has forgotten: a conversation of which it says so is served as one with a new number would be, and it says so in time.

use crate::common::cases::cases;
use crate::common::choices;
use crate::common::told::each_sent;

use choices::{TURNS, examples, in_turn};
use headgate_packet::choice::Entry;
use headgate_packet::{Ecn, FlowId, Memory, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline as _, LIST, LinkInfo, Port, Spec, aqm};
use proptest::prelude::*;
use serde_json::{Value, json};

const FLOWS: u32 = 4;
const MS: u64 = 1_000_000_000;

/// An arrival: gap in ms since the one before, conversation, bytes.
type Arrival = (u64, u32, u32);

/// Every discipline with every choice, and with each of its examples; small time constants, so that what is forgotten is soon.
fn all(buffer: &str, turn: usize) -> Vec<(String, Spec)> {
    let table = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let mut tables: Vec<Value> = in_turn(buffer, turn).map(|(text, _)| table(&text)).collect();
    tables.extend(LIST.iter().flat_map(examples));
    let made = tables.into_iter().map(|mut table| {
        table["buffer"] = buffer.into();
        if table["kind"] == "drr_plus" && table.get("aqm").is_none() {
            table["aqm"] = json!({"kind": "red"});
        }
        if table.get("aqm").is_some() {
            // An average decays in tens of packets, not in thousands.
            let with_weight = table["aqm"].as_object().map(|aqm| {
                let mut aqm = aqm.clone();
                aqm.insert("weight".into(), 0.3.into());
                aqm
            });
            if let Some(aqm) =
                with_weight.filter(|aqm| serde_json::from_value::<aqm::Spec>(Value::Object(aqm.clone())).is_ok())
            {
                table["aqm"] = Value::Object(aqm);
            }
        }
        (table.to_string(), serde_json::from_value(table).expect("a discipline"))
    });
    made.collect()
}

/// A port under test and what it did.
#[derive(Clone)]
struct Bench {
    port: Port,
    link: LinkInfo,
    now: Time,
    offered: u32,
    /// Of each conversation, packets in the buffer.
    waiting: Vec<i64>,
    /// Packets sent, with their start, bit and label, and then those dropped.
    log: Vec<(u32, Time, Ecn, u32)>,
}

impl Bench {
    fn new(spec: &Spec, weights: [u32; FLOWS as usize]) -> Bench {
        let link = LinkInfo {
            rate: Rate::from_bps(8_000).unwrap(),
            flows: FLOWS as usize,
            weights: weights.to_vec(),
            hosts: vec![],
        };
        let port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
        Bench { port, waiting: vec![0; link.flows], link, now: Time::ZERO, offered: 0, log: Vec::new() }
    }

    fn advance(&mut self, to: Time) {
        let Bench { port, waiting, log, .. } = self;
        self.now = to;
        port.advance(
            to,
            &mut each_sent(|s| {
                waiting[s.packet.flow.index()] -= 1;
                log.push((s.packet.handle, s.start, s.packet.ecn, s.packet.label));
            }),
        );
        for gone in port.dropped().drain(..) {
            waiting[gone.flow.index()] -= 1;
            log.push((gone.handle, gone.at, Ecn::NotEct, 0));
        }
    }

    fn offer(&mut self, (gap, flow, bytes): Arrival, class: u8) {
        self.advance(Time::from_ps(self.now.as_ps() + gap * MS));
        let packet =
            Packet { handle: self.offered, flow: FlowId(flow), bytes, class, ecn: Ecn::Ect0, ..Packet::default() };
        self.offered += 1;
        self.waiting[flow as usize] += 1;
        self.port.accept(packet, self.now);
        self.advance(self.now);
    }

    /// The conversation has left, as far as anybody can see, and the discipline says that it has forgotten it.
    fn has_forgotten(&self, flow: u32) -> bool {
        self.waiting[flow as usize] == 0 && self.port.discipline().has_forgotten(FlowId(flow), self.now)
    }
}

/// Arrivals with gaps of all sizes: bursts, some load, and pauses in which much is forgotten.
fn arrivals(most: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let gap = prop_oneof![4 => Just(0u64), 6 => 0..500u64, 2 => 0..5_000u64, 1 => 0..60_000u64];
    prop::collection::vec((gap, 0..FLOWS, prop_oneof![1..600u32, 1..1_900u32, Just(250u32)]), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(128), ..ProptestConfig::default() })]
    #[test]
    fn what_is_forgotten_is_served_as_new(
        before in arrivals(60), after in arrivals(60),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B", "2KB"]),
        weights in prop::sample::select(vec![[1; 4], [1, 2, 3, 4], [3, 3, 7, 7]]), moves in any::<bool>(), turn in 0..TURNS,
    ) {
        for (name, spec) in all(buffer, turn) {
            let mut old = Bench::new(&spec, weights);
            before.iter().for_each(|a| old.offer(*a, a.1 as u8 % 3));
            old.advance(Time::from_ps(old.now.as_ps() + after[0].0 * MS));
            for c in (0..FLOWS).filter(|c| old.has_forgotten(*c)) {
                // The one that arrives with its number may have another priority.
                let class = |flow: u32| ((flow + u32::from(moves && flow == c)) % 3) as u8;
                let (mut same, mut new) = (old.clone(), old.clone());
                new.link.add(weights[c as usize]);
                new.waiting.push(0);
                new.port.grow(&new.link);
                for &(gap, flow, bytes) in &after {
                    same.offer((gap, flow, bytes), class(flow));
                    new.offer((gap, if flow == c { FLOWS } else { flow }, bytes), class(flow));
                }
                for bench in [&mut same, &mut new] {
                    bench.advance(Time::from_ps(u64::MAX - 1));
                }
                prop_assert_eq!(&same.log, &new.log, "{}, conversation {}, forgotten at {:?}", name, c, old.now);
            }
        }
    }

    /// With a line that is idle from time to time.
    #[test]
    fn it_is_forgotten_in_time(
        before in arrivals(40),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B"]),
        weights in prop::sample::select(vec![[1; 4], [1, 2, 3, 4]]), turn in 0..TURNS,
    ) {
        for (name, spec) in all(buffer, turn) {
            // Conversation 3 stays; 400 ms of every 500 ms are its.
            let mut bench = Bench::new(&spec, weights);
            before.iter().for_each(|a| bench.offer(*a, a.1 as u8 % 3));
            let forgotten = |bench: &Bench| (0..3).all(|c| bench.has_forgotten(c));
            let never_forgets = bench.port.discipline().never_forgets();
            let most = if never_forgets { 100 } else { 20_000 };
            let steps = (0..most).find(|_| {
                bench.offer((500, 3, 400), 0);
                forgotten(&bench)
            });
            if never_forgets {
                let met = |c: u32| before.iter().any(|a| a.1 == c) && bench.has_forgotten(c);
                prop_assert!(!(0..3).any(met), "{}: forgets after all", name);
            } else {
                prop_assert!(steps.is_some(), "{}: never forgets", name);
            }
        }
    }
}

/// On a line that is never idle, within the packets of the others that the conversation's own service takes: those whose memory is service.
#[test]
fn a_line_that_is_never_idle_forgets_too() {
    for (name, spec) in (0..TURNS).flat_map(|turn| all("unlimited", turn)) {
        let kind = serde_json::from_str::<Value>(&name).expect("JSON")["kind"].as_str().expect("a kind").to_owned();
        let average =
            name.contains(r#""aqm""#) || ["selective_decbit", "csfq", "drr_plus", "afd"].contains(&kind.as_str());
        let mut bench = Bench::new(&spec, [1, 2, 3, 1]);
        if bench.port.discipline().never_forgets() || average {
            continue;
        }
        (0..30).for_each(|_| bench.offer((0, 3, 500), 0));
        (0..10).for_each(|_| bench.offer((0, 0, 500), 0));
        // Of 500 ms each, as the line sends them.
        let steps = (0..200).find(|_| {
            bench.offer((500, 3, 500), 0);
            bench.has_forgotten(0)
        });
        assert!(steps.is_some(), "{name}");
        // Some keep packets back, and some drop the flood.
        let rests = !spec.work_conserving() || bench.log.iter().any(|(_, _, ecn, _)| *ecn == Ecn::NotEct);
        assert!(bench.port.backlog().packets > 0 || rests, "{name}: the line is busy");
    }
}

/// Whether a discipline, or one with an AQM, never forgets a conversation.
fn is_never(spec: &Spec) -> bool {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![1], hosts: vec![] };
    spec.build(&link).never_forgets()
}

/// The cards say of what is never forgotten what the disciplines say.
#[test]
fn the_cards_say_what_is_never_forgotten() {
    let says = |entry: &Entry| entry.card.remembers.iter().any(|memory| memory.until == Memory::NEVER);
    for entry in LIST {
        let own: Vec<Spec> = choices::disciplines("5pkt")
            .into_iter()
            .map(|(_, spec)| spec)
            .filter(|spec| spec.name() == entry.name)
            .collect();
        // Without those that have an AQM of another card.
        let plain = own.iter().filter(|spec| serde_json::to_value(spec).expect("JSON")["aqm"].is_null());
        let is_never_own = plain.map(is_never).fold(false, |any, never| any | never);
        assert_eq!(is_never_own, says(entry), "{}: its card says another thing", entry.name);
        let keeps = own[0].per_conversation();
        assert_eq!(keeps, !entry.card.remembers.is_empty(), "{}: its card says what it keeps of a flow", entry.name);
    }
    for entry in aqm::LIST {
        let tables = std::iter::once(json!({"kind": entry.name})).chain(examples(entry));
        let any = tables.map(|aqm| serde_json::from_value(json!({"kind": "scfq", "aqm": aqm})).expect("a discipline"));
        assert_eq!(
            any.map(|spec| is_never(&spec)).fold(false, |any, never| any | never),
            says(entry),
            "{}",
            entry.name
        );
    }
}
