use super::*;

const LAW: BinsLaw =
    BinsLaw { levels: 2, bins: 23, bin_size: 3, increment: 0.25, decrement: 0.125, rehash: 1000, warm_up: 300 };

fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}

/// As many packets of a conversation arrive and are queued; gives what the bins said of the last one.
fn queue(bins: &mut Bins, flow: u32, ps: u64, handles: std::ops::Range<u32>) -> Account {
    let mut last = Account { held: 0, probability: 0.0 };
    for handle in handles {
        last = bins.on_arrival(FlowId(flow), at(ps));
        if last.probability >= 1.0 {
            bins.on_unresponsive(FlowId(flow), at(ps));
        }
        bins.add(FlowId(flow), at(ps), handle, last.probability < 1.0);
    }
    last
}

#[test]
fn an_inelastic_conversation_takes_all_bins_with_the_probability_of_the_closed_form() {
    // A conversation is misclassified if each of its bins is one of M others too: (1 - (1 - 1/N)^M)^L, for hashes that are independent.
    for (levels, number, others, due) in
        [(2, 23, 10, 0.129), (2, 23, 3, 0.015_6), (3, 10, 10, 0.276), (8, 16, 20, 0.076)]
    {
        let law = BinsLaw { levels, bins: number, ..LAW };
        let form = (1.0 - (1.0 - 1.0 / f64::from(number)).powi(others)).powi(levels as i32);
        assert!((form - due).abs() < 0.001, "{form}");
        let (bins, trials) = (Bins::new(law), 40_000u64);
        let taken = |period: u64| {
            (0..levels).all(|level| {
                let own = bins.place(period, level, FlowId(0));
                (1..=others as u32).any(|other| bins.place(period, level, FlowId(other)) == own)
            })
        };
        let share = (0..trials).filter(|period| taken(*period)).count() as f64 / trials as f64;
        let deviation = (form * (1.0 - form) / trials as f64).sqrt();
        assert!((share - form).abs() < 4.0 * deviation, "{levels} x {number}, {others}: {share} of {form}");
    }
}

#[test]
fn bins_of_a_level_are_taken_equally_often_and_levels_are_apart() {
    let bins = Bins::new(BinsLaw { levels: 3, bins: 5, ..LAW });
    for level in 0..3 {
        let mut count = [0u32; 15];
        (0..15_000).for_each(|flow| count[bins.place(7, level, FlowId(flow))] += 1);
        for (place, times) in count.iter().enumerate() {
            let due = if place / 5 == level as usize { 3000u32 } else { 0 };
            // Four standard deviations.
            assert!(times.abs_diff(due) <= if due > 0 { 200 } else { 0 }, "{level}: {count:?}");
        }
    }
}

#[test]
fn a_probability_rises_from_the_size_of_a_bin_on_and_falls_while_it_is_empty() {
    let mut bins = Bins::new(LAW);
    // Bins that hold 0, 1 and 2 packets change nothing; from the fourth packet on it is a quarter more each time.
    for (handle, due) in [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.25), (4, 0.5), (5, 0.75), (6, 1.0), (7, 1.0)] {
        let found = queue(&mut bins, 5, 0, handle..handle + 1);
        assert_eq!(found, Account { held: handle, probability: due });
        assert_eq!(bins.most(), due);
    }
    (0..7).for_each(|handle| bins.remove(FlowId(5), at(0), handle));
    // One is left: nothing changes. Then it falls by an eighth with each packet that finds none.
    assert_eq!(bins.on_arrival(FlowId(5), at(1)), Account { held: 1, probability: 1.0 });
    bins.remove(FlowId(5), at(0), 7);
    for due in [0.875, 0.75, 0.625] {
        assert_eq!(bins.look(FlowId(5), at(2)), Account { held: 0, probability: due });
        assert_eq!(bins.on_arrival(FlowId(5), at(2)), Account { held: 0, probability: due });
    }
    for _ in 0..20 {
        bins.on_arrival(FlowId(5), at(2));
    }
    assert_eq!(bins.look(FlowId(5), at(2)).probability, 0.0);
}

#[test]
fn the_least_bin_decides() {
    // Another conversation that shares one bin only has what its other bin says.
    let mut bins = Bins::new(LAW);
    let of = |flow| [0, 1].map(|level| bins.place(0, level, FlowId(flow)));
    let other = (1..).find(|other| of(*other)[0] == of(0)[0] && of(*other)[1] != of(0)[1]).expect("there are many");
    let twin = (1..).find(|other| of(*other) == of(0)).expect("there are many");
    assert_eq!(queue(&mut bins, 0, 0, 0..9).probability, 1.0);
    assert_eq!(bins.look(FlowId(other), at(0)), Account { held: 0, probability: 0.0 });
    assert_eq!(bins.look(FlowId(twin), at(0)), Account { held: 9, probability: 1.0 });
}

#[test]
fn the_next_table_knows_the_conversations_that_did_not_answer() {
    // The hashes change at 1000, and from 700 on the next table is prepared.
    for (ps, prepared) in [(0, false), (699, false), (700, true), (999, true)] {
        let mut bins = Bins::new(LAW);
        // The seventh packet and all later ones are of a conversation that does not answer.
        queue(&mut bins, 5, ps, 0..15);
        queue(&mut bins, 6, ps, 20..23);
        let (found, other) = (bins.look(FlowId(5), at(1000)), bins.look(FlowId(6), at(1000)));
        assert_eq!(other, Account { held: 0, probability: 0.0 }, "one that answers is as new");
        // Of nine, those that find three and more raise it by a quarter each.
        let due = if prepared { Account { held: 9, probability: 1.0 } } else { Account { held: 0, probability: 0.0 } };
        assert_eq!(found, due, "{ps}");
        // They leave: those that count in the new table too are taken from it.
        for handle in 0..15 {
            bins.remove(FlowId(5), at(ps), handle);
        }
        assert_eq!(bins.look(FlowId(5), at(1001)).held, 0, "{ps}");
        assert!(bins.both.is_empty());
        // What was left over of the old table is not taken from a bin of another one.
        queue(&mut bins, 6, 2000, 30..32);
        (20..23).for_each(|handle| bins.remove(FlowId(6), at(ps), handle));
        assert_eq!(bins.look(FlowId(6), at(2000)).held, 2);
    }
}

#[test]
fn a_table_that_nothing_prepared_is_empty() {
    let mut bins = Bins::new(LAW);
    queue(&mut bins, 5, 0, 0..9);
    // Two periods later the place of the table is the same one.
    assert_eq!(bins.look(FlowId(5), at(2000)), Account { held: 0, probability: 0.0 });
    assert_eq!(bins.on_arrival(FlowId(5), at(2000)).held, 0);
    assert_eq!(bins.most(), 0.0, "no bin of it has the probability of another table");
    (0..9).for_each(|handle| bins.remove(FlowId(5), at(0), handle));
    assert_eq!(bins.look(FlowId(5), at(2000)).held, 0);
}

#[test]
fn without_a_period_the_hashes_stay() {
    let mut bins = Bins::new(BinsLaw { rehash: 0, warm_up: 0, ..LAW });
    queue(&mut bins, 5, 0, 0..9);
    assert_eq!(bins.look(FlowId(5), at(u64::MAX - 1)), Account { held: 9, probability: 1.0 });
    assert!(bins.both.is_empty());
}

#[test]
fn hashes_change_with_the_period() {
    let bins = Bins::new(LAW);
    let same = (0..2000).filter(|flow| bins.place(0, 0, FlowId(*flow)) == bins.place(1, 0, FlowId(*flow))).count();
    // One in 23.
    assert!((55..120).contains(&same), "{same}");
}
