//! The cost of Fair Queueing's structures by themselves: calls recorded in a run or made up, played through any of them.
//!
//! Source: Keshav 1991, section 3.5.

use headgate_packet::{Buffer, Rng};
use headgate_queue::parts::ordering::{Call, Order, Structure, Work, exercise, replay};
use headgate_queue::{AnyDiscipline, Spec};
use headgate_sim::Run;
use headgate_sim::spec::{Scenario, SpecError};

/// Calls of a bounded heap, in order.
#[derive(Clone, Debug)]
pub struct CallTrace {
    calls: Vec<Call>,
    conversations: usize,
    most: u64,
}

/// Which structure to record, and what to record of it.
#[derive(Debug)]
pub struct Recording {
    port: usize,
    most: u64,
}

impl Recording {
    /// Checks that the queue at the beginning of a link keeps packets by their bids alone.
    pub fn new(s: &Scenario, link: &str) -> Result<Recording, SpecError> {
        let place = s.links.iter().position(|l| l.name == link).ok_or_else(|| {
            SpecError::at("links", "expected the name of a link")
                .found(format!("{link:?}"))
                .nearest(link, s.links.iter().map(|l| l.name.as_str()))
        })?;
        match &s.links[place].queue {
            Spec::Fq(p) | Spec::Wfq(p) if p.drop_policy == headgate_queue::disciplines::fq::DropPolicy::LargestBid => {
                if let Buffer::Packets(most) = p.buffer {
                    return Ok(Recording { port: 2 * place, most });
                }
                Err(SpecError::at(format!("links[{place}].queue.buffer"), "expected a buffer in packets")
                    .found(p.buffer))
            }
            other => {
                let message = "expected `fq` with drop_policy = \"largest_bid\": only its calls can be recorded";
                Err(SpecError::at(format!("links[{place}].queue"), message).found(other.name()))
            }
        }
    }

    /// Starts to record.
    pub fn start(&self, running: &mut Run) {
        if let AnyDiscipline::Fq(fq) | AnyDiscipline::Wfq(fq) = running.discipline_mut(self.port) {
            fq.record();
        }
    }

    /// The calls recorded.
    pub fn finish(&self, running: &Run) -> CallTrace {
        let calls = match running.discipline(self.port) {
            AnyDiscipline::Fq(fq) | AnyDiscipline::Wfq(fq) => fq.calls().to_vec(),
            _ => Vec::new(),
        };
        CallTrace { calls, conversations: running.conversations(self.port), most: self.most }
    }
}

impl CallTrace {
    /// A number of insertions with made-up tags, and nothing else.
    pub fn made_up(order: Order, conversations: u32, packets: u32, seed: u64) -> CallTrace {
        let calls = order.calls(packets as usize, conversations, &mut Rng::new(seed, 0, "tags"));
        CallTrace { calls, conversations: conversations as usize, most: u64::MAX }
    }

    /// Plays the calls `rounds` times, each time through a new structure; gives the work of all.
    pub fn replay(&self, kind: Structure, rounds: u32) -> Work {
        let mut all = Work::default();
        for _ in 0..rounds {
            let work = replay(kind, &self.calls, self.conversations, self.most);
            all.insert.merge(&work.insert);
            all.get.merge(&work.get);
        }
        all
    }
}

/// The work of one more insertion, and of one get_min, at a given size; see [`exercise`].
pub fn work_at(
    kind: Structure,
    order: Order,
    (conversations, packets): (u32, u32),
    full: bool,
    trials: u32,
    seed: u64,
) -> Work {
    exercise(kind, order, conversations, packets, full, trials, &mut Rng::new(seed, 0, "tags"))
}
