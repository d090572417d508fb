//! Which flows may keep in step with a queue: where the phase of arrivals can decide who gets what.
//!
//! Source: Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways". Deviations: the rule errs on the safe side. It does not
//! look at round trips and buffers, since a run tells whether there is an effect.

use crate::net::Paths;
use crate::pace::Pace;
use crate::spec::{Scenario, SpecError};

/// The flows, by number, whose shares may depend on the phase of arrivals: those with a window, not paced, whose data share a gateway's port with other
/// flows there in order of arrival, if chance does not decide what is dropped (section 5). Whether their hosts have noise does not matter. `stop` answers whether to give up.
///
/// # Errors
/// `stop` answered true.
pub fn in_step(s: &Scenario, stop: &mut dyn FnMut() -> bool) -> Result<Vec<usize>, SpecError> {
    let mut pace = Pace::new(stop);
    let mut paths = Paths::new(s, s.seed, u64::MAX);
    let ways = paths.ways(&mut pace)?;
    let hosts = s.host_ports();
    let shared: Vec<bool> = s
        .queues()
        .iter()
        .zip(hosts)
        .map(|(queue, host)| !host && !queue.per_conversation() && !queue.drops_at_random())
        .collect();
    let mut crossing = vec![0_u32; shared.len()];
    let links = |i: usize| ways[i].iter().flat_map(|way| paths.links(way[0]));
    for i in 0..s.flows.len() {
        pace.step()?;
        // Flows that come and go are many.
        let flows = 1 + u32::from(s.flows[i].arrivals.is_some());
        links(i).for_each(|lane| crossing[lane as usize] = crossing[lane as usize].saturating_add(flows));
    }
    let mut found = Vec::new();
    let mut windowed = false;
    for (i, flow) in s.flows.iter().enumerate() {
        pace.step()?;
        if i == 0 || !flow.alike(&s.flows[i - 1]) {
            let config = flow.transport_config();
            windowed = !config.is_open_loop() && !config.is_paced();
        }
        if windowed && links(i).any(|lane| shared[lane as usize] && crossing[lane as usize] > 1) {
            found.push(i);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers for flows over a dumbbell with this queue.
    fn of(queue: &str, flows: &str) -> Vec<usize> {
        let text = format!(
            r#"{{"duration": "1s", "topology": {{"kind": "dumbbell", "hosts": 3, "line": {{"rate": "1Mbit/s", "queue": {queue}}},
                "access": {{"rate": "9Mbit/s"}}}}, "flows": [{flows}]}}"#
        );
        let scenario = Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"));
        in_step(&scenario, &mut || false).expect("nothing stops it")
    }

    #[test]
    fn flows_with_windows_that_share_a_queue_in_order_of_arrival() {
        let flow = |n: u32, more: &str| format!(r#"{{"name": "f{n}", "from": "s{n}", "to": "d{n}", {more}}}"#);
        let window = r#""control": "reno""#;
        let two = format!("{}, {}", flow(1, window), flow(2, window));
        for queue in ["fcfs", "decbit", "strict_priority"] {
            assert_eq!(of(&format!("{queue:?}"), &two), [0, 1], "{queue}");
        }
        for queue in ["fq", "drr", "wf2q_plus", "csfq", "fred", "red", "random_drop"] {
            assert_eq!(of(&format!("{queue:?}"), &two), [0; 0], "{queue}");
        }
        // Alone at the line, in the other direction, or beside a stream.
        assert_eq!(of(r#""fcfs""#, &flow(1, window)), [0; 0]);
        let back = r#"{"name": "back", "from": "d2", "to": "s2", "control": "reno"}"#;
        assert_eq!(of(r#""fcfs""#, &format!("{}, {back}", flow(1, window))), [0; 0]);
        let stream = flow(2, r#""control": "none", "workload": {"kind": "cbr", "rate": "100kbit/s"}"#);
        assert_eq!(of(r#""fcfs""#, &format!("{stream}, {}", flow(1, window))), [1]);
        // Flows that come and go share it with each other.
        let web = r#""control": "reno", "arrivals": {"kind": "poisson", "mean": "1s"}, "workload": {"kind": "transfer", "packets": 9}"#;
        assert_eq!(of(r#""fcfs""#, &flow(1, web)), [0]);
        // A host's own port belongs to it alone.
        let same = r#"{"name": "same", "from": "s1", "to": "d2", "control": "reno"}"#;
        assert_eq!(of(r#""fq""#, &format!("{}, {same}", flow(1, window))), [0; 0]);
        // Layers are sent at the rates that their workload gives them.
        let layers = flow(2, r#""control": "rlm", "workload": {"kind": "layers", "layers": 2, "rate": "32kbit/s"}"#);
        assert_eq!(of(r#""fcfs""#, &format!("{layers}, {}", flow(1, window))), [1]);
        // Paced sources choose their times.
        for control in [r#""bbr1""#, r#""packet_pair""#, r#""reno", "transport": {"paced": true}"#] {
            let paced = flow(2, &format!(r#""control": {control}"#));
            assert_eq!(of(r#""fcfs""#, &format!("{}, {paced}", flow(1, window))), [0], "{control}");
        }
    }
}
