//! When a line is busy that sends whenever something is there, whatever it sends first.

use headgate_packet::{Duration, Time};
use headgate_queue::Sent;

/// Checks packets that were sent in parts, in the order in which they ended: the line sent without a pause while it had something to send, one bit
/// after the other.
pub fn check(sent: &[Sent]) -> Result<(), String> {
    let ended = sent.is_sorted_by_key(|s| s.end);
    let mut arrivals: Vec<&Sent> = sent.iter().collect();
    arrivals.sort_by_key(|s| s.packet.arrived);
    // Busy periods: the start, and what is sent in them.
    let mut periods: Vec<(Time, Duration)> = Vec::new();
    for s in arrivals {
        let takes = s.end.since(s.start);
        match periods.last_mut().filter(|(start, work)| s.packet.arrived <= *start + *work) {
            Some((_, work)) => *work = *work + takes,
            None => periods.push((s.packet.arrived, takes)),
        }
    }
    let mut next = sent.iter().peekable();
    for (start, work) in periods {
        let mut done = Duration::ZERO;
        while let Some(s) = next.next_if(|s| s.end <= start + work) {
            done = done + s.end.since(s.start);
            if s.start < s.packet.arrived || s.end < start + done {
                return Err(format!("packet {} ends at {:?}, too early", s.packet.handle, s.end));
            }
        }
        if done != work {
            return Err(format!("{done:?} of {work:?} were sent in time of what arrived from {start:?} on"));
        }
    }
    if ended && next.next().is_none() { Ok(()) } else { Err("the line was idle with a backlog".to_owned()) }
}
