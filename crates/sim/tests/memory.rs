//! What a run takes in memory: the parts that grow are counted, and a run that would take too much is refused or ended.

use headgate_control::transport::Way;
use headgate_sim::link::LineRate;
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run};

const MEGABYTE: u64 = 1_000_000;

fn scenario(flow: &str, link: &str, more: &str) -> Scenario {
    with_links(flow, link, r#""rate": "1Mbit/s""#, more)
}

fn with_links(flow: &str, link: &str, second: &str, more: &str) -> Scenario {
    let text = format!(
        r#"{{"duration": "10000s", "interval": "5000s",
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", {link}}}, {{"from": "g", "to": "d", {second}}}],
            "flows": [{{"name": "f", "from": "s", "to": "d", {flow}}}]{more}}}"#
    );
    Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs until ten megabytes are taken; gives the error.
fn grown(s: &Scenario) -> String {
    let mut running =
        Run::new_unless(s, 1, 0, Rows::Kept, 10 * MEGABYTE, &mut || false).unwrap_or_else(|e| panic!("{e}"));
    loop {
        let done = running.advance(1 << 14);
        if let Err(e) = running.check_memory(10 * MEGABYTE) {
            let all: u64 = running.memory().iter().map(|(_, bytes)| bytes).sum();
            assert!(all > 10 * MEGABYTE, "it was ended at {all} bytes");
            assert!(all < 60 * MEGABYTE, "a slice of work grew to {all} bytes");
            return e.to_string();
        }
        assert!(!done, "the run ended with {:?}", running.memory());
    }
}

#[test]
fn a_run_that_grows_is_ended_with_the_name_of_what_grew() {
    let cbr =
        |rate: &str| format!(r#""packet": "1B", "control": "none", "workload": {{"kind": "cbr", "rate": "{rate}"}}"#);
    let window = r#""control": {"kind": "generic", "window": 1000000000}"#;
    for (what, s) in [
        ("packets in queues", scenario(&cbr("10Gbit/s"), r#""rate": "1Mbit/s""#, "")),
        ("packets on wires", scenario(&cbr("8Mbit/s"), r#""rate": "10Mbit/s", "delay": "4000h""#, "")),
        (
            "flows that began during the run",
            with_links(
                r#""control": "none", "acknowledge": false, "arrivals": {"kind": "poisson", "mean": "10ms"},
                   "workload": {"kind": "transfer", "packets": 1}"#,
                r#""rate": "1Gbit/s""#,
                r#""rate": "1Gbit/s", "queue": "wf2q_plus", "classify": "flow""#,
                "",
            ),
        ),
        ("packets in queues", scenario(window, r#""rate": "1Mbit/s""#, "")),
        (
            "traces",
            scenario(r#""control": {"kind": "generic"}"#, r#""rate": "1Mbit/s""#, r#", "traces": ["rtt", "backlog"]"#),
        ),
    ] {
        let error = grown(&s);
        assert!(error.contains(&format!("of which {what} ")) && error.contains("0.010 GB"), "{what}: {error}");
    }
}

#[test]
fn what_is_known_before_the_run_is_refused_before_it() {
    let mut s = scenario(r#""control": "jk_reno", "count": 1000"#, r#""rate": "1Mbit/s""#, "");
    let refused = |s: &Scenario| {
        Run::new_unless(s, 1, 0, Rows::Kept, 10 * MEGABYTE, &mut || false)
            .map(|_| ())
            .map_err(|e| (e.path.clone(), e.to_string()))
    };
    assert_eq!(refused(&s), Ok(()));
    s.interval = Some("1s".parse().expect("a time"));
    let (path, text) = refused(&s).expect_err("10,000 intervals of 1000 flows");
    assert!(path == "interval" && text.contains("at most 0.010 GB"), "{text}");
    // Flows of one entry take little room, those with separate entries more.
    let flow = |i: usize| format!(r#"{{"name": "f{i}", "from": "s", "to": "d"}}"#);
    let text = format!(
        r#"{{"duration": "9s", "interval": "9s", "warm_up": "0s", "nodes": [{{"name": "s"}}, {{"name": "d"}}],
            "links": [{{"from": "s", "to": "d", "rate": "1Mbit/s"}}], "flows": [{}]}}"#,
        (0..30_000).map(flow).collect::<Vec<_>>().join(",")
    );
    let s = Scenario::from_json(&text).expect("it is right");
    assert_eq!(refused(&s).expect_err("30,000 entries").0, "flows");
}

#[test]
fn paths_that_take_too_much_are_refused() {
    let chain = |queue: &str, classify: &str, more: &str| {
        let nodes: Vec<String> = (0..201).map(|i| format!(r#"{{"name": "n{i}"}}"#)).collect();
        let link = |i| {
            format!(
                r#"{{"from": "n{i}", "to": "n{}", "rate": "1Mbit/s", "queue": "{queue}", "classify": "{classify}"}}"#,
                i + 1
            )
        };
        let text = format!(
            r#"{{"duration": "9s", "interval": "9s", "warm_up": "0s", "nodes": [{}], "links": [{}],
                "flows": [{{"name": "f", "from": "n0", "to": "n200", "count": 4000, "control": "none",
                            "workload": {{"kind": "cbr", "rate": "1kbit/s"}}, {more}}}]}}"#,
            nodes.join(","),
            (0..200).map(link).collect::<Vec<_>>().join(",")
        );
        let s = Scenario::from_json(&text).expect("it is right");
        let built = Run::new_unless(&s, 1, 0, Rows::Kept, 15 * MEGABYTE, &mut || false);
        built.map_or_else(|e| e.to_string(), |_| String::new())
    };
    // 4000 flows over 200 links: 800,000 hops there and as many back, 16 bytes each.
    let why = "flows: expected flows whose paths have at most 937500 hops together, in 0.015 GB of memory";
    assert_eq!(chain("fq", "flow", r#""acknowledge": true"#), why);
    assert_eq!(chain("fq", "flow", r#""acknowledge": false"#), "");
    assert_eq!(chain("fq", "pair", r#""acknowledge": true"#), "");
    assert_eq!(chain("fcfs", "flow", r#""acknowledge": true"#), "");
}

#[test]
fn reading_and_building_can_be_given_up_at_any_time() {
    let s = scenario(r#""control": "jk_reno", "count": 20000"#, r#""rate": "1Mbit/s""#, "");
    let text = r#"{"duration": "1s", "nodes": [{"name": "a"}, {"name": "b"}], "links": [{"from": "a", "to": "b", "rate": "1Mbit/s"}],
                   "flows": [{"name": "f", "count": 20000, "from": "a", "to": "b"}]}"#;
    type Work<'a> = &'a dyn Fn(&mut dyn FnMut() -> bool) -> bool;
    let works: [(&str, Work<'_>); 3] = [
        ("reading", &|stop| Scenario::from_json_unless(text, stop).is_ok()),
        ("building", &|stop| Run::new_unless(&s, 1, 0, Rows::Kept, u64::MAX, stop).is_ok()),
        ("writing", &|stop| headgate_sim::spec_json_unless(&s, stop).is_ok()),
    ];
    for (what, work) in works {
        let (mut asked, mut late) = (0, 0);
        assert!(work(&mut || {
            asked += 1;
            false
        }));
        assert!(asked >= 10, "{what} 20,000 flows asks only {asked} times whether to stop");
        for nth in [1, asked / 2, asked] {
            let mut count = 0;
            let done = work(&mut || {
                count += 1;
                late += u64::from(count > nth);
                count >= nth
            });
            assert!(!done && late == 0, "{what} continues after it was to stop at question {nth} of {asked}");
        }
    }
}

#[test]
fn a_burst_in_parts_is_the_same_burst() {
    // A window of 40,000 is sent in three parts at one instant; the host's line sends it in order, and nothing is lost or sent twice.
    let flow = r#""packet": "100B", "control": {"kind": "generic", "window": 40000, "initial_rtt": "1000s"}, "workload": {"kind": "transfer", "packets": 40000}"#;
    let s = scenario(flow, r#""rate": "1Gbit/s""#, "").to_owned();
    let mut s = s;
    s.links[1].rate = LineRate::Fixed("1Gbit/s".parse().expect("a rate")).into();
    let mut running = Run::new(&s, 1, 0);
    running.log_events(0, 8);
    while !running.advance(1 << 14) {}
    let first: Vec<&str> =
        running.logged().iter().map(String::as_str).take_while(|l| l.contains("at 0.000000000000 s")).collect();
    assert_eq!(first.iter().filter(|l| l.contains("timer of flow 0")).count(), 2, "{first:?}");
    let (sent, received) = running.packets();
    assert_eq!((sent, received), (40_000, 40_000));
}

/// Five flows of a control, over a line that is down at first, so that timers run out before anything is acknowledged.
fn late_line(control: &str, workload: &str, traces: &str) -> Scenario {
    let text = format!(
        r#"{{"duration": "60s", "warm_up": "0s", "interval": "60s", "seed": 7{traces},
            "nodes": [{{"name": "a"}}, {{"name": "b", "kind": "host"}}],
            "links": [{{"name": "l", "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "5ms", "queue": {{"kind": "fcfs", "buffer": "7pkt"}}}}],
            "events": [{{"at": "0s", "up": false, "link": "l"}}, {{"at": "9s", "up": true, "link": "l"}}],
            "flows": [{{"name": "f", "from": "a", "to": "b", "count": 5, "start_spread": "2s", "control": "{control}", {workload}}}]}}"#
    );
    Scenario::from_json(&text).unwrap_or_else(|e| panic!("{control}: {e}"))
}

/// The digest at the end; and what the records took, first in the middle of the time without a line, and at the end.
fn records(s: &Scenario) -> (u64, [u64; 2]) {
    let mut running = Run::new_unless(s, 1, 0, Rows::Dropped, u64::MAX, &mut || false).expect("nothing bounds it");
    while running.progress() < 0.1 {
        running.advance(1);
    }
    let early = running.memory()[2].1;
    while !running.advance(1 << 14) {}
    // They are measured again after some events only.
    let late = running.records_now();
    (running.digest().value(), [early, late])
}

#[test]
fn a_source_that_slept_does_what_one_does_that_never_sleeps() {
    // A trace of windows wants to see each source, so that none sleeps; and it changes nothing. What is kept early tells whether they sleep.
    let traced = r#", "traces": ["window"]"#;
    for control in headgate_control::LIST.iter().map(|entry| entry.name) {
        let (workload, ends) = match control {
            "rlm" => continue, // nothing comes back to it
            "none" => (r#""workload": {"kind": "cbr", "rate": "100kbit/s"}"#, false),
            _ => (r#""workload": {"kind": "transfer", "packets": 40}"#, true),
        };
        let [asleep, awake] = ["", traced].map(|traces| records(&late_line(control, workload, traces)));
        assert_eq!(asleep.0, awake.0, "{control}");
        let spec = headgate_control::Spec::default_of(control).expect("it is in the list");
        let sleeps = matches!(spec.transport().way, Way::Tcp(_) | Way::Window(_)) && !spec.takes_chances();
        let controlled = control != "none" && ends;
        assert_eq!(asleep.1[0] != awake.1[0], sleeps && controlled, "{control}: {asleep:?} {awake:?}");
        let endless = [r#""workload": {"kind": "on_off", "rate": "400kbit/s"}"#, traced];
        if controlled {
            let [asleep, awake] = ["", traced].map(|traces| records(&late_line(control, endless[0], traces)).0);
            assert_eq!(asleep, awake, "{control} with bursts");
        }
    }
}

#[test]
fn of_a_transfer_that_is_complete_no_records_stay() {
    let (_, [early, late]) = records(&late_line("cubic", r#""workload": {"kind": "transfer", "packets": 40}"#, ""));
    assert!(early > 0 && late == 0, "{early} {late}");
}
