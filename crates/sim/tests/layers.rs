//! Sessions of layers under receiver-driven layered multicast: what the network carries, and how sessions share a line.

use crate::common;

use common::{cell, column, run};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run};
use serde_json::{Value, json};

/// Sources s1 ... over a line of 4 Mbit/s, as in figure 7 of Stoica, Shenker and Zhang 1998.
fn line(queue: Value, flows: Value, duration: &str) -> Value {
    json!({
        "duration": duration, "warm_up": "100s", "interval": "10s", "traces": ["estimates"],
        "topology": {
            "kind": "dumbbell", "hosts": 4, "access": { "rate": "1Gbit/s" },
            "line": { "rate": "4Mbit/s", "delay": "1ms", "queue": queue, "reverse_queue": "fcfs" },
        },
        "flows": flows,
    })
}

fn session(i: u32) -> Value {
    json!({ "name": format!("rlm{i}"), "from": format!("s{i}"), "to": format!("d{i}"), "control": "rlm", "workload": "layers" })
}

/// A TCP and three sessions.
fn figure_7() -> Value {
    let tcp = json!({
        "name": "tcp", "from": "s4", "to": "d4", "control": "reno",
        "transport": { "initial_window": 1, "receiver_window": 20, "min_timeout": "200ms", "tick": "100ms" },
    });
    json!([tcp, session(1), session(2), session(3)])
}

/// Each flow's rate in Mbit/s after 100 s, and the share of that time at each level of each session.
fn shares(queue: Value) -> (Vec<f64>, Vec<[f64; 8]>) {
    let (scenario, run) = run(&line(queue, figure_7(), "250s").to_string());
    let rates =
        column(&run.finished().flow_table(&scenario), "received_bytes").iter().map(|n| n * 8.0 / 150.0 / 1e6).collect();
    let levels = (1..4).map(|flow| {
        let steps = levels((&scenario, &run), &format!("rlm{flow}"));
        let mut spent = [0.0; 8];
        for (k, (from, level)) in steps.iter().enumerate() {
            let until = steps.get(k + 1).map_or(250.0, |next| next.0);
            spent[*level] += (until - from.max(100.0)).max(0.0) / 150.0;
        }
        spent
    });
    (rates, levels.collect())
}

/// The times and values of a gauge of a flow.
fn gauge((scenario, run): (&Scenario, &Run), flow: &str, gauge: &str) -> Vec<(f64, f64)> {
    let table = run.finished().trace_table(scenario);
    let named = |column: &str, name: &str| {
        let Cells::Name(codes, names) = &table.iter().find(|(n, _)| *n == column).expect(column).1 else {
            panic!("{column} holds no names")
        };
        codes.iter().map(|code| names[*code as usize] == name).collect::<Vec<bool>>()
    };
    let wanted = named("trace", gauge).into_iter().zip(named("object", flow)).map(|(a, b)| a && b);
    let rows = column(&table, "time_s").into_iter().zip(column(&table, "value"));
    rows.zip(wanted).filter(|(_, wanted)| *wanted).map(|(row, _)| row).collect()
}

/// When the level of a flow changed, in s, and to what.
fn levels(run: (&Scenario, &Run), flow: &str) -> Vec<(f64, usize)> {
    gauge(run, flow, "layers").into_iter().map(|(at, level)| (at, level as usize)).collect()
}

#[test]
fn where_queues_are_fair_all_sessions_hold_the_five_layers_of_their_share() {
    // 4 Mbit/s among four: 1 Mbit/s each, and five layers are 0.992.
    let window = json!("250ms");
    let csfq = json!({ "kind": "csfq", "buffer": "64KB", "k": window, "k_alpha": window, "k_c": window });
    let drr = json!({ "kind": "drr", "buffer": "64KB", "quantum": "1000B", "drop": "head" });
    for (queue, least) in [(drr, 0.98), (csfq, 0.6)] {
        let (rates, levels) = shares(queue);
        assert!((0.94..1.35).contains(&rates[0]), "TCP gets the rest: {rates:?}");
        for (rate, level) in rates[1..].iter().zip(&levels) {
            assert!((0.8..1.01).contains(rate), "{rates:?}");
            assert!(level[5] > least, "{level:?}");
        }
    }
}

#[test]
fn where_the_queue_is_not_fair_sessions_hold_four_layers_and_tcp_twice_its_share() {
    let fred =
        json!({ "kind": "fred", "buffer": "64KB", "min_threshold": "16KB", "max_threshold": "32KB", "max_p": 0.1 });
    let (rates, levels) = shares(fred);
    assert!((1.7..2.6).contains(&rates[0]), "{rates:?}");
    assert!(levels.iter().all(|level| level[4] > 0.9), "{levels:?}");
}

#[test]
fn a_session_alone_takes_all_layers_that_fit() {
    // Six layers are 2.016 Mbit/s, seven 4.064.
    let mut file = line(json!("fcfs"), json!([session(1)]), "400s");
    file["topology"]["line"]["rate"] = "3Mbit/s".into();
    let (scenario, run) = run(&file.to_string());
    let rate = cell(&run.finished().flow_table(&scenario), ("flow", "rlm1"), "received_bytes") * 8.0 / 300e6;
    assert!((2.0..2.3).contains(&rate), "{rate}");
    let seen: Vec<usize> = levels((&scenario, &run), "rlm1").iter().map(|step| step.1).collect();
    assert_eq!(seen[..6], [1, 2, 3, 4, 5, 6]);
    assert!(seen[6..].iter().all(|level| [6, 7].contains(level)), "{seen:?}");
}

#[test]
fn the_network_carries_a_layer_from_the_join_on_and_until_the_leave_has_come() {
    let carried = |join: &str, leave: &str| {
        let mut file = line(json!({ "kind": "fcfs", "buffer": "64KB" }), json!([session(1)]), "300s");
        file["topology"]["line"]["rate"] = "3Mbit/s".into();
        file["flows"][0]["control"] = json!({ "kind": "rlm", "join_latency": join, "leave_latency": leave });
        let (scenario, run) = run(&file.to_string());
        // The seventh layer is received for the time of each experiment.
        let rates = gauge((&scenario, &run), "rlm1", "rate_7").into_iter().filter(|(_, rate)| *rate > 0.0);
        (levels((&scenario, &run), "rlm1"), rates.map(|(at, _)| at).collect::<Vec<f64>>())
    };
    for (join, leave, graft, prune) in [("0s", "0s", 0.0, 0.0), ("3s", "0s", 3.0, 0.0), ("0s", "3s", 0.0, 3.0)] {
        let (levels, rates) = carried(join, leave);
        let seventh = levels.iter().position(|(_, level)| *level == 7).expect("it is tried");
        let (joined, left) = (levels[seventh].0, levels[seventh + 1].0);
        let first = rates[0];
        // A rate is that of the second before, and shows with the next packet.
        assert!((joined + graft..joined + graft + 1.1).contains(&first), "{join}: joined at {joined}, came at {first}");
        let end = rates.iter().copied().take_while(|at| *at < left + 5.0).last().unwrap();
        assert!((left + prune - 1.1..left + prune + 1.3).contains(&end), "{leave}: left at {left}, ended at {end}");
    }
}

#[test]
fn without_rlm_all_layers_are_sent() {
    let mut flow = session(1);
    flow["control"] = "none".into();
    flow["workload"] = json!({ "kind": "layers", "layers": 3, "rate": "100kbit/s", "factor": 3.0 });
    let (scenario, run) = run(&line(json!("fcfs"), json!([flow]), "200s").to_string());
    let table = run.finished().flow_table(&scenario);
    assert_eq!(column(&table, "demand_bps"), [1_300_000.0]);
    let rate = column(&table, "received_bytes")[0] * 8.0 / 100.0;
    assert!((rate / 1.3e6 - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn rlm_needs_layers_and_no_acknowledgements() {
    let read = |flow: Value| {
        Scenario::from_json(&line(json!("fcfs"), json!([flow]), "200s").to_string()).map_err(|e| e.to_string())
    };
    let mut flow = session(1);
    flow["acknowledge"] = false.into();
    assert!(read(flow.clone()).is_ok());
    flow["workload"] = "ftp".into();
    let why = read(flow).unwrap_err();
    assert_eq!(
        why,
        "flows[0].workload: found ftp; expected layers: flow control `rlm` joins and leaves the layers of its workload"
    );
    let (scenario, run) = run(&line(json!("fcfs"), json!([session(1)]), "200s").to_string());
    let links = run.finished().link_table(&scenario);
    let reverse: f64 = column(&links, "sent").iter().skip(1).step_by(2).sum();
    assert_eq!(reverse, 0.0, "nothing comes back");
}
