use crate::told::each_sent;
use super::*;
use headgate_packet::{FlowId, Rng};
use proptest::prelude::*;

/// Sends (second, conversation, priority, bytes) through a line of a byte per second; gives second and conversation of each start up to `until`.
fn starts(spec: &str, weights: &[u32], arrivals: &[(u64, u32, u8, u32)], until: u64) -> Vec<(u64, u32)> {
    let spec: crate::Spec = serde_json::from_str(&format!(r#"{{"kind": "hrr", {spec}}}"#)).expect("valid");
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: weights.len(), weights: weights.to_vec(), hosts: vec![] };
    let mut port = crate::Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
    let (mut out, second) = (Vec::new(), 1_000_000_000_000);
    for &(at, flow, class, bytes) in arrivals {
        let packet = Packet { flow: FlowId(flow), class, bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(at * second), &mut each_sent(|s| out.push(s)));
    }
    port.advance(Time::from_ps(until * second - 1), &mut each_sent(|s| out.push(s)));
    out.iter().map(|s| (s.start.as_ps() / second, s.packet.flow.0)).collect()
}

/// Two levels of four slots of a second, two of the first level's for the second one, whose frame so takes eight seconds.
const TWO: &str = r#""slot": "1B", "slots": [4, 4], "lower": [2], "buffer": "1000pkt""#;

#[test]
fn frames_and_levels() {
    // A and B on the first level, C on the second, a slot each; D is best effort. All have enough to send from the beginning on.
    let all: Vec<(u64, u32, u8, u32)> =
        (0..40).map(|i| (0, i % 4, [0, 0, 1, 2][i as usize % 4], 1)).collect();
    let order: Vec<u32> = starts(TWO, &[1; 4], &all, 16).iter().map(|s| s.1).collect();
    // C has one slot in eight seconds; what is left of two is D's.
    assert_eq!(order, [0, 1, 2, 3, 0, 1, 3, 3, 0, 1, 2, 3, 0, 1, 3, 3]);
    // A class beyond the last is best effort too.
    let beyond: Vec<_> = all.iter().map(|a| if a.2 == 2 { (a.0, a.1, 9, a.3) } else { *a }).collect();
    assert_eq!(starts(TWO, &[1; 4], &beyond, 16), starts(TWO, &[1; 4], &all, 16));
    // Without D the line is idle in its place, though A, B and C have packets.
    let three: Vec<_> = all.iter().copied().filter(|a| a.1 < 3).collect();
    let held = [(0, 0), (1, 1), (2, 2), (4, 0), (5, 1), (8, 0), (9, 1), (10, 2), (12, 0), (13, 1)];
    assert_eq!(starts(TWO, &[1; 4], &three, 16), held);
    // Or it serves those that have had theirs.
    let spare = starts(&format!(r#"{TWO}, "work_conserving": true"#), &[1; 4], &three, 16);
    assert!(spare.iter().map(|s| s.0).eq(0..16));
    let got = |flow: u32, from: u64, to: u64| spare.iter().filter(|s| s.1 == flow && (from..to).contains(&s.0)).count();
    assert!((0..4).all(|frame| got(0, 4 * frame, 4 * frame + 4) > 0 && got(1, 4 * frame, 4 * frame + 4) > 0));
    assert!(got(2, 0, 8) > 0 && got(2, 8, 16) > 0);
}

#[test]
fn a_level_keeps_to_its_slots() {
    // C and D may have three slots each in eight seconds, but the second level has four slots in that time, two in each frame of the first.
    let all: Vec<(u64, u32, u8, u32)> = (0..40).map(|i| (0, i % 2, 1, 1)).collect();
    let started = starts(TWO, &[3, 3], &all, 12);
    assert_eq!(started, [(0, 0), (1, 1), (4, 0), (5, 1), (8, 0), (9, 1)]);
    // Three conversations of a slot each share the first level's two.
    let all: Vec<(u64, u32, u8, u32)> = (0..40).map(|i| (0, i % 3, 0, 1)).collect();
    assert_eq!(starts(TWO, &[1; 3], &all, 12), [(0, 0), (1, 1), (4, 2), (5, 0), (8, 1), (9, 2)]);
}

#[test]
fn what_is_overdrawn_is_made_up_for() {
    // Packets of three bytes with an allocation of one in four seconds: one every twelve.
    let spec = r#""slot": "1B", "slots": [4], "lower": []"#;
    let all = [(0, 0, 0, 3), (1, 0, 0, 3), (1, 0, 0, 3)];
    assert_eq!(starts(spec, &[1], &all, 100), [(0, 0), (12, 0), (24, 0)]);
    // A packet of 1 MiB is made up for in as many frames, which pass at once.
    let all = [(0, 0, 0, 1 << 20), (1, 0, 0, 1)];
    assert_eq!(starts(spec, &[1], &all, 5_000_000), [(0, 0), (4 << 20, 0)]);
    // What is not used is lost: after a pause there is one slot, not many.
    assert_eq!(starts(spec, &[1], &[(40, 0, 0, 1), (40, 0, 0, 1)], 100), [(40, 0), (44, 0)]);
}

#[test]
fn a_spare_slot_begins_the_frame_of_its_conversation() {
    // B overdraws the level, so that A and C live on spare slots. A used its slot in the first frame, which is over: it takes turns with C.
    let spec = format!(r#"{TWO}, "work_conserving": true"#);
    let all = [(0, 0, 0, 1), (4, 1, 0, 9), (5, 0, 0, 1), (5, 2, 0, 1), (5, 0, 0, 1), (5, 2, 0, 1)];
    let started = starts(&spec, &[1, 10, 1], &all, 20);
    assert_eq!(started, [(0, 0), (4, 1), (13, 0), (14, 2), (15, 0), (16, 2)]);
}

proptest! {
    /// A conversation that always has packets starts exactly its allocation in every frame, whatever others do, if allocations fit.
    #[test]
    fn allocations_are_kept(
        others in prop::collection::vec((0..64u64, 2..8u32, 0..4u8), 0..300),
        greedy in prop::collection::vec(any::<bool>(), 6),
    ) {
        // Three levels: 6 slots, 4 of them for 8, 2 of these for 4. Frames take 6, 12 and 24 s. Two conversations per level share it.
        let spec = r#""slot": "1B", "slots": [6, 8, 4], "lower": [4, 2], "buffer": "100000pkt""#;
        let weights = [1, 1, 2, 4, 1, 3, 1, 1];
        let level = |flow: u32| (flow / 2) as u8;
        let frames = [6, 12, 24];
        let greedy: Vec<u32> = (0..6).filter(|f| greedy[*f as usize]).collect();
        let mut list: Vec<(u64, u32, u8, u32)> =
            (0..64).flat_map(|_| greedy.iter().map(|f| (0, *f, level(*f), 1))).collect();
        // The others, and best effort, arrive when they like.
        list.extend(others.iter().filter(|o| !greedy.contains(&o.1)).map(|&(at, flow, _)| (at, flow, level(flow), 1)));
        list.sort_by_key(|a| a.0);
        let started = starts(spec, &weights, &list, 72);
        for flow in 0..6u32 {
            let period = frames[level(flow) as usize];
            for frame in 0..72 / period {
                let got = started.iter().filter(|s| s.1 == flow && s.0 / period == frame).count() as u32;
                let due = weights[flow as usize];
                prop_assert!(got == due || (got < due && !greedy.contains(&flow)), "{} in frame {}: {}", flow, frame, got);
            }
        }
    }
}
