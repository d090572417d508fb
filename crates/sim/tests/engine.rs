//! Whole runs: conservation, calibration, closed forms and determinism.

use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table};

fn run(text: &str, seed: u64) -> (Scenario, Run) {
    let scenario = Scenario::from_json(text).unwrap_or_else(|e| panic!("{e}"));
    let mut running = Run::new(&scenario, seed, 0);
    while !running.advance(10_000) {}
    (scenario, running)
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) => x.iter().map(|x| *x as f64).collect(),
        Cells::Name(..) => panic!("{name} holds names"),
    }
}

/// `count` sources each on its own fast access line, one gateway, one slow line to the sink.
fn one_gateway(flow: &str, count: usize, queue: &str, duration: &str) -> String {
    format!(
        r#"{{"duration": "{duration}",
            "nodes": [{{"name": "s", "kind": "host", "count": {count}}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s-{{i}}", "to": "g", "count": {count}, "rate": "800kbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {queue}}}],
            "flows": [{{"name": "f", "count": {count}, "from": "s-{{i}}", "to": "d", {flow}}}]}}"#
    )
}

#[test]
fn two_windows_of_five_share_a_line_and_wait_one_second() {
    // Keshav 1991, scenario 1: ten packets outstanding on a line of 10 packets/s: 5 packets/s and 1.00 s each.
    let text = one_gateway(r#""control": {"kind": "generic", "window": 5}"#, 2, r#""fcfs""#, "700s");
    let (scenario, running) = run(&text, 1);
    let flows = running.finished().flow_table(&scenario);
    for (received, rtt) in column(&flows, "received").iter().zip(column(&flows, "rtt_mean_s")) {
        assert!((received / 600.0 - 5.0).abs() < 0.01, "{received}");
        assert!((rtt - 1.0).abs() < 0.005, "{rtt}");
    }
    let links = running.finished().link_table(&scenario);
    let slow = 4; // two access links come first, two ports each
    assert!((column(&links, "utilisation")[slow] - 1.0).abs() < 1e-3);
    assert!((column(&links, "achieved_rate_bps")[slow] - 80_000.0).abs() < 1e-3);
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    let text = one_gateway(
        r#""workload": {"kind": "poisson", "mean": "200ms"}, "control": {"kind": "generic", "window": 9}"#,
        3,
        r#"{"kind": "fcfs", "buffer": "5pkt"}"#,
        "200s",
    );
    let digest = |seed| run(&text, seed).1.digest().value();
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

#[test]
fn the_budget_of_a_slice_changes_nothing() {
    let text = one_gateway(r#""workload": {"kind": "telnet"}"#, 3, r#""fcfs""#, "300s");
    let scenario = Scenario::from_json(&text).unwrap();
    let (mut a, mut b) = (Run::new(&scenario, 1, 0), Run::new(&scenario, 1, 0));
    while !a.advance(1) {}
    while !b.advance(1_000_000) {}
    assert_eq!(a.digest().value(), b.digest().value());
    assert_eq!(
        format!("{:?}", a.finished().interval_table(&scenario)),
        format!("{:?}", b.finished().interval_table(&scenario))
    );
}

#[test]
fn a_resolved_scenario_resolves_to_itself() {
    let text = one_gateway(r#""workload": {"kind": "telnet"}"#, 3, r#""fcfs""#, "300s");
    let once = headgate_sim::spec_json(&Scenario::from_json(&text).unwrap());
    let twice = headgate_sim::spec_json(&Scenario::from_json(&once).unwrap());
    assert_eq!(once, twice);
}

#[test]
fn random_lengths_are_kept_through_loss_and_retransmission() {
    // Each packet that arrived for the first time counts with the length that its number stands for, whatever was lost before.
    let text = one_gateway(
        r#""packet": {"kind": "uniform", "min": "100B", "max": "1500B"}, "control": {"kind": "jk_tahoe", "window": 30}"#,
        1,
        r#"{"kind": "fcfs", "buffer": "6KB"}"#,
        "200s",
    );
    let (scenario, running) = run(&text.replace("\"duration\"", "\"warm_up\": \"0s\", \"duration\""), 1);
    let flows = running.finished().flow_table(&scenario);
    let total = |name| column(&flows, name)[0];
    assert!(total("drops") > 10.0 && total("retransmissions") > 10.0);
    let lengths = scenario.flows[0].packet.build(1, 0, "f-1").unwrap();
    let bytes = |n: f64| (0..n as u64).map(|i| f64::from(lengths.of(i))).sum::<f64>();
    // All but the few that came out of sequence at the end.
    let unique = total("unique");
    assert!((total("unique_bytes") - bytes(unique)).abs() < 30.0 * 1500.0);
    assert!((bytes(unique) / unique - 800.0).abs() < 30.0, "{}", bytes(unique) / unique);
    assert!((column(&running.finished().link_table(&scenario), "achieved_rate_bps")[2] - 80_000.0).abs() < 1e-3);
}

#[test]
fn wrong_scenarios_name_the_place() {
    let good = one_gateway(r#""start": "1s""#, 2, r#"{"kind": "fcfs", "buffer": "64KB"}"#, "7s");
    for (from, to, path, part) in [
        ("\"start\"", "\"strat\"", "flows[0].strat", "did you mean `start`"),
        ("80kbit/s", "80kbps", "links[1].rate", "expected a rate"),
        ("80kbit/s", "-80kbit/s", "links[1].rate", "expected a rate"),
        ("64KB", "100B", "links[1].queue.buffer", "at least one packet"),
        ("\"fcfs\"", "\"fifo\"", "links[1].queue.kind", "one of fcfs"),
        ("\"buffer\"", "\"bufer\"", "links[1].queue.bufer", "did you mean `buffer`"),
        ("\"to\": \"d\", \"start\"", "\"to\": \"dd\", \"start\"", "flows[0].to", "did you mean `d`"),
        ("{\"name\": \"g\"}", "{\"name\": \"g\"}, {\"name\": \"g\"}", "nodes[2].name", "already used by nodes[1]"),
        ("\"start\": \"1s\"", "\"packet\": \"0B\"", "flows[0].packet", "1B to 16MiB"),
        (
            "\"start\": \"1s\"",
            "\"control\": {\"kind\": \"pp_cth\", \"fuzzy_inputs\": [0, 1, 1]}",
            "flows[0].control.fuzzy_inputs",
            "each above the one before",
        ),
        (
            "\"start\": \"1s\"",
            "\"control\": {\"kind\": \"pp_cth\", \"fuzzy_outputs\": [0, 1, 2]}",
            "flows[0].control.fuzzy_outputs",
            "from 0 to 1",
        ),
        ("\"7s\"", "7", "duration", "with its unit"),
        ("\"fcfs\"", "\"hrr\", \"lower\": []", "links[1].queue.lower", "one entry less"),
        ("\"fcfs\"", "\"hrr\", \"slots\": [10, 0]", "links[1].queue.slots[1]", "1 to 1000000"),
        ("\"fcfs\"", "\"hrr\", \"lower\": [11]", "links[1].queue.lower[0]", "fewer than the 10"),
        ("\"fcfs\"", "\"csfq\", \"k\": \"0s\"", "links[1].queue.k", "above zero"),
        ("\"start\": \"1s\"", "\"packet\": 1000", "flows[0].packet", "with its unit"),
        ("\"start\": \"1s\"", "\"packet\": {\"kind\": \"unifrom\"}", "flows[0].packet.kind", "did you mean `uniform`"),
        ("\"start\": \"1s\"", "\"packet\": {\"kind\": \"uniform\", \"max\": \"9\"}", "flows[0].packet.max", "1000B"),
        (
            "\"start\": \"1s\"",
            "\"packet\": {\"kind\": \"uniform\", \"max\": \"9B\"}",
            "flows[0].packet.max",
            "more than min, 40B",
        ),
        (
            "\"start\": \"1s\"",
            "\"packet\": {\"kind\": \"mix\", \"sizes\": []}",
            "flows[0].packet.sizes",
            "at least one",
        ),
        (
            "\"start\": \"1s\"",
            "\"workload\": {\"kind\": \"transfer\", \"size\": {\"kind\": \"pareto\", \"shape\": 0.9}}",
            "flows[0].workload.size.shape",
            "found 0.9; expected more than 1, or a `max`",
        ),
        (
            "\"start\": \"1s\"",
            "\"workload\": {\"kind\": \"transfer\", \"size\": \"paretto\"}",
            "flows[0].workload.size",
            "did you mean `pareto`",
        ),
        (
            "\"start\": \"1s\"",
            "\"workload\": {\"kind\": \"transfer\", \"size\": {\"kind\": \"empirical\", \"points\": [[1, 0.5], [\"2B\", 1]]}}",
            "flows[0].workload.size.points[1][0]",
            "found \"2B\"; expected all values as sizes",
        ),
        (
            "\"start\": \"1s\"",
            "\"workload\": {\"kind\": \"transfer\", \"packets\": 3, \"bytes\": \"3KB\"}",
            "flows[0].workload.bytes",
            "found \"3KB\"; expected `packets` or `bytes`, not both",
        ),
        (
            "\"start\": \"1s\"",
            "\"workload\": {\"kind\": \"on_off\", \"off_spans\": \"web_search\"}",
            "flows[0].workload.off_spans",
            "expected a distribution of times",
        ),
        ("\"start\": \"1s\"", "\"packet\": \"exponential\"", "links[1].queue.buffer", "16777216B"),
        (
            "\"start\": \"1s\"",
            "\"packet\": {\"kind\": \"mix\", \"sizes\": [{\"size\": \"40B\", \"share\": 0}]}",
            "flows[0].packet.sizes[0].share",
            "above zero",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let e = Scenario::from_json(&good.replace(from, to)).expect_err(to);
        assert_eq!(e.path, path, "{e}");
        assert!(e.to_string().contains(part), "{e}");
    }
    let island = good.replace("{\"name\": \"g\"}", "{\"name\": \"g\"}, {\"name\": \"x\"}");
    let island = island.replace("\"to\": \"d\", \"start\"", "\"to\": \"x\", \"start\"");
    assert!(Scenario::from_json(&island).unwrap_err().to_string().contains("can be reached"));
}

/// Stoica, Shenker and Zhang 1998, figure 8 and table 4: flows 1 and 2 cross both lines of 10 Mbit/s, flow 3 joins at the second; each sends 10 Mbit/s.
#[test]
fn labels_travel_from_router_to_router() {
    let text = r#"{"duration": "40s", "interval": "10s",
        "nodes": [{"name": "s", "kind": "host", "count": 3}, {"name": "r", "count": 2}, {"name": "d", "kind": "host"}],
        "links": [{"from": "s-1", "to": "r-1", "rate": "1Gbit/s"}, {"from": "s-2", "to": "r-1", "rate": "1Gbit/s"},
                  {"from": "s-3", "to": "r-2", "rate": "1Gbit/s"},
                  {"from": "r-1", "to": "r-2", "rate": "10Mbit/s", "delay": "1ms", "queue": {"kind": "csfq", RELABEL}},
                  {"from": "r-2", "to": "d", "rate": "10Mbit/s", "delay": "1ms", "queue": {"kind": "csfq", RELABEL}}],
        "flows": [{"name": "f", "count": 3, "from": "s-{i}", "to": "d", "acknowledge": false, "control": "none",
                   "workload": {"kind": "cbr", "rate": "10Mbit/s"}, "start_spread": "1ms"}]}"#;
    for (relabel, due) in [
        // Labels are rewritten to 5 Mbit/s on the first line: the second one shares equally.
        ("\"relabel\": true", [10.0 / 3.0; 3]),
        // They stay at 10 Mbit/s: the second line halves every flow. Were labels lost on the way, its own estimates would make the shares equal.
        ("\"relabel\": false", [2.5, 2.5, 5.0]),
        // Islands estimate again, so rewriting does not matter.
        ("\"relabel\": false, \"role\": \"island\"", [10.0 / 3.0; 3]),
    ] {
        let (scenario, running) = run(&text.replace("RELABEL", relabel), 1);
        for (bytes, due) in column(&running.finished().flow_table(&scenario), "received_bytes").iter().zip(due) {
            let got = bytes * 8.0 / 30e6;
            assert!((got / due - 1.0).abs() < 0.03, "{relabel}: {got} Mbit/s, {due} due");
        }
    }
}

#[test]
fn flows_are_put_into_queues_in_turn_whatever_their_acknowledgements_do() {
    // Three transfers in two queues: the first and the third share half the line. All conversations are named, those of acknowledgements too.
    let flow = r#""control": {"kind": "generic", "window": 5}"#;
    for classify in ["pair", "flow"] {
        let queue = format!(r#"{{"kind": "drr", "queues": 2, "quantum": "1000B"}}, "classify": "{classify}""#);
        let (scenario, running) = run(&one_gateway(flow, 3, &queue, "700s"), 1);
        let rates: Vec<f64> = column(&running.finished().flow_table(&scenario), "received")
            .iter()
            .map(|n| (n / 60.0).round() / 10.0)
            .collect();
        assert_eq!(rates, [2.5, 5.0, 2.5], "{classify}");
    }
}

#[test]
fn packet_pair_trades_delay_by_its_set_point_and_shares_evenly() {
    // Keshav 1991, scenario 1 without its Telnets: 5 packets/s each, nothing lost, and a lower set-point means less delay. By 5.14 each
    // has setpoint + R mu packets outstanding, so a round trip of setpoint/5 + R: for 5 packets 1 s and R = 0.11 s or, for the source whose
    // first probe waited behind the other's, a service time or two more; for 2 packets 0.6 s less.
    let mut delays = Vec::new();
    for (control, setpoint) in [("pp_cth", 5), ("pp_cth", 2), ("packet_pair", 5)] {
        let flow = format!(r#""control": {{"kind": "{control}", "setpoint": {setpoint}}}, "start_spread": "2s""#);
        let (scenario, running) = run(&one_gateway(&flow, 2, r#""fq""#, "700s"), 1);
        let flows = running.finished().flow_table(&scenario);
        for received in column(&flows, "received") {
            assert!((received / 600.0 - 5.0).abs() < 0.02, "{control} {setpoint}: {received}");
        }
        assert_eq!(column(&flows, "retransmissions"), [0.0, 0.0]);
        delays.push(column(&flows, "rtt_mean_s"));
    }
    for (five, two) in delays[0].iter().zip(&delays[1]) {
        assert!((1.1..1.6).contains(five) && (0.5..0.95).contains(two), "{delays:?}");
        assert!((five - two - 0.6).abs() < 0.15, "{delays:?}");
    }
}

#[test]
fn packet_pair_sources_divide_a_line_by_six() {
    // Scenario 2 without its Telnets: ten packets/s for six sources with windows of 5. 31 buffers hold them all; with the thesis's 25
    // some source loses a packet from time to time, and waits three round trips for its timer.
    let flow = r#""control": {"kind": "pp_cth", "window": 5}, "start_spread": "2s""#;
    let (scenario, running) = run(&one_gateway(flow, 6, r#"{"kind": "fq", "buffer": "31pkt"}"#, "700s"), 1);
    let rates: Vec<f64> =
        column(&running.finished().flow_table(&scenario), "unique").iter().map(|n| n / 600.0).collect();
    assert!(rates.iter().all(|r| (r - 10.0 / 6.0).abs() < 0.02), "{rates:?}");
}

/// The rows of a trace: time and value, by name and flow.
fn traced(running: &Run, scenario: &Scenario, name: &str, flow: &str) -> Vec<(f64, f64)> {
    let table = running.finished().trace_table(scenario);
    let code = |column: usize, name: &str| match &table[column].1 {
        Cells::Name(codes, names) => (codes.clone(), names.iter().position(|n| n == name).map(|p| p as i64)),
        _ => panic!("names"),
    };
    let ((traces, trace), (objects, object)) = (code(0, name), code(1, flow));
    let (at, value) = (column(&table, "time_s"), column(&table, "value"));
    (0..at.len())
        .filter(|i| Some(traces[*i]) == trace && Some(objects[*i]) == object)
        .map(|i| (at[i], value[i]))
        .collect()
}

#[test]
fn estimates_are_traced_when_they_change_under_their_own_names() {
    // One source alone: the first pair is acknowledged 0.01 + 0.1 + 0.001 s after the start and 0.1 s later. The line is of 10 packets/s.
    let control = r#""control": {"kind": "pp_cth", "setpoint": 2, "predictor": "exponential"}"#;
    let text = one_gateway(control, 1, r#""fq""#, "60s")
        .replace("\"duration\"", "\"traces\": [\"estimates\", \"window\"], \"duration\"");
    let (scenario, running) = run(&text, 1);
    let of = |name: &str| traced(&running, &scenario, name, "f-1");
    // The round trip and the weight are set once; the pairs measured the same gap again and again, which is no change.
    let [(at, round_trip)] = of("round_trip")[..] else { panic!("{:?}", of("round_trip")) };
    assert!((at - round_trip).abs() < 1e-9 && (0.11..0.115).contains(&round_trip), "{at} {round_trip}");
    let [(at, gap)] = of("probe")[..] else { panic!("{:?}", of("probe")) };
    assert!((at - round_trip - 0.1).abs() < 1e-9 && (gap - 0.1).abs() < 1e-9);
    assert_eq!(of("alpha").iter().map(|r| r.1).collect::<Vec<_>>(), [0.8]);
    let service = of("service_rate");
    assert!((service[0].1 - 10.0).abs() < 1e-6);
    // Law 5.14 continues to correct: rate, its inverse and the queue at the same times.
    let (rate, spacing, queue) = (of("rate"), of("packet_spacing"), of("queue"));
    assert!(rate.len() > 3 && rate.len() == spacing.len());
    assert!(rate.iter().zip(&spacing).all(|(r, s)| r.0 == s.0 && (r.1 * s.1 - 1.0).abs() < 1e-12));
    assert!(rate.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1));
    // The first pair is all that was out: n_b = 0 - R mu.
    assert!((queue[0].1 + round_trip * 10.0).abs() < 1e-6);
    // The window is traced as before, and by its own kind only.
    assert_eq!(of("window").len(), 1);
    assert!(
        running
            .finished()
            .trace_table(&scenario)
            .iter()
            .all(|(_, c)| !matches!(c, Cells::Float(x) if x.iter().any(|v| v.is_nan())))
    );
}

#[test]
fn estimates_change_nothing_and_are_absent_when_off() {
    let text = one_gateway(r#""control": {"kind": "packet_pair"}"#, 3, r#""fq""#, "100s");
    let with = text.replace("\"duration\"", "\"traces\": [\"estimates\"], \"duration\"");
    let ((a, off), (b, on)) = (run(&text, 1), run(&with, 1));
    assert_eq!(off.digest().value(), on.digest().value());
    assert!(column(&off.finished().trace_table(&a), "value").is_empty());
    for name in ["spacing", "round_trip", "depth", "skip"] {
        assert!(!traced(&on, &b, name, "f-3").is_empty(), "{name}");
    }
}

#[test]
fn a_flow_control_without_a_window_has_no_trace_of_one() {
    let workload = r#""control": "none", "workload": {"kind": "cbr", "rate": "10kbit/s"}"#;
    let text =
        one_gateway(workload, 1, r#""fq""#, "10s").replace("\"duration\"", "\"traces\": [\"window\"], \"duration\"");
    let (scenario, running) = run(&text, 1);
    assert_eq!(traced(&running, &scenario, "window", "f-1"), []);
}

#[test]
fn drops_are_traced_in_the_order_in_which_they_happen() {
    // A long packet of the highest priority takes the places of two short ones: first that of the lowest, which arrived earlier.
    let flow = |name: &str, priority: u32, size: &str, start: &str| {
        format!(
            r#"{{"name": "{name}", "from": "s", "to": "d", "priority": {priority}, "packet": "{size}", "start": "{start}",
                 "workload": {{"kind": "transfer", "packets": 1}}, "control": {{"kind": "generic", "window": 1}}}}"#
        )
    };
    let flows = [
        flow("first", 0, "1000B", "0s"),
        flow("lowest", 2, "500B", "10ms"),
        flow("middle", 1, "500B", "20ms"),
        flow("high", 0, "1000B", "30ms"),
    ];
    let text = format!(
        r#"{{"duration": "100ms", "traces": ["drops"], "flows": [{}],
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", "rate": "100Mbit/s"}},
                      {{"from": "g", "to": "d", "rate": "8kbit/s", "queue": {{"kind": "strict_priority", "buffer": "1KB"}}}}]}}"#,
        flows.join(", ")
    );
    let (scenario, running) = run(&text, 1);
    assert_eq!(column(&running.finished().trace_table(&scenario), "value"), [1.0, 2.0]);
}
