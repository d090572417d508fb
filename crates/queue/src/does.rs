//! What a discipline or an AQM does with packets beside keeping, sending and dropping them: what the parameters of flows need of it.

use headgate_packet::Rate;

/// What a discipline or an AQM does, or may do if its parameters say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Does {
    /// It marks packets of flows that understand marks.
    pub marks: bool,
    /// It serves conversations by their weights.
    pub weights: bool,
    /// It serves packets by their priorities.
    pub priorities: Option<Priorities>,
    /// It reads the labels of packets.
    pub labels: bool,
    /// It counts rounds by the rate of the link: where the line sends less than that, rounds run ahead of what is sent.
    pub rounds_by_rate: bool,
}

/// The priorities that make a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priorities {
    /// The one that is served best.
    pub best: u8,
    /// The one that is served worst: of those that have a class by default, if there are more.
    pub worst: u8,
}

impl Does {
    /// None of it.
    pub const NOTHING: Does =
        Does { marks: false, weights: false, priorities: None, labels: false, rounds_by_rate: false };

    /// All of it: what may be true of a discipline that is not of the list.
    pub const ALL: Does = Does {
        marks: true,
        weights: true,
        priorities: Some(Priorities { best: 0, worst: 0 }),
        labels: true,
        rounds_by_rate: false,
    };

    /// What either of both does.
    pub fn or(self, other: Does) -> Does {
        Does {
            marks: self.marks || other.marks,
            weights: self.weights || other.weights,
            priorities: self.priorities.or(other.priorities),
            labels: self.labels || other.labels,
            rounds_by_rate: self.rounds_by_rate || other.rounds_by_rate,
        }
    }

    /// The names of what it does, in a fixed order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("marks", self.marks),
            ("weights", self.weights),
            ("priorities", self.priorities.is_some()),
            ("labels", self.labels),
            ("rounds by rate", self.rounds_by_rate),
        ];
        all.into_iter().filter(|one| one.1).map(|one| one.0)
    }
}

/// What parameters change of it. A struct of parameters whose values decide has a method of its own of the same name, which is called instead of these.
pub(crate) trait Decides {
    /// What is left of what the discipline or AQM does.
    fn decides(&self, does: Does) -> Does {
        does
    }
    /// Whether it drops acknowledgements that later ones make needless.
    fn filters_acknowledgements(&self) -> bool {
        false
    }
    /// How many levels of urgency it knows, of which 0 is the highest; none where priorities are code points, which are read as they are.
    fn levels(&self) -> Option<u32> {
        None
    }
    /// The rate to which it holds what it sends, if that is the one on the line: no overhead is counted beside the packets.
    fn holds_to(&self) -> Option<Rate> {
        None
    }
}

impl<P> Decides for P {}
