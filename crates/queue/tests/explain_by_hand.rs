//! The numbers that disciplines decide with, worked out by hand.

use crate::common::explained;
use crate::common::told::each_sent;

use explained::{Arrival, Numbers, explained, link, packets, spec};
use headgate_packet::{Buffer, Packet, Rng, Time};
use headgate_queue::says::read;
use headgate_queue::{DropReason, Number, Port};

/// The explained numbers of packet `last` of these arrivals at 8 kbit/s, a ms a byte; all others were handed over before.
fn told_of_last(text: &str, arrivals: &[Arrival]) -> Numbers {
    let mut port = Port::new(spec(text).build(&link()), link().rate, Rng::new(1, 0, "port"));
    let mut numbers = Numbers::new();
    for (now, packet) in packets(arrivals) {
        port.advance(now, &mut each_sent(|_| {}));
        numbers = explained(&port, packet, now);
        port.offer(packet, now, &mut each_sent(|_| {}));
    }
    numbers
}

fn of(numbers: &Numbers, names: &[&str]) -> Vec<f64> {
    names.iter().map(|name| *numbers.get(name).unwrap_or_else(|| panic!("no {name} in {numbers:?}"))).collect()
}

#[test]
fn fair_queueing_by_hand() {
    // Conversation 0, weight 1, sends 100 bytes, 800 bits, at 0: F = 800. 1, weight 2, at 10 ms, when R = 80 bits: 100 bytes are 400 rounds, F = 480.
    // At 40 ms both have had (240 bits) / 3 = 80 more rounds: R = 160. 1's next one starts at 480.
    let numbers = told_of_last(r#"{"kind": "fq"}"#, &[(0, 0, 100), (10, 1, 100), (30, 1, 50)]);
    let names = ["round_number", "start_number", "finish_number", "bid", "weight", "active_conversations"];
    assert_eq!(of(&numbers, &names), [160.0, 480.0, 680.0, 680.0, 2.0, 2.0]);
    assert_eq!(of(&numbers, &["own_queue_packets", "own_queue_bytes", "buffer_packets"]), [1.0, 100.0, 100.0]);
    // With a promptness of 20 bytes, 160 bits, a conversation whose packet arrives when R = 80 bids from 0.
    let prompt = told_of_last(r#"{"kind": "fq", "delta": "20B"}"#, &[(0, 0, 100), (10, 1, 100)]);
    assert_eq!(of(&prompt, &["round_number", "finish_number", "bid"]), [80.0, 480.0, 400.0]);
    // R passes the first one's finish number at 100 ms and stands still.
    let idle = told_of_last(r#"{"kind": "fq"}"#, &[(0, 0, 100), (900, 1, 100)]);
    assert_eq!(of(&idle, &["round_number", "finish_number", "active_conversations"]), [800.0, 1200.0, 0.0]);
}

#[test]
fn rounds_by_hand() {
    // The first packet is sent at once. 0's queue has two of 100 bytes and its turn is to come: 300 bytes take two turns of 150 bytes.
    let text = r#"{"kind": "drr", "quantum": "150B"}"#;
    let numbers = told_of_last(text, &[(0, 3, 200), (0, 0, 100), (0, 0, 100), (0, 0, 100)]);
    let names = ["deficit", "quantum", "turns", "queues_in_turn", "own_queue_packets"];
    assert_eq!(of(&numbers, &names), [0.0, 150.0, 2.0, 1.0, 2.0]);
    // At 400 ms the line has sent 200 of 3 and one of 0, which has 50 bytes left of its turn: 200 bytes take one more turn.
    let numbers = told_of_last(text, &[(0, 3, 200), (0, 0, 100), (0, 0, 100), (250, 0, 100)]);
    assert_eq!(of(&numbers, &["deficit", "turns", "own_queue_packets"]), [50.0, 1.0, 1.0]);
    let numbers = told_of_last(r#"{"kind": "sfq", "queues": 1}"#, &[(0, 3, 200), (0, 0, 100), (0, 1, 100)]);
    assert_eq!(of(&numbers, &["queue", "queues_in_turn", "turns"]), [0.0, 1.0, 2.0]);
    // Levels 0 to 2: 1's packets are of level 1, whose frame has 10 slots of 100 bytes and is as long as two of level 0, 2 s: 2 slots are its own.
    let text = r#"{"kind": "hrr", "slot": "100B"}"#;
    let numbers = told_of_last(text, &[(0, 1, 120), (0, 1, 50), (10, 1, 50)]);
    let names = ["level", "allocation", "allocation_left", "level_left", "frame"];
    assert_eq!(of(&numbers, &names), [1.0, 200.0, 80.0, 880.0, 2.0]);
    let later = told_of_last(text, &[(0, 1, 120), (0, 1, 50), (2000, 1, 50)]);
    assert_eq!(of(&later, &names), [1.0, 200.0, 200.0, 1000.0, 2.0]);
}

#[test]
fn averages_decay_before_they_are_told() {
    // With weight 0.25: a packet that is sent at once, of 100 ms, and one that arrives 200 ms after its end, which are two typical packets.
    for (kind, average) in [("red", 0.0), ("fred", 0.25 * 0.75 * 0.75 * 0.75)] {
        let text = format!(r#"{{"kind": "{kind}", "weight": 0.25, "mean_packet": "100B"}}"#);
        assert_eq!(told_of_last(&text, &[(0, 0, 100), (300, 0, 100)])["average_queue_packets"], average, "{kind}");
    }
}

#[test]
fn a_part_of_the_average_queue_by_hand() {
    // Eight packets at once, 100 ms each; FRED takes a sample when one is queued and when one is sent. The ninth arrives 200 ms after the end of the last.
    let samples = [1, 0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1, 0];
    let average = samples.iter().fold(0.0, |average, queue| average + 0.25 * (f64::from(*queue) - average));
    let faded: f64 = average * 0.75 * 0.75;
    let mut arrivals = vec![(0, 0, 100); 8];
    arrivals.push((1000, 0, 100));
    let text = r#"{"kind": "fred", "weight": 0.25, "mean_packet": "100B"}"#;
    let numbers = told_of_last(text, &arrivals);
    assert!((numbers["average_queue_packets"] - faded).abs() < 1e-12 && average > 1.0, "{numbers:?}");
    assert_eq!(
        of(&numbers, &["fair_part_packets", "own_queue_packets", "strikes", "probability"]),
        [faded.max(1.0), 0.0, 0.0, 0.0]
    );
    // Selective DECbit counts over the last busy and idle cycle and the present one: a packet of 50 ms in 900 ms, and this one.
    let arrivals = [(0, 0, 50), (0, 0, 50), (0, 0, 50), (900, 0, 50), (900, 0, 50)];
    let numbers = told_of_last(r#"{"kind": "selective_decbit"}"#, &arrivals);
    assert_eq!(of(&numbers, &["average_queue_packets", "counted", "fair_part_packets"]), [50.0 / 900.0, 2.0, 1.8]);
}

#[test]
fn priorities_and_random_places_by_hand() {
    // Classes are the conversation modulo 3. The first one is sent at once.
    let waiting = [(0, 0, 100), (0, 0, 100), (0, 1, 100), (0, 2, 100), (0, 2, 100), (0, 1, 100)];
    let numbers = told_of_last(r#"{"kind": "strict_priority"}"#, &waiting);
    assert_eq!(of(&numbers, &["priority", "ahead", "worse"]), [1.0, 2.0, 2.0]);
    let drop_tail = told_of_last(r#"{"kind": "strict_priority", "drop_policy": "arrival"}"#, &waiting);
    assert_eq!(of(&drop_tail, &["ahead", "worse"]), [2.0, 0.0]);
    let numbers = told_of_last(r#"{"kind": "blt"}"#, &waiting);
    assert_eq!(of(&numbers, &["priority", "ahead", "worse"]), [1.0, 4.0, 2.0]);
    let numbers = told_of_last(r#"{"kind": "random_drop", "buffer": "4pkt"}"#, &waiting);
    assert_eq!(of(&numbers, &["held_packets", "buffer_packets", "probability"]), [4.0, 4.0, 0.2]);
    let roomy = told_of_last(r#"{"kind": "random_drop", "buffer": "5pkt"}"#, &waiting);
    assert!(!roomy.contains_key("probability"));
}

#[test]
fn every_discipline_tells_of_its_buffer_first() {
    for entry in headgate_queue::LIST {
        let (mut all, spec) = (Vec::new(), spec(&format!("{:?}", entry.name)));
        let port = Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
        port.explain(Packet { bytes: 100, ..Packet::default() }, Time::ZERO, &mut |number, _| all.push(number));
        assert_eq!(all[..2], [Number::HeldPackets, Number::HeldBytes], "{}", entry.name);
        let limit = all.contains(&Number::BufferPackets) || all.contains(&Number::BufferBytes);
        // Where each queue has a buffer of its own a packet is refused because its queue is full.
        let says = read(entry.card.says).expect("the sentences are read").sentences;
        let own = says.iter().any(|said| said.outcomes.contains(&DropReason::QueueFull.name()));
        assert!(limit || own, "{}: {all:?}", entry.name);
    }
}

#[test]
fn what_is_in_transmission_counts_where_it_is_set_to() {
    let mut port = Port::new(spec(r#"{"kind": "fcfs"}"#).build(&link()), link().rate, Rng::new(1, 0, "port"));
    let packet = Packet { bytes: 100, ..Packet::default() };
    port.count_in_service(headgate_queue::InService::UntilEnd);
    port.offer(packet, Time::ZERO, &mut each_sent(|_| {}));
    let held = |port: &Port, ms: u64| {
        let numbers = explained(port, packet, Time::from_ps(ms * 1_000_000_000));
        of(&numbers, &["held_packets", "held_bytes"])
    };
    assert_eq!([held(&port, 99), held(&port, 100)], [[1.0, 100.0], [0.0, 0.0]]);
    assert_eq!(Buffer::Packets(100).limit(), explained(&port, packet, Time::ZERO)["buffer_packets"]);
}
