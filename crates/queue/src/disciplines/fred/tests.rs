use super::*;
use headgate_packet::{FlowId, Rate, Rng, Time};
use proptest::prelude::*;

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

/// A queue that is filled and emptied by hand, at time 0.
struct Bench {
    queue: Fred,
    rng: Rng,
    dropped: Vec<crate::Dropped>,
}

impl Bench {
    fn new(params: &FredParams) -> Bench {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 8, weights: vec![], hosts: vec![] };
        Bench { queue: Fred::new(params, &link), rng: Rng::new(1, 0, "fred"), dropped: Vec::new() }
    }

    /// Thresholds of 4 and 8 packets; the average is the queue itself.
    fn plain(variant: u8, max_p: f64) -> Bench {
        let (min_threshold, max_threshold, weight) = (Buffer::Packets(4), Buffer::Packets(8), 1.0);
        Bench::new(&FredParams { variant, min_threshold, max_threshold, weight, max_p, ..FredParams::default() })
    }

    /// Whether a packet passes.
    fn offer(&mut self, flow: u32, bytes: u32) -> bool {
        let before = self.dropped.len();
        let mut cx = Cx::new(Time::ZERO, &mut self.rng, &mut self.dropped);
        self.queue.enqueue(Packet { flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
        self.dropped.len() == before
    }

    /// How many of these packets pass.
    fn passed(&mut self, flow: u32, packets: u32) -> usize {
        (0..packets).filter(|_| self.offer(flow, 1000)).count()
    }

    fn send(&mut self) -> Option<u32> {
        let mut cx = Cx::new(Time::ZERO, &mut self.rng, &mut self.dropped);
        self.queue.dequeue(&mut cx).map(|p| p.flow.0)
    }

    fn strikes(&self, flow: u32) -> u32 {
        self.queue.accounts[flow as usize].strikes
    }
}

#[test]
fn who_had_strikes_is_held_to_the_average() {
    let mut bench = Bench::plain(1, 0.0);
    // A may hold 4 packets; two more are lost with a strike each.
    assert_eq!((bench.passed(A, 6), bench.strikes(A)), (4, 2));
    assert_eq!(bench.passed(B, 1), 1);
    // One of A's is sent: four packets wait, avgcq is 2. A holds 3, less than 4, but has two strikes; B holds 1.
    assert_eq!(bench.send(), Some(A));
    assert_eq!((bench.passed(A, 1), bench.strikes(A)), (0, 3));
    assert_eq!(bench.passed(B, 1), 1);
    // Three of A's are sent, B's two are left: A is forgotten.
    assert_eq!([bench.send(), bench.send(), bench.send()], [Some(A); 3]);
    assert_eq!((bench.strikes(A), bench.queue.active), (0, 1));
    assert_eq!(bench.passed(A, 2), 2);
}

#[test]
fn the_variants_differ_from_the_upper_threshold_on() {
    // A and B hold 4 packets each: the average is 8. Variant 1 refuses every arrival, and a new conversation gets no strike for it.
    let mut first = Bench::plain(1, 0.0);
    assert_eq!([first.passed(A, 4), first.passed(B, 4), first.passed(C, 3)], [4, 4, 0]);
    assert_eq!(first.strikes(C), 0);
    // Variant 2 lets every conversation have two packets.
    let mut second = Bench::plain(2, 0.0);
    assert_eq!([second.passed(A, 4), second.passed(B, 4), second.passed(C, 3)], [4, 4, 2]);
    assert_eq!(second.strikes(C), 1);
    // Six conversations hold eight packets, three of them A: more than twice 8 / 6. In variant 1 that is a strike; in variant 2 three are too many
    // anyway.
    for variant in [1, 2] {
        let mut bench = Bench::plain(variant, 0.0);
        assert_eq!(bench.passed(A, 3), 3);
        assert!((1..6).all(|flow| bench.offer(flow, 1000)));
        assert_eq!((bench.passed(A, 1), bench.strikes(A)), (0, 1));
    }
}

#[test]
fn a_strike_in_a_crowd_is_for_more_than_twice_the_fair_part() {
    // Thresholds of 6 and 8 packets: eight wait, and variant 1 refuses every arrival. A conversation that holds more than twice 8 / `active` gets
    // a strike.
    let strikes = |held: &[u32]| {
        let (min_threshold, max_threshold, weight) = (Buffer::Packets(6), Buffer::Packets(8), 1.0);
        let params =
            FredParams { variant: 1, min_threshold, max_threshold, weight, max_p: 0.0, ..FredParams::default() };
        let mut bench = Bench::new(&params);
        for (flow, &packets) in (0..).zip(held) {
            assert_eq!(bench.passed(flow, packets), packets as usize);
        }
        assert_eq!(bench.passed(A, 1), 0);
        bench.strikes(A)
    };
    assert_eq!(strikes(&[2, 1, 1, 1, 1, 1, 1]), 0, "more than its part, 8 / 7, but not twice");
    assert_eq!(strikes(&[4, 2, 1, 1]), 0, "just twice");
    assert_eq!(strikes(&[4, 1, 1, 1, 1]), 1, "4 of 8 / 5");
}

#[test]
fn only_those_with_their_part_take_part_in_the_lottery() {
    let mut bench = Bench::plain(1, 1.0);
    // A's three find an average below 4; C's find 3, 4 and 5 packets while avgcq is 3, 2 and 2.5: none takes part.
    assert_eq!([bench.passed(A, 3), bench.passed(C, 3)], [3, 3]);
    // Now avgcq is 3 and pb = max_p (6 - 4) / 4 = 0.5: A's next takes part, and is certainly dropped, as two packets have passed. That is no strike.
    assert_eq!((bench.passed(A, 1), bench.strikes(A)), (0, 0));
    // B holds none and passes. One packet has passed since, pb = 0.75: certain again.
    assert_eq!([bench.passed(B, 1), bench.passed(C, 1)], [1, 0]);
}

#[test]
fn a_full_buffer_spaces_the_lottery_afresh() {
    let (min_threshold, max_threshold) = (Buffer::Packets(3), Buffer::Packets(7));
    let buffer = Buffer::Packets(5);
    let (weight, max_p, min_queue) = (1.0, 0.04, 0);
    let params = FredParams { buffer, min_threshold, max_threshold, weight, max_p, min_queue, ..FredParams::default() };
    let mut bench = Bench::new(&params);
    assert_eq!([bench.passed(A, 3), bench.passed(C, 2), bench.passed(B, 200)], [3, 2, 0]);
    // Four wait, pb = 0.01. A has its part, 2, and takes part: if the 200 that found no room counted as passed, it would certainly be dropped.
    assert_eq!(bench.send(), Some(A));
    assert_eq!(bench.passed(A, 1), 1);
}

#[test]
fn in_bytes_a_packet_is_a_typical_one() {
    let (min_threshold, max_threshold) = (Buffer::Bytes(4000), Buffer::Bytes(8000));
    let (variant, weight, max_p) = (2, 1.0, 0.0);
    let params = FredParams { variant, min_threshold, max_threshold, weight, max_p, ..FredParams::default() };
    let mut bench = Bench::new(&params);
    // 7999 bytes wait; a conversation may hold less than 4000 before its arrival.
    assert_eq!([bench.offer(A, 3999), bench.offer(A, 2000), bench.offer(A, 1)], [true, true, false]);
    assert!(bench.offer(B, 2000));
    // From 8000 on it may hold less than two packets of 1000 bytes.
    assert!(bench.offer(C, 1));
    assert_eq!([bench.offer(B, 1), bench.offer(C, 1999), bench.offer(C, 1)], [false, true, false]);
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Offer(u32, u32),
    Send,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let offer = (0..8u32, 1..1500u32).prop_map(|(flow, bytes)| Call::Offer(flow, bytes));
    // A conversation with most of the packets.
    let greedy = (1..1500u32).prop_map(|bytes| Call::Offer(0, bytes));
    prop::collection::vec(prop_oneof![3 => offer, 2 => greedy, 3 => Just(Call::Send)], 1..300)
}

proptest! {
    #[test]
    fn the_rules_hold_for_everybody(
        calls in calls(),
        variant in 1..3u8,
        (low, high) in (1..8u64, 1..8u64).prop_map(|(low, more)| (low, low + more)),
        (min_queue, buffer) in (0..5u32, 5..30u64),
        (weight, max_p) in (0.05..1.0f64, 0.0..1.0f64),
    ) {
        let mut bench = Bench::new(&FredParams {
            buffer: Buffer::Packets(buffer),
            variant,
            min_threshold: Buffer::Packets(low),
            max_threshold: Buffer::Packets(high),
            min_queue,
            weight,
            max_p,
            ..FredParams::default()
        });
        let mut held = [0u64; 8];
        for call in calls {
            match call {
                Call::Send => {
                    if let Some(flow) = bench.send() {
                        held[flow as usize] -= 1;
                    }
                }
                Call::Offer(flow, bytes) => {
                    let (average, strikes) = (bench.queue.early.average(), bench.strikes(flow));
                    let room = held.iter().sum::<u64>() < buffer;
                    let mine = &mut held[flow as usize];
                    let passed = bench.offer(flow, bytes);
                    let crowded = average >= high as f64;
                    if passed {
                        prop_assert!(*mine < low || (crowded && variant == 2), "never more than maxq");
                        prop_assert!(!crowded || (variant == 2 && *mine < 2), "nobody, or who holds less than two");
                        *mine += 1;
                    } else if room && strikes < 2 && *mine < low {
                        prop_assert!(average >= low as f64, "no lottery below the lower threshold");
                        prop_assert!(crowded || *mine >= u64::from(min_queue), "min_queue packets pass");
                        prop_assert!(!crowded || variant == 1 || *mine >= 2, "two packets pass in variant 2");
                    }
                    prop_assert!(bench.strikes(flow) == strikes || (!passed && bench.strikes(flow) == strikes + 1));
                }
            }
            let accounts = bench.queue.accounts.iter();
            prop_assert!(accounts.clone().map(|a| a.held.packets).eq(held), "packets are accounted for");
            prop_assert!(accounts.clone().all(|a| a.held.packets > 0 || a.strikes == 0), "who holds none is forgotten");
            prop_assert_eq!(bench.queue.active as usize, held.iter().filter(|n| **n > 0).count());
        }
    }
}
