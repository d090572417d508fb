//! The results of runs in sentences: the share of each flow, and the waiting time of packets.

use super::acks::Acks;
use super::fairness::Fairness;
use super::groups::{Group, MOST, groups};
use super::numbers::{Numbers, mean_of, total_of};
use super::{Ran, ports, unsettled};
use crate::columns::{each_name, floats, ints};
use crate::words::{LEAST_TIME, counted, percent, rate_text, time_text, verb};

/// More flows than this are described by their groups.
pub(super) const FEW: usize = 8;

/// Acknowledgements are told of where they took more than this part of a line, and their waits where these are more than that part of a round trip.
const ACKS: f64 = 0.02;
const BACK: f64 = 0.1;

/// The high waits of a flow are told where the quantile is at least this part of what is said, or exact: of so many packets.
const KNOWN: f64 = 0.5;
const EXACT: i64 = 32;

/// Workloads whose rate is another one over any time than in the long run, though their share of a line goes by that.
const RANDOM: [&str; 3] = ["on_off", "poisson", "telnet"];

/// More than its share a flow has that gets this many times as much: means of intervals that have an unequal length are off by less.
const ROUNDED: f64 = 1.0005;

/// Sentences about the flows, one by one or, if they are many, by groups; about transfers, ports, and fairness.
///
/// `whole_s` is the duration of the whole run in s, where these runs are its first part: the sentences say so.
pub fn sentences(of: &Numbers<'_>, whole_s: Option<f64>) -> Vec<String> {
    let yet = if whole_s.is_some() { " so far" } else { "" };
    let mut said = Vec::new();
    if let Some(whole) = whole_s {
        let end = of.runs.iter().flat_map(|run| floats(run.flows, "end_s")).copied().fold(0.0, f64::max);
        let (end, whole) = (time_text(end), time_text(whole));
        said.push(format!("The run goes on: these are the numbers so far, of the first {end} of {whole}."));
    }
    if of.count() <= FEW {
        let acks = Acks::of(of);
        let workloads = each_name(of.runs[0].flows, "workload");
        said.extend(workloads.enumerate().map(|(flow, workload)| of_flow(of, flow, workload, &acks, yet)));
    } else {
        said.extend(groups(of).iter().take(MOST).map(|group| of_group(group, yet)));
    }
    said.extend(
        each_name(of.runs[0].classes, "class").enumerate().take(MOST).map(|(i, name)| of_class(of.runs, i, name, yet)),
    );
    if whole_s.is_none() {
        said.extend(unsettled::sentences(of));
    }
    ports::sentences(of.runs, yet, &mut said);
    let jain = fairness(of).jain_of_max_min;
    if jain.is_finite() && of.count() > 1 {
        said.push(format!(
            "Jain's index of the goodputs over their max-min shares is {jain:.3}{yet}; it is 1 if all got the same part of their share."
        ));
    }
    said
}

/// How fairly the flows shared.
pub fn fairness(of: &Numbers<'_>) -> Fairness {
    let weights: Vec<f64> = ints(of.runs[0].flows, "weight").iter().map(|weight| *weight as f64).collect();
    Fairness::of(&of.goodput_bps, &of.max_min_bps, &weights)
}

fn of_flow(of: &Numbers<'_>, flow: usize, workload: &str, acks: &Acks<'_>, yet: &str) -> String {
    let (name, goodput, due) = (of.names[flow], of.goodput_bps[flow], of.max_min_bps[flow]);
    if goodput == 0.0 && due == 0.0 {
        return if sent_before(of, flow) {
            format!("{name} had sent all that it had before the measured part of the run began.")
        } else {
            format!("{name} had nothing to send in the measured part of the run.")
        };
    }
    if goodput == 0.0 {
        return format!("{name} got nothing through{yet}.");
    }
    let mut got = format!("{name} got {}{yet}{}", rate_text(goodput), share(goodput, due));
    let asked = of.runs.iter().map(|run| floats(run.flows, "demand_bps")[flow]).sum::<f64>() / of.runs.len() as f64;
    if RANDOM.contains(&workload) && goodput > ROUNDED * due && is_close(due, asked) {
        // No share of a line holds it to that.
        got = format!("{name} got {}{yet}; in the long run it asks for {}", rate_text(goodput), rate_text(due));
    }
    let taken = acks.share(flow);
    if taken >= ACKS && due < f64::INFINITY && goodput < (1.0 - ACKS) * due {
        got += &format!(
            " ({} of its line went to acknowledgements of data in the other direction, which the share does not count)",
            percent(taken)
        );
    }
    let (wait, trip) = (of.flow("queueing_mean_s", flow), of.flow("rtt_mean_s", flow));
    if wait.is_nan() {
        return format!("{got}.");
    }
    got += &format!("; its packets waited {} on average", time_text(wait));
    let without = of.flow("owd_mean_s", flow) - wait;
    let high = high_wait(without, of.flow("owd_p95_s", flow), of.flow_count("received", flow));
    if high > wait && high >= LEAST_TIME {
        got += &format!(", 95 % of them less than {}", time_text(high));
    }
    if trip >= 0.0 {
        got += &format!(", and its round trips took {}", time_text(trip));
        let back = acks.wait_s(flow);
        if back >= BACK * trip {
            got += &format!(", of which its acknowledgements waited {} in queues on the way back", time_text(back));
        }
    }
    format!("{got}.")
}

/// Whether a flow got something through in the warm-up, or after it.
fn sent_before(of: &Numbers<'_>, flow: usize) -> bool {
    let own = |run: &Ran<'_>| {
        ints(run.intervals, "unique_bytes").iter().skip(flow).step_by(of.count()).any(|bytes| *bytes > 0)
    };
    of.runs.iter().any(own)
}

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The 95 % quantile of the waits in s of a flow's packets; NaN where it is not known to half of it.
///
/// It is the `quantile` of the delays less what a packet takes `without` waiting, which is the same for all of one length. Delays are counted in buckets
/// of a part of the whole delay, so a quantile that is far shorter than the way itself is mostly the width of a bucket.
fn high_wait(without: f64, quantile: f64, received: i64) -> f64 {
    if !quantile.is_finite() || quantile <= 0.0 {
        return f64::NAN;
    }
    // 32 buckets to the octave, which begins with a power of 2 of picoseconds.
    let octave = f64::from_bits((quantile * 1e12).to_bits() & !((1 << 52) - 1));
    let width = octave / 32.0 * 1e-12;
    let least = if received <= EXACT { quantile } else { (quantile / width - 1e-6).floor() * width };
    if least - without >= KNOWN * (quantile - without) { quantile - without } else { f64::NAN }
}

fn of_group(group: &Group, yet: &str) -> String {
    let Group { name, flows, goodput_bps, least_bps, most_bps, max_min_bps, wait_s } = group;
    let (rate, share) = (rate_text(*goodput_bps), share(*goodput_bps, *max_min_bps));
    let count = *flows as u64;
    let mut got = if count == 1 {
        format!("{name} got {rate}{yet}{share}")
    } else {
        let (least, most) = (rate_text(*least_bps), rate_text(*most_bps));
        let each = if least == most { least } else { format!("from {least} to {most}") };
        format!("{name}, {}, got {rate} together{yet}{share}, each {each}", counted(count, "flow"))
    };
    if *wait_s >= 0.0 {
        got += &format!("; {} packets waited {} on average", verb(count, "its", "their"), time_text(*wait_s));
    }
    format!("{got}.")
}

fn of_class(runs: &[Ran<'_>], class: usize, name: &str, yet: &str) -> String {
    let total = |column| total_of(runs, |run| run.classes, column, class).unsigned_abs();
    let time = |column| time_text(mean_of(runs, |run| run.classes, column, class));
    let within = format!("in the measured part of the run{yet}");
    let (started, finished) = (total("started"), total("finished"));
    if started == 0 {
        return format!("{name} began no transfer {within}.");
    }
    if started == 1 {
        let end = if finished > 0 {
            format!("it took {}", time("fct_mean_s"))
        } else {
            "it was not complete at the end".to_owned()
        };
        return format!("{name} had one transfer {within}, and {end}.");
    }
    let had = format!("{name} had {} {within}", counted(started, "transfer"));
    match finished {
        0 => format!("{had}, of which none was complete at the end."),
        1 => format!("{had}; the one that was complete at the end took {}.", time("fct_mean_s")),
        _ => format!(
            "{had}; the {finished} that were complete at the end took {} on average, and 95 % of them at most {}.",
            time("fct_mean_s"),
            time("fct_p95_s")
        ),
    }
}

fn share(got: f64, due: f64) -> String {
    if due > 0.0 && due.is_finite() {
        format!(", {} of the max-min share of {}", percent(got / due), rate_text(due))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays are counted in buckets of 1/32 of an octave: of some 10 ms, 268 us wide. What waits microseconds has no quantile of them.
    #[test]
    fn a_wait_that_is_lost_in_the_width_of_a_bucket_is_not_told() {
        let of_waits = |high: f64, received| high_wait(15.6e-3, 15.6e-3 + high, received);
        // The bucket from 15.569 to 15.837 ms begins before the way ends.
        assert!(of_waits(227e-6, 1000).is_nan());
        // That from 15.837 ms: a twentieth of the packets wait at least 237 of 400 us.
        assert!((of_waits(400e-6, 1000) - 400e-6).abs() < 1e-15);
        // Of few packets the quantile is that of one of them.
        assert!((of_waits(227e-6, EXACT) - 227e-6).abs() < 1e-15 && of_waits(227e-6, EXACT + 1).is_nan());
        assert!(high_wait(0.0, f64::NAN, 1).is_nan() && high_wait(0.0, 0.0, 1).is_nan());
    }

    #[test]
    fn a_share_is_told_where_there_is_one() {
        assert_eq!(share(5e6, 10e6), ", 50 % of the max-min share of 10 Mbit/s");
        assert_eq!([share(5e6, 0.0), share(5e6, f64::INFINITY)], [""; 2]);
    }
}
