//! What a scheme says of its decisions: sentences to the numbers that it tells.
//!
//! They stand in the scheme's card, or in `NAME.says` beside `NAME.rs`, which the card takes in. A line is a sentence, with places for numbers:
//!
//! ```text
//! # A comment.
//! order: bid
//! table: weight, active_conversations
//! arrives:
//! The clock of its conversation showed {clock}.
//! [when over_target, not count] It had waited {sojourn}, longer than {target}.
//! [when probability; if random or sent] It was chosen with probability {probability}.
//! leaves:
//! [if marked] So it was marked as it left.
//! ```
//!
//! - A sentence is said if all of its numbers were told and its conditions hold. `when` names numbers that are above zero, or with `not` those that are not:
//!   mostly a [`crate::Unit::Fact`], which tells how a comparison of the law came out. `if` names what became of the packet: the reason of its
//!   drop, `sent`, or `waits`, and of one that leaves also `marked`.
//! - Below `arrives:` stand those with the numbers of the packet's arrival, below `leaves:` those with the numbers of its departure.
//! - A number that is told in packets or in bytes is named without the unit, and shown in that of the buffer.
//! - `order`: waiting packets leave by this number, the smallest first. `table`: numbers of which no sentence speaks.
//! - `place: first` or `last`: before or after those of the AQM and of the scheduler. Sentences that several share stand there.

use crate::Moment;

/// A sentence about a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Whose numbers it has: those of the packet's arrival or of its departure.
    pub moment: Moment,
    /// Among the sentences of an AQM and its scheduler: 0 before their own, 1 for their own, 2 after them.
    pub place: u8,
    /// Numbers that have to be above zero or, where this is false, have not to be.
    pub when: Vec<(&'static str, bool)>,
    /// What may have become of the packet; anything if there is none.
    pub outcomes: Vec<&'static str>,
    /// The sentence, with names of numbers in braces.
    pub text: &'static str,
}

/// What stands in the files of a scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Says {
    /// The sentences, in the order in which they are said.
    pub sentences: Vec<Sentence>,
    /// The number by which waiting packets leave, the smallest first.
    pub order: Option<&'static str>,
    /// Numbers of which no sentence speaks.
    pub table: Vec<&'static str>,
}

impl Sentence {
    /// The numbers that it speaks of or depends on.
    pub fn numbers(&self) -> impl Iterator<Item = &'static str> + '_ {
        let places = self.text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        places.chain(self.when.iter().map(|(name, _)| *name))
    }
}

/// Reads the files of a scheme, one after the other.
///
/// # Errors
/// A line is none of those above.
pub fn read(texts: &[&'static str]) -> Result<Says, String> {
    let mut says = Says::default();
    for text in texts {
        let (mut place, mut moment) = (1, None);
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(": ") {
                Some(("order", name)) => says.order = Some(name),
                Some(("table", names)) => says.table.extend(names.split(", ")),
                Some(("place", "first")) => place = 0,
                Some(("place", "last")) => place = 2,
                _ if line == "arrives:" => moment = Some(Moment::Arrival),
                _ if line == "leaves:" => moment = Some(Moment::Departure),
                _ => {
                    let moment = moment.ok_or_else(|| format!("{line:?} before `arrives:` or `leaves:`"))?;
                    let (conditions, text) = match line.strip_prefix('[') {
                        Some(rest) => {
                            rest.split_once("] ").ok_or_else(|| format!("no end of the conditions: {line:?}"))?
                        }
                        None => ("", line),
                    };
                    let mut sentence = Sentence { moment, place, when: Vec::new(), outcomes: Vec::new(), text };
                    for part in conditions.split("; ").filter(|part| !part.is_empty()) {
                        match part.split_once(' ') {
                            Some(("when", names)) => {
                                sentence.when.extend(names.split(", ").map(|name| match name.strip_prefix("not ") {
                                    Some(name) => (name, false),
                                    None => (name, true),
                                }))
                            }
                            Some(("if", names)) => sentence.outcomes.extend(names.split(" or ")),
                            _ => return Err(format!("expected `when` or `if`: {line:?}")),
                        }
                    }
                    says.sentences.push(sentence);
                }
            }
        }
    }
    Ok(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_sentence_with_its_conditions() {
        let text = "# of nothing\norder: bid\ntable: weight, count\narrives:\nIt was {clock}.\n\nleaves:\n[when a, not b; if sent or full] {x}: {y}.\n[if marked] Yes.";
        let says = read(&["place: last\narrives:\nLast.", text]).unwrap();
        assert_eq!((says.order, &says.table[..]), (Some("bid"), &["weight", "count"][..]));
        let sentence = |moment, place, when: &[(&'static str, bool)], outcomes: &[&'static str], text| Sentence {
            moment,
            place,
            when: when.to_vec(),
            outcomes: outcomes.to_vec(),
            text,
        };
        let due = [
            sentence(Moment::Arrival, 2, &[], &[], "Last."),
            sentence(Moment::Arrival, 1, &[], &[], "It was {clock}."),
            sentence(Moment::Departure, 1, &[("a", true), ("b", false)], &["sent", "full"], "{x}: {y}."),
            sentence(Moment::Departure, 1, &[], &["marked"], "Yes."),
        ];
        assert_eq!(says.sentences, due);
        assert_eq!(due[2].numbers().collect::<Vec<_>>(), ["x", "y", "a", "b"]);
    }

    #[test]
    fn what_is_none_of_these_lines_is_refused() {
        for wrong in ["A sentence.", "arrives:\n[when a It was.", "arrives:\n[unless a] It was."] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }
}
