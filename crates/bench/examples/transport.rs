//! Runs a workload of `headgate bench` under a named control and prints what it delivered, for `benches/instructions.py` to count the
//! instructions of: `transport W2 reno [seconds [queue]]`.

use headgate_sim::Run;
use headgate_sim::spec::Scenario;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = "expected: transport W2|W3 CONTROL [SECONDS [QUEUE]]";
    let [workload, control, rest @ ..] = args.as_slice() else { panic!("{usage}") };
    let seconds: f64 = rest.first().map_or(1.0, |text| text.parse().expect(usage));
    let queue = rest.get(1).map_or("fcfs", String::as_str);
    let (rate, delay, buffer, packet, count) = match workload.as_str() {
        "W2" => ("10Mbit/s", "10ms", "64KB", "1000B", 32),
        "W3" => ("1Gbit/s", "15ms", "3750KB", "1500B", 4),
        other => panic!("found {other}; {usage}"),
    };
    let window = if control == "jk_reno" { r#","window":100000"# } else { "" };
    let text = format!(
        r#"{{"duration":"{seconds}s","interval":"{seconds}s","warm_up":"0s",
        "nodes":[{{"name":"a"}},{{"name":"b","kind":"host"}}],
        "links":[{{"name":"line","from":"a","to":"b","rate":"{rate}","delay":"{delay}","classify":"flow",
            "queue":{{"kind":"{queue}","buffer":"{buffer}"}}}}],
        "flows":[{{"name":"f{{i}}","from":"a","to":"b","packet":"{packet}","count":{count},"control":{{"kind":"{control}"{window}}}}}]}}"#
    );
    let scenario = Scenario::from_json(&text).expect("a scenario");
    let mut run = Run::new(&scenario, 1, 0);
    while !run.advance(1 << 16) {}
    let sent = run.transmissions();
    println!("{workload} {control}: {sent} transmissions, digest {:016x}", run.digest().value());
}
