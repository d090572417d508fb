//! `htb` by hand, and its closed forms.

use crate::told::each_sent;
use super::*;
use crate::{Port, Spec};
use headgate_packet::{Ecn, Rate, Rng};
use proptest::prelude::*;
use serde_json::{Value, json};

const MS: u64 = 1_000_000_000;

/// A packet that was sent: its number, priority, length and start in ps.
type Out = (u32, u8, u32, u64);

fn port(classes: &Value, more: &Value, line: u64) -> Port {
    let mut table = json!({"kind": "htb", "classes": classes});
    more.as_object().expect("a table").iter().for_each(|(name, value)| table[name] = value.clone());
    let spec: Spec = serde_json::from_value(table).expect("a valid discipline");
    let link = LinkInfo { rate: Rate::from_bps(line).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"))
}

/// What arrives, in ps, with priority and bytes; what is sent on a line that takes no time, and what was dropped.
fn run(classes: &Value, more: &Value, arrivals: &[(u64, u8, u32)]) -> (Vec<Out>, Vec<u32>) {
    let (mut port, mut sent) = (port(classes, more, 1 << 60), Vec::new());
    for (handle, &(at, class, bytes)) in (0..).zip(arrivals) {
        let packet = Packet { handle, bytes, class, ecn: Ecn::Ect0, ..Packet::default() };
        port.offer(packet, Time::from_ps(at), &mut each_sent(|s| sent.push((s.packet.handle, s.packet.class, s.packet.bytes, s.start.as_ps()))));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push((s.packet.handle, s.packet.class, s.packet.bytes, s.start.as_ps()))));
    (sent, port.dropped().iter().map(|gone| gone.handle).collect())
}

/// The rates in kbit/s that the priorities below 4 have over ten seconds, with a backlog of each in `backlogged`.
fn rates(classes: &Value, backlogged: &[u8]) -> [u64; 4] {
    let arrivals: Vec<(u64, u8, u32)> = backlogged.iter().flat_map(|class| vec![(0, *class, 1000); 1500]).collect();
    let (sent, _) = run(classes, &json!({"buffer": "1500pkt"}), &arrivals);
    let mut bits = [0; 4];
    for (_, class, bytes, at) in sent {
        if at < 10_000 * MS {
            bits[usize::from(class)] += u64::from(bytes) * 8;
        }
    }
    bits.map(|bits| bits / 10_000)
}

fn leaf(name: &str, parent: &str, kbps: u64, ceil: u64, prio: u8, priority: u8) -> Value {
    json!({"name": name, "parent": parent, "rate": format!("{kbps}kbit/s"), "ceil": format!("{ceil}kbit/s"), "prio": prio,
        "priorities": [priority]})
}

fn top(kbps: u64) -> Value {
    json!({"name": "top", "rate": format!("{kbps}kbit/s")})
}

fn near(found: [u64; 4], expected: [u64; 4]) {
    let apart = found.iter().zip(&expected).map(|(found, expected)| found.abs_diff(*expected)).max();
    assert!(apart <= Some(4), "{found:?}, expected {expected:?}");
}

#[test]
fn a_bucket_may_be_overdrawn_by_a_packet() {
    // 1000 bytes per second. The first packet empties the bucket, the second overdraws it.
    let class = json!([{"name": "a", "rate": "8kbit/s", "burst": "100B", "cburst": "100B"}]);
    let times: Vec<u64> = run(&class, &json!({}), &[(0, 0, 100); 4]).0.iter().map(|out| out.3 / MS).collect();
    assert_eq!(times, [0, 0, 100, 200]);
    // By the lesser of the bursts, since this class has none above it.
    let class = json!([{"name": "a", "rate": "8kbit/s", "ceil": "80kbit/s", "burst": "200B", "cburst": "100B"}]);
    let times: Vec<u64> = run(&class, &json!({}), &[(0, 0, 100); 6]).0.iter().map(|out| out.3 / MS).collect();
    assert_eq!(times, [0, 0, 10, 100, 200, 300]);
}

#[test]
fn spare_rate_is_shared_by_quanta() {
    // 200 and 100 are promised; of the 700 that are left two thirds go to the one with twice the quantum.
    let classes = json!([top(1000), leaf("a", "top", 200, 1000, 0, 0), leaf("b", "top", 100, 1000, 0, 1)]);
    near(rates(&classes, &[0, 1]), [667, 333, 0, 0]);
    let mut equal = classes.clone();
    (equal[1]["quantum"], equal[2]["quantum"]) = (json!("1000B"), json!("1000B"));
    near(rates(&equal, &[0, 1]), [550, 450, 0, 0]);
    // One alone has all.
    near(rates(&classes, &[1]), [0, 1000, 0, 0]);
}

#[test]
fn a_lower_prio_borrows_first_and_no_one_exceeds_the_ceil() {
    let classes = json!([top(1000), leaf("a", "top", 200, 600, 0, 0), leaf("b", "top", 100, 1000, 1, 1)]);
    near(rates(&classes, &[0, 1]), [600, 400, 0, 0]);
    // What is promised it has all the same.
    let classes = json!([top(1000), leaf("a", "top", 200, 1000, 0, 0), leaf("b", "top", 100, 1000, 1, 1)]);
    near(rates(&classes, &[0, 1]), [900, 100, 0, 0]);
    near(rates(&json!([top(1000), leaf("a", "top", 200, 300, 0, 0)]), &[0]), [300, 0, 0, 0]);
}

#[test]
fn the_nearest_class_lends_first() {
    let inner = json!({"name": "inner", "parent": "top", "rate": "500kbit/s", "ceil": "1Mbit/s"});
    let classes = json!([top(1000), inner, leaf("a", "inner", 100, 1000, 0, 0), leaf("b", "top", 300, 1000, 0, 1)]);
    // 500 through the inner class. Of the 200 that are left b has nearly all: a turn of a that the inner class lent itself ends its turn above too.
    near(rates(&classes, &[0, 1]), [503, 497, 0, 0]);
    let inner = json!({"name": "inner", "parent": "top", "rate": "500kbit/s", "ceil": "500kbit/s"});
    let classes = json!([top(1000), inner, leaf("a", "inner", 100, 1000, 0, 0), leaf("b", "top", 300, 1000, 0, 1)]);
    near(rates(&classes, &[0, 1]), [500, 500, 0, 0]);
    // More is promised than there is: what a leaf is promised it has whatever the class above it has.
    let classes = json!([top(300), leaf("a", "top", 200, 200, 0, 0), leaf("b", "top", 200, 200, 0, 1)]);
    near(rates(&classes, &[0, 1]), [200, 200, 0, 0]);
}

#[test]
fn lenders_of_one_level_take_turns() {
    let inner = |name: &str| json!({"name": name, "parent": "top", "rate": "300kbit/s"});
    let classes = json!([
        top(1000), inner("x"), inner("y"), leaf("a", "x", 10, 1000, 0, 0), leaf("b", "x", 10, 1000, 0, 1), leaf("c", "y", 10, 1000, 0, 2),
        leaf("d", "top", 10, 1000, 0, 3)
    ]);
    near(rates(&classes, &[0, 1, 2, 3]), [150, 150, 300, 400]);
}

#[test]
fn turns_of_lenders_by_hand() {
    // Three classes that lend at once, of which the second has two leaves. Each leaf has a byte of its own, and so borrows from its second packet on.
    let lender = |name: &str| json!({"name": name, "rate": "1Mbit/s", "burst": "9KB", "cburst": "9KB"});
    let borrower = |name: &str, parent: &str, priority: u8| {
        json!({"name": name, "parent": parent, "rate": "1bit/s", "ceil": "1Mbit/s", "burst": "1B", "cburst": "9KB", "quantum": "250B",
            "priorities": [priority]})
    };
    let classes = json!([
        lender("x"), lender("y"), lender("z"), borrower("a", "x", 0), borrower("b", "y", 1), borrower("c", "z", 2), borrower("d", "y", 3)
    ]);
    let (mut port, mut sent) = (port(&classes, &json!({}), 8_000_000), Vec::new());
    for class in [[0; 7], [1; 7], [2; 7], [3; 7]].concat() {
        port.offer(Packet { bytes: 100, class, ..Packet::default() }, Time::ZERO, &mut each_sent(|s| sent.push(s.packet.class)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.class)));
    // What each has without borrowing; then turns of 250 bytes that the lenders give one after the other, y one to b and one to d: a packet in the first, of which
    // 150 are left, two in the second and three in the third.
    let turn = |packets: usize| [0, 1, 3, 2].map(|class| vec![class; packets]).concat();
    assert_eq!(sent, [vec![0, 1, 2, 3], turn(1), turn(2), turn(3)].concat());
}

#[test]
fn an_aqm_that_looks_at_conversations_is_refused() {
    let mut refused = 0;
    for entry in crate::aqm::LIST {
        let read = serde_json::from_value::<Spec>(json!({"kind": "htb", "aqm": entry.name})).map_err(|error| error.to_string());
        let looks = crate::aqm::Spec::default_of(entry.name).expect("in the list").per_conversation();
        assert_eq!(read.is_err(), looks, "{}", entry.name);
        if let Err(text) = read {
            assert!(text.contains("aqm") && text.contains("one may be in several leaves"), "{text}");
            refused += 1;
        }
    }
    assert!(refused > 0);
}

#[test]
fn turns_by_hand() {
    let class = |name: &str, priority: u8| {
        json!({"name": name, "rate": "1Mbit/s", "burst": "9KB", "cburst": "9KB", "quantum": "250B", "priorities": [priority]})
    };
    let arrivals: Vec<(u64, u8, u32)> = [vec![(0, 0, 100); 6], vec![(0, 1, 100); 6]].concat();
    let (mut port, mut sent) = (port(&json!([class("a", 0), class("b", 1)]), &json!({}), 8_000_000), Vec::new());
    for (handle, (_, class, bytes)) in (0..).zip([vec![(0, 0, 1)], arrivals].concat()) {
        port.offer(Packet { handle, bytes, class, ..Packet::default() }, Time::ZERO, &mut each_sent(|s| sent.push(s.packet.handle)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.handle)));
    // The first one left as it arrived: with it a has used one byte of its first turn, and is one below zero.
    sent.remove(0);
    let order: Vec<u32> = sent.iter().map(|handle| handle - 1).collect();
    assert_eq!(order.len(), 12);
    // a left 249, so: two packets, then the third ends its turn; b begins at 0 and has one packet in its first turn.
    assert_eq!(order, [6, 0, 1, 2, 7, 8, 3, 4, 9, 10, 11, 5]);
}

#[test]
fn a_leaf_of_no_priority_takes_the_rest() {
    let classes = json!([top(1000), leaf("a", "top", 100, 100, 0, 7), leaf("b", "top", 800, 800, 0, 9)]);
    near(rates(&classes, &[0]), [800, 0, 0, 0]);
    let classes = json!([top(1000), leaf("a", "top", 100, 100, 0, 0), leaf("b", "top", 800, 800, 0, 9)]);
    near(rates(&classes, &[0, 3]), [100, 0, 0, 800]);
}

#[test]
fn a_full_leaf_takes_nothing_and_leaves_others_alone() {
    let classes = json!([top(8), leaf("a", "top", 4, 8, 0, 0), leaf("b", "top", 4, 8, 0, 1)]);
    let arrivals: Vec<(u64, u8, u32)> = [vec![(0, 0, 1600); 6], vec![(0, 1, 1600); 3]].concat();
    // Two of the first leaf leave at once, after which it owes and so does the class above it.
    let (sent, dropped) = run(&classes, &json!({"buffer": "2pkt"}), &arrivals);
    assert_eq!(dropped, [4, 5]);
    assert_eq!(sent.len(), 7);
    let (_, dropped) = run(&classes, &json!({"buffer": "3200B"}), &arrivals);
    assert_eq!(dropped, [4, 5]);
}

#[test]
fn each_leaf_has_an_aqm_and_what_it_drops_takes_no_tokens() {
    let class = json!([{"name": "a", "rate": "8kbit/s", "burst": "100B", "cburst": "100B"}]);
    let codel = json!({"aqm": {"kind": "codel", "target": "30ms", "interval": "100ms", "max_packet": "100B"}});
    let (sent, dropped) = run(&class, &codel, &[(0, 0, 100); 30]);
    assert!(dropped.len() > 2, "{dropped:?}");
    for (place, (.., at)) in sent.iter().enumerate() {
        assert_eq!(*at, (place as u64).saturating_sub(1) * 100 * MS);
    }
    // Marks above two packets in the leaf: ten wait in the other.
    let classes = json!([top(8), leaf("a", "top", 4, 8, 0, 0), leaf("b", "top", 4, 8, 0, 1)]);
    let mut port = port(&classes, &json!({"aqm": {"kind": "threshold", "queue": "2pkt"}}), 1 << 60);
    let mut marked = Vec::new();
    for (handle, class) in (0..).zip([vec![0; 14], vec![1; 6]].concat()) {
        let packet = Packet { handle, bytes: 1600, class, ecn: Ecn::Ect0, ..Packet::default() };
        port.offer(packet, Time::ZERO, &mut each_sent(|_| {}));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| marked.push((s.packet.class, s.packet.ecn == Ecn::Ce))));
    let of = |class: u8| marked.iter().filter(|(own, marked)| *own == class && *marked).count();
    // Two of each leave at once; those are marked that find more than two waiting.
    assert_eq!((of(0), of(1)), (9, 1));
}

#[test]
fn what_an_aqm_drops_takes_no_part_of_a_turn() {
    let params: HtbParams = serde_json::from_value(json!({"classes": [
        top(1000), leaf("a", "top", 4, 1000, 0, 0), leaf("b", "top", 4, 1000, 0, 1)]})).expect("valid parameters");
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let (mut htb, mut rng, mut dropped) = (Htb::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for handle in 0..12 {
        htb.enqueue(Packet { handle, bytes: 700, class: (handle % 2) as u8, ..Packet::default() }, &mut cx);
    }
    for at in 0..6 {
        cx.now = Time::from_ps(at * 100 * MS);
        let state = |htb: &Htb| -> Vec<([i64; DEPTH], [f64; 2])> {
            htb.classes.iter().map(|c| (c.left, [c.rate.bytes(cx.now), c.ceil.bytes(cx.now)])).collect()
        };
        let before = state(&htb);
        let packet = htb.dequeue(&mut Cx::new(cx.now, cx.rng, cx.dropped)).expect("there are tokens");
        htb.take_back(&packet);
        assert_eq!(state(&htb), before);
        // The same leaf goes on.
        let next = htb.dequeue(&mut cx);
        assert!(next.is_none_or(|next| next.class == packet.class || htb.queues[packet.class as usize].packets.is_empty()));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let error = |classes: Value| serde_json::from_value::<Spec>(json!({"kind": "htb", "classes": classes})).unwrap_err().to_string();
    let with = |name: &str, value: Value| {
        let mut class = json!({"name": "a", "parent": "top", "rate": "1Mbit/s"});
        class[name] = value;
        error(json!([top(1000), class]))
    };
    assert!(error(json!([])).contains("expected 1 to 256 classes"));
    assert!(error(json!([{"name": "a"}])).contains("rate"));
    assert!(error(json!([{"rate": "1Mbit/s"}])).contains("name"));
    for (name, value, expected) in [
        ("name", json!("top"), "classes[1].name"), ("name", json!(""), "classes[1].name"), ("parent", json!("a"), "an earlier class"),
        ("parent", json!("b"), "classes[1].parent"), ("ceil", json!("999kbit/s"), "at least `rate`, 1Mbit/s"), ("prio", json!(8), "prio"),
        ("burst", json!("0B"), "classes[1].burst"), ("cburst", json!("0B"), "classes[1].cburst"), ("quantum", json!("0B"), "classes[1].quantum"),
        ("priorities", json!([1, 2, 1]), "classes[1].priorities[2]"), ("rates", json!(1), "unknown field `rates`"),
    ] {
        let text = with(name, value);
        assert!(text.contains(expected), "{text}");
    }
    let mut inner = top(1000);
    inner["priorities"] = json!([1]);
    assert!(error(json!([inner, leaf("a", "top", 1, 1, 0, 0)])).contains("packets go into leaves"));
    let twice = error(json!([top(1000), leaf("a", "top", 1, 1, 0, 3), leaf("b", "top", 1, 1, 0, 3)]));
    assert!(twice.contains("classes[2].priorities[0]"), "{twice}");
    let chain = |long: usize| -> Value {
        (0..long).map(|i| if i == 0 { json!({"name": "0", "rate": "1Mbit/s"}) } else {
            json!({"name": i.to_string(), "parent": (i - 1).to_string(), "rate": "1Mbit/s"}) }).collect()
    };
    assert!(error(chain(9)).contains("at most 8 classes above each other"));
    near(rates(&chain(8), &[0]), [1000, 0, 0, 0]);
}

#[test]
fn it_tells_its_class() {
    let params: HtbParams = serde_json::from_value(json!({"classes": [top(1000), leaf("a", "top", 8, 80, 0, 0), leaf("b", "top", 4, 1000, 3, 1)]}))
        .expect("valid parameters");
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let (mut htb, mut rng, mut dropped) = (Htb::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    (0..2).for_each(|_| htb.enqueue(Packet { bytes: 1700, ..Packet::default() }, &mut cx));
    assert!(htb.dequeue(&mut cx).is_some());
    let told = |class: u8| {
        let mut all = Vec::new();
        htb.explain(&Packet { class, ..Packet::default() }, &Look::default(), &mut |_, value| all.push(value));
        all
    };
    assert_eq!(told(0), [0.0, 0.0, 1.0, 1700.0, -100.0, -100.0, 0.01, 1.0]);
    assert_eq!(told(1), [1.0, 3.0, 0.0, 0.0, 1600.0, 1600.0, 0.0, 0.0]);
}

proptest! {
    /// No class exceeds its ceil but for its burst and a packet, and a leaf with a backlog has its rate but for a turn of each.
    #[test]
    fn rates_are_kept(
        packets in prop::collection::vec((0..3u8, 100..1500u32), 200..400),
        kbps in prop::array::uniform3(20..300u64),
        more in prop::array::uniform3(0..600u64),
        prios in prop::array::uniform3(0..3u8),
        burst in 100..4000u64,
    ) {
        let inner = json!({"name": "inner", "parent": "top", "rate": format!("{}kbit/s", kbps[0] + kbps[1]), "ceil": "700kbit/s"});
        let top = json!({"name": "top", "rate": "900kbit/s", "cburst": format!("{burst}B")});
        let class = |name: &str, i: usize, parent: &str| leaf(name, parent, kbps[i], kbps[i] + more[i], prios[i], i as u8);
        let classes = json!([top, inner, class("a", 0, "inner"), class("b", 1, "inner"), class("c", 2, "top")]);
        let arrivals: Vec<(u64, u8, u32)> = packets.iter().map(|(class, bytes)| (0, *class, *bytes)).collect();
        let (sent, _) = run(&classes, &json!({}), &arrivals);
        prop_assert_eq!(sent.len(), packets.len());
        let bound = |of: &[u8], kbps: u64, burst: u64| -> Result<(), TestCaseError> {
            let own: Vec<&Out> = sent.iter().filter(|out| of.contains(&out.1)).collect();
            for (i, first) in own.iter().enumerate() {
                let mut bytes = 0;
                for out in &own[i..] {
                    // The last packet may overdraw the bucket.
                    let most = u128::from(out.3 - first.3) * u128::from(kbps * 1000);
                    prop_assert!(u128::from(bytes) * 8_000_000_000_000 <= most + u128::from(burst + 1500) * 8_000_000_000_000);
                    bytes += u64::from(out.2);
                }
            }
            Ok(())
        };
        (0..3).try_for_each(|i| bound(&[i as u8], kbps[i] + more[i], 1600))?;
        // Leaves send their bursts whatever the class above them has.
        bound(&[0, 1], 700, 1600 + 2 * 3100)?;
        bound(&[0, 1, 2], 900, burst + 3 * 3100)?;
        // The sum of the rates is at most 900, so that each has its own as long as it has packets.
        for i in 0..3u8 {
            let own: Vec<&Out> = sent.iter().filter(|out| out.1 == i).collect();
            let mut bytes = 0;
            for out in own {
                let promised = u128::from(out.3) * u128::from(kbps[usize::from(i)] * 1000) / 8_000_000_000_000;
                prop_assert!(u128::from(bytes + out.2) + 8_000 >= promised, "{} of {} at {}", bytes, promised, out.3);
                bytes += out.2;
            }
        }
    }
}
