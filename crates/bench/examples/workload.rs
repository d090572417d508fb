//! Runs a workload of `headgate bench` and prints what it sent and delivered, its digest and its processor time; `benches/instructions.py`
//! counts its instructions: `workload W1|W2|W3|W4|NAME.json QUEUE CONTROL|FLOWS [SECONDS [FROM]]`.
//!
//! `CONTROL` is that of the bulk flows of W2 and W3, `FLOWS` the number of sources of W4; W1 ignores it. A scenario in a file, `NAME.json`, has
//! its own queue, control and duration. What happens after `FROM` simulated seconds happens in the function `counted`, so that valgrind can
//! count it alone.

use headgate_sim::Run;
use headgate_sim::spec::Scenario;

const USAGE: &str = "expected: workload W1|W2|W3|W4|NAME.json QUEUE CONTROL|FLOWS [SECONDS [FROM]]";

/// The scenario of a workload as JSON.
fn scenario(workload: &str, queue: &str, which: &str, seconds: f64) -> String {
    let bulk = |packet: &str, count: u32, window: u32| {
        let window = if which == "jk_reno" { format!(r#","window":{window}"#) } else { String::new() };
        format!(
            r#"{{"name":"f{{i}}","from":"a","to":"b","packet":"{packet}","count":{count},"control":{{"kind":"{which}"{window}}}}}"#
        )
    };
    let cbr = |name: String, bits: u64, more: &str| {
        format!(
            r#"{{"name":"{name}","from":"a","to":"b","acknowledge":false,"control":{{"kind":"none"}},"workload":{{"kind":"cbr","rate":"{bits}bit/s"}}{more}}}"#
        )
    };
    let (rate, delay, buffer, flows) = match workload {
        "W1" => {
            let flows: Vec<String> = (0..32).map(|i| cbr(format!("f{i}"), (i + 1) * 312_500, "")).collect();
            ("10Mbit/s", "1ms", "64KB", flows.join(","))
        }
        "W2" => ("10Mbit/s", "10ms", "64KB", bulk("1000B", 32, 1000)),
        "W3" => ("1Gbit/s", "15ms", "3750KB", bulk("1500B", 4, 100_000)),
        "W4" => {
            let count: u64 = which.parse().expect(USAGE);
            let more = format!(r#","count":{count},"start_spread":"{}ns""#, 4000 * count);
            ("1Gbit/s", "1ms", "64KB", cbr("f{i}".into(), 2_000_000_000 / count, &more))
        }
        other => panic!("found {other}; {USAGE}"),
    };
    format!(
        r#"{{"duration":"{seconds}s","interval":"{seconds}s","warm_up":"0s",
        "nodes":[{{"name":"a"}},{{"name":"b","kind":"host"}}],
        "links":[{{"name":"line","from":"a","to":"b","rate":"{rate}","delay":"{delay}","classify":"flow",
            "queue":{{"kind":"{queue}","buffer":"{buffer}"}}}}],
        "flows":[{flows}]}}"#
    )
}

/// A figure of this process from `/proc`, 0 where there is none.
fn proc(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// The rest of a run.
#[inline(never)]
fn counted(run: &mut Run) {
    while !run.advance(1 << 16) {}
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [workload, queue, which, rest @ ..] = args.as_slice() else { panic!("{USAGE}") };
    let seconds: f64 = rest.first().map_or(1.0, |text| text.parse().expect(USAGE));
    let text = if workload.ends_with(".json") {
        std::fs::read_to_string(workload).expect(USAGE)
    } else {
        scenario(workload, queue, which, seconds)
    };
    let scenario = Scenario::from_json(&text).expect("a scenario");
    let before = proc("schedstat", "");
    let mut run = Run::new(&scenario, 1, 0);
    let from: f64 = rest.get(1).map_or(0.0, |text| text.parse().expect(USAGE));
    while run.progress() * seconds < from && !run.advance(64) {}
    let hops_before = run.transmissions();
    counted(&mut run);
    let cpu = proc("schedstat", "") - before;
    let ((sent, _), hops) = (run.packets(), run.transmissions());
    println!("{workload} {queue} {which}: {sent} sent, {hops} transmissions, digest {:016x}", run.digest().value());
    println!("{} transmissions from {from} s on", hops - hops_before);
    eprintln!(
        "{:.3} s of processor, {:.2} ns for a packet sent, {:.2} for a transmission, {} KB at the peak",
        cpu as f64 / 1e9,
        cpu as f64 / sent as f64,
        cpu as f64 / hops as f64,
        proc("status", "VmHWM:")
    );
}
