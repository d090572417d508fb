//! The recoveries of protocols from before 1990 against plain books over random inputs: each packet has a list of its transmissions.

use crate::common;

use common::plain::{Source, clock};
use headgate_control::transport::basic::Rules;
use headgate_control::transport::{Clock, Retransmit};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Happens {
    /// Everything that fits this window is sent.
    Send(u64),
    /// This number of the outstanding packets are acknowledged.
    Ack(u64),
    /// The timer runs out.
    Timeout,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        3 => (1..40u64).prop_map(Happens::Send),
        3 => (0..20u64).prop_map(Happens::Ack),
        1 => Just(Happens::Timeout),
    ]
}

proptest! {
    #[test]
    fn round_trips_and_what_is_outstanding_are_those_of_the_books(
        kind in prop::sample::select(vec![Clock::First, Clock::Last, Clock::Skip]),
        retransmit in prop::sample::select(vec![Retransmit::Oldest, Retransmit::Repair, Retransmit::All, Retransmit::Each]),
        duplicates in 0..4u32, steps in prop::collection::vec((happens(), 1..2000u64), 1..120),
    ) {
        let rules = Rules { retransmit, duplicates, ..clock(kind) };
        let (mut s, mut now, mut una) = (Source::new(&rules), Time::ZERO, 0);
        // Of each packet the times of its transmissions; and the packets under way at the last loss.
        let (mut books, mut doubtful): (Vec<Vec<Time>>, u64) = (vec![], 0);
        for (what, ms) in steps {
            now += Duration::from_millis(ms);
            match what {
                Happens::Send(window) => {
                    while let Some((seq, again)) = s.poll(window, now) {
                        prop_assert!(seq <= books.len() as u64 && (una..una + window).contains(&seq));
                        prop_assert_eq!(again, seq < books.len() as u64);
                        if !again { books.push(vec![]); }
                        books[seq as usize].push(now);
                    }
                }
                Happens::Ack(n) => {
                    let cumulative = (una + n).min(books.len() as u64);
                    let mut got = vec![];
                    let progress = s.on_ack(cumulative, now, &mut |rtt| got.push(rtt));
                    let due: Vec<Duration> = (una..cumulative)
                        .filter_map(|seq| {
                            let times = &books[seq as usize];
                            match kind {
                                Clock::First => times.first(),
                                Clock::Last => times.last(),
                                Clock::Skip => times.last().filter(|_| times.len() == 1 && seq >= doubtful),
                            }
                        })
                        .map(|from| now.since(*from))
                        .collect();
                    prop_assert_eq!(progress.advanced, cumulative - una);
                    prop_assert_eq!(progress.rtt, due.last().copied());
                    prop_assert_eq!(got, due);
                    if Source::is_lost(&progress) {
                        prop_assert!(una >= doubtful && progress.duplicates == duplicates);
                        doubtful = books.len() as u64;
                    }
                    una = cumulative;
                }
                Happens::Timeout => {
                    let Some(due) = s.timeout() else { continue };
                    now = now.max(due);
                    prop_assert!(s.on_timeout(now) && s.timeout() > Some(now));
                    doubtful = books.len() as u64;
                }
            }
            prop_assert_eq!((s.0.oldest(), s.0.highest()), (una, books.len() as u64));
            prop_assert_eq!(s.timeout().is_some(), una < books.len() as u64, "a timer runs while something is outstanding");
            prop_assert!(s.0.pipe() <= books.len() as u64 - una);
        }
    }
}
