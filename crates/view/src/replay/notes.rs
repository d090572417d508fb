//! Sentences about packets of a trace that were left out.

use crate::words::{verb, with_commas};

/// The part of a trace's packets from which on it is said that they were left out.
const MANY: f64 = 0.1;

/// A sentence where a file could not be read to its end, from the place and what was found there.
///
/// ```
/// use headgate_view::replay::ended;
/// let told = ended("packet 30", "the end of the file after 512 of 1016 bytes of the packet");
/// assert_eq!(
///     told,
///     "The file is cut off at packet 30: found the end of the file after 512 of 1016 bytes of the packet. What is before it was replayed."
/// );
/// ```
pub fn ended(place: &str, found: &str) -> String {
    let what = if found.starts_with("the end of the file") { "cut off" } else { "damaged" };
    format!("The file is {what} at {place}: found {found}. What is before it was replayed.")
}

/// A sentence where so many packets were skipped that the rest is another trace. How many a file that is cut off had is not known.
///
/// ```
/// use headgate_view::replay::left_out;
/// assert_eq!(left_out(90, &[("time_backwards", 10)]), None);
/// assert_eq!(
///     left_out(91, &[("bad_size", 4), ("time_ahead", 7)]).unwrap(),
///     "11 of 102 packets (10.8 %) were left out: what follows is about the others."
/// );
/// ```
pub fn left_out<T: AsRef<str>>(packets: u64, skipped: &[(T, u64)]) -> Option<String> {
    let count = faults(skipped);
    let all = packets + count;
    (count as f64 > MANY * all as f64).then(|| {
        let (share, were) = (100.0 * count as f64 / all as f64, verb(count, "was", "were"));
        let (count, all) = (with_commas(count), with_commas(all));
        format!("{count} of {all} packets ({share:.1} %) {were} left out: what follows is about the others.")
    })
}

/// Packets with faults that were skipped.
pub(super) fn faults<T: AsRef<str>>(skipped: &[(T, u64)]) -> u64 {
    skipped.iter().filter(|(kind, _)| kind.as_ref() != "cut_off").map(|(_, count)| count).sum()
}
