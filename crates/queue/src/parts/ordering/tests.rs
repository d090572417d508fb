//! Worked numbers of the structures, the invariants of the double heap, and all four against each other.

use super::*;
use headgate_packet::{FlowId, Rng};
use proptest::prelude::*;

const ALL: [Structure; 4] = [Structure::Link, Structure::Tree, Structure::Heap, Structure::Perc];

fn item(bid: u64, flow: u32, arrival: u64) -> Tagged {
    Tagged { packet: Packet { flow: FlowId(flow), bytes: 1, ..Packet::default() }, bid, arrival }
}

/// Mean operations of one more insertion into a structure that holds `n`, over `trials` trials.
fn mean(kind: Structure, order: Order, n: u32, trials: u32) -> f64 {
    let work = exercise(kind, order, n + 1, n, false, trials, &mut Rng::new(1, 0, "test"));
    work.insert.operations as f64 / work.insert.calls as f64
}

fn most(kind: Structure, order: Order, n: u32, trials: u32) -> u32 {
    exercise(kind, order, n + 1, n, false, trials, &mut Rng::new(1, 0, "test")).insert.most
}

#[test]
fn random_tags_cost_what_the_closed_forms_say() {
    // LINK passes half of those that wait: 100 of 200. Uniform on 0..=200: the mean of 2000 has a standard error of 1.3.
    assert!((mean(Structure::Link, Order::Random, 200, 2000) - 100.0).abs() < 4.0 * 1.3);
    // TREE goes down 2 (H_(n+1) - 1) links: H_201 = 5.8831, so 9.766. The variance is below 2 ln n = 10.6: standard error 0.07.
    assert!((mean(Structure::Tree, Order::Random, 200, 2000) - 9.766).abs() < 4.0 * 0.073);
    // HEAP climbs at most floor(log2 n) levels in each of two heaps; PERC too, over conversations: 201 of them here.
    assert!(most(Structure::Heap, Order::Random, 200, 2000) <= 2 * 7);
    assert!(most(Structure::Perc, Order::Random, 200, 2000) <= 2 * 7);
}

#[test]
fn a_full_structure_pays_for_its_discards() {
    // The work of the insertion is the same; that of the discard comes on top.
    for kind in [Structure::Tree, Structure::Heap, Structure::Perc] {
        let of = |full| exercise(kind, Order::Random, 201, 200, full, 10, &mut Rng::new(1, 0, "test")).insert;
        let (free, full) = (of(false), of(true));
        assert_eq!((free.calls, full.calls), (10, 10));
        assert!(full.operations > free.operations, "{kind:?}: {} and {} operations", full.operations, free.operations);
    }
}

#[test]
fn monotone_tags_cost_what_the_closed_forms_say() {
    for n in [1, 7, 200, 1023] {
        let levels = (n + 1_u32).ilog2();
        // A rising tag is the largest: LINK passes none, TREE passes all, HEAP climbs to the root of one of the two heaps.
        assert_eq!(mean(Structure::Link, Order::Rising, n, 1), 0.0);
        assert_eq!(mean(Structure::Tree, Order::Rising, n, 1), f64::from(n));
        assert_eq!(most(Structure::Heap, Order::Rising, n, 1), levels);
        assert_eq!(mean(Structure::Link, Order::Falling, n, 1), f64::from(n));
        assert_eq!(mean(Structure::Tree, Order::Falling, n, 1), f64::from(n));
        assert_eq!(most(Structure::Heap, Order::Falling, n, 1), levels);
    }
}

#[test]
fn a_small_trace_by_hand() {
    let calls = |tags: &[u64]| {
        let mut calls: Vec<Call> =
            tags.iter().enumerate().map(|(i, bid)| Call::Insert { bid: *bid, conversation: i as u32 }).collect();
        calls.push(Call::GetMin);
        calls
    };
    let cost = |kind, tags: &[u64], most| {
        let work = replay(kind, &calls(tags), tags.len(), most);
        (work.insert.operations, work.insert.most, work.get.operations)
    };
    // 5, 3, 8, 4 without end: LINK passes 0, 1 (5), 0 and 2 (8 and 5). TREE: 0, 1, 1, 2; from 3, whose other child is 4, one link.
    let tags = [5, 3, 8, 4];
    assert_eq!(cost(Structure::Link, &tags, 9), (3, 2, 0));
    assert_eq!(cost(Structure::Tree, &tags, 9), (4, 2, 1));
    // HEAP: 3 climbs over 5 (1) in the min-heap; 8 over 5 in the max-heap (1); 4 over 5 in the min-heap and over 3 in the max-heap:
    // min [3 4 8 5], max [8 4 5 3]. get_min: 3 with the last of the min-heap (1), 5 sinks below 4 (1); 3 is last in the max-heap.
    assert_eq!(cost(Structure::Heap, &tags, 9), (4, 2, 2));
    // PERC with a conversation per packet does the same.
    assert_eq!(cost(Structure::Perc, &tags, 9), (4, 2, 2));
    // Room for three: 8 is discarded when 4 arrives. LINK's ends cost nothing; from 8, which has no child, one link back to 5.
    assert_eq!(cost(Structure::Link, &tags, 3), (3, 2, 0));
    assert_eq!(cost(Structure::Tree, &tags, 3), (5, 3, 1));
    // HEAP: 8 with the last of the max-heap (1), 3 sinks below 5 (1); in the min-heap 8 is third of four: it is exchanged with the last (1),
    // which stays there.
    assert_eq!(cost(Structure::Heap, &tags, 3), (7, 5, 2));
}

impl Heap {
    /// Sheet 3.2: the pointers lead back, both are heaps, sizes are equal.
    fn is_sound(&self) -> bool {
        let leads_back = |own: &[heap::Element], other: &[heap::Element]| {
            own.iter()
                .enumerate()
                .all(|(k, e)| other.get(e.across as usize).is_some_and(|o| o.across as usize == k && o.item == e.item))
        };
        let ordered = |own: &[heap::Element]| (1..own.len()).all(|k| own[(k - 1) / 2].key <= own[k].key);
        leads_back(&self.min, &self.max)
            && leads_back(&self.max, &self.min)
            && ordered(&self.min)
            && ordered(&self.max)
            && self.min.len() == self.max.len()
    }
}

/// Goes through (call, conversation, step of the tag) with room for `most`: which packets came out, by get_min or discarded.
fn drive<H: BoundedHeap>(
    heap: &mut H,
    calls: &[(u8, u32, u64)],
    most: usize,
    sound: impl Fn(&H) -> bool,
) -> Vec<(bool, u64)> {
    let (mut out, mut held, mut last) = (Vec::new(), 0, [0; 4]);
    for (number, &(call, flow, step)) in calls.iter().enumerate() {
        if call < 3 {
            // Within a conversation tags rise or tie; across conversations they tie often.
            last[flow as usize] += step;
            heap.insert(item(last[flow as usize], flow, number as u64));
            held += 1;
            assert!(sound(heap));
            while held > most {
                out.extend(heap.pop_victim().map(|(gone, _)| (false, gone.arrival)));
                held -= 1;
                assert!(sound(heap));
            }
        } else if let Some((next, _)) = heap.pop_min() {
            out.push((true, next.arrival));
            held -= 1;
            assert!(sound(heap));
        }
    }
    out.extend(std::iter::from_fn(|| heap.pop_min()).map(|(next, _)| (true, next.arrival)));
    out
}

proptest! {
    #[test]
    fn all_give_the_same_packets(
        calls in prop::collection::vec((0..5u8, 0..4u32, 0..4u64), 0..400),
        most in 1..40usize,
    ) {
        let outs = ALL.map(|kind| drive(&mut AnyHeap::new(kind, 4), &calls, most, |_| true));
        // A sorted list without any cleverness is the model.
        let mut model = Model::default();
        let expected = drive(&mut model, &calls, most, |_| true);
        for (kind, out) in ALL.iter().zip(&outs) {
            prop_assert_eq!(out, &expected, "{:?}", kind);
        }
    }

    #[test]
    fn the_double_heap_is_sound_after_every_step(
        calls in prop::collection::vec((0..5u8, 0..4u32, 0..100u64), 0..400),
        most in 1..80usize,
    ) {
        drive(&mut Heap::default(), &calls, most, Heap::is_sound);
    }

    #[test]
    fn a_recorded_trace_costs_the_same_again(
        calls in prop::collection::vec((0..5u8, 0..4u32, 0..100u64), 0..300),
        most in 1..40usize,
    ) {
        for kind in ALL {
            let mut heap = AnyHeap::new(kind, 4);
            heap.record();
            let mut work = Work::default();
            let (mut held, mut last) = (0, [0; 4]);
            for (number, &(call, flow, step)) in calls.iter().enumerate() {
                if call < 3 {
                    last[flow as usize] += step;
                    let mut operations = heap.insert(item(last[flow as usize], flow, number as u64));
                    held += 1;
                    if held > most {
                        operations += heap.pop_victim().map_or(0, |(_, more)| more);
                        held -= 1;
                    }
                    work.insert.add(operations);
                } else if let Some((_, operations)) = heap.pop_min() {
                    held -= 1;
                    work.get.add(operations);
                }
            }
            prop_assert_eq!(replay(kind, heap.calls(), 4, most as u64), work);
        }
    }
}

/// All packets in a vector, sorted again at every call.
#[derive(Default)]
struct Model(Vec<Tagged>);

impl BoundedHeap for Model {
    fn insert(&mut self, item: Tagged) -> u32 {
        self.0.push(item);
        self.0.sort_by_key(|i| (i.bid, i.arrival));
        0
    }
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        (!self.0.is_empty()).then(|| (self.0.remove(0), 0))
    }
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        self.0.pop().map(|gone| (gone, 0))
    }
}
