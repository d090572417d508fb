//! BLT, Bully-Tyrant and their TCP on the network of Kim and Farber 1994: one file alone against an independent implementation, the closed form
//! without loss, and the scaling law.

use crate::common;

use common::{column, run};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Figure 4 of the paper. Rates in kbit/s, delays in ps; the sources' lines are part of the sources.
struct Net {
    line: u64,
    bottleneck: u64,
    /// A sixth of the round trip.
    part: u64,
    buffer: u64,
    /// Factor by which everything is slower.
    slower: u64,
}

const BITS: u64 = 4000;

impl Net {
    /// S1 holds the bottleneck's rate times its own round trip.
    fn new(line: u64, bottleneck: u64, delay_us: u64) -> Net {
        let part = delay_us * 1_000_000 / 6;
        Net { line, bottleneck, part, buffer: (bottleneck * 2 * part / 1_000_000_000 / BITS).max(1), slower: 1 }
    }

    /// Response times in seconds of files that begin at these times.
    fn responses(&self, kind: &str, packets: u64, at_us: &[u64], duration_s: u64) -> (Vec<f64>, f64) {
        self.responses_with(&json!({"kind": kind}), packets, at_us, duration_s)
    }

    /// The same for a flow control with parameters of its own. BLT's sources have BLT's switch.
    fn responses_with(&self, control: &Value, packets: u64, at_us: &[u64], duration_s: u64) -> (Vec<f64>, f64) {
        let slower = self.slower;
        let rate = |kbit: u64| format!("{}bit/s", kbit * 1000 / slower);
        let fast = format!("{}bit/s", 1_000_000_000_000 / slower);
        let tx = (BITS * 1_000_000_000 * slower).div_ceil(self.line);
        let ps = |ps: u64| format!("{ps}ps");
        let queue = if control["kind"] == "blt" { "blt" } else { "fcfs" };
        let part = self.part * slower;
        let at: Vec<String> = at_us.iter().map(|us| format!("{}us", us * slower)).collect();
        let mut control = control.clone();
        control["line"] = json!(rate(self.line));
        control["initial_timeout"] = json!(format!("{slower}s"));
        let text = json!({
            "duration": format!("{}s", duration_s * slower), "warm_up": "0s", "interval": format!("{}s", duration_s * slower),
            "traces": ["completions"],
            "nodes": [{"name": "sources", "kind": "host"}, {"name": "S1"}, {"name": "S2"}, {"name": "sinks", "kind": "host"}],
            "links": [
                {"name": "access", "from": "sources", "to": "S1", "rate": fast,
                 "delay": {"forward": ps(part + tx - BITS * slower), "reverse": ps(part)}},
                {"name": "bottleneck", "from": "S1", "to": "S2", "rate": {"forward": rate(self.bottleneck), "reverse": fast},
                 "delay": ps(part), "queue": {"kind": queue, "buffer": format!("{}pkt", self.buffer)}},
                {"name": "exit", "from": "S2", "to": "sinks", "rate": {"forward": rate(self.line), "reverse": fast}, "delay": ps(part)}],
            "flows": [{"name": "file", "from": "sources", "to": "sinks", "packet": "500B", "ack": "1B", "control": control,
                       "workload": {"kind": "transfer", "packets": packets}, "arrivals": {"kind": "times", "at": at}}],
        });
        let (s, running) = run(&text.to_string());
        let rows = running.finished().completion_table(&s);
        let back = 3.0 * part as f64 * 1e-12;
        let found = column(&rows, "fct_s").iter().map(|t| t + back).collect();
        (found, column(&running.finished().flow_table(&s), "drops")[0])
    }
}

#[test]
fn one_file_alone_is_as_an_independent_implementation_has_it() {
    let (mut exact, mut near) = (0, 0);
    for row in include_str!("kim1994/lone.csv").lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |i: usize| cells[i].parse::<f64>().expect("a number");
        let (line, bottleneck, packets) = ((number(0) * 1e3) as u64, (number(1) * 1e3) as u64, number(3) as u64);
        let net = Net::new(line, bottleneck, (number(2) * 1e3) as u64);
        let kind = if cells[4] == "BLT" { "blt" } else { "kim_reno" };
        let (found, drops) = net.responses(kind, packets, &[0], 20);
        assert_eq!((found.len(), drops > 0.0), (1, cells[7] == "1"), "{row}");
        if drops == 0.0 {
            // To the last digit of the file.
            assert!((found[0] - number(5)).abs() < 0.6e-6, "{row}: {}", found[0]);
            exact += 1;
        } else if kind == "blt" {
            // A tie at the full buffer that falls otherwise makes up for a packet or two.
            let packet = 4.0 / (number(1) * 1e3);
            assert!((found[0] - number(5)).abs() < 2.5 * packet, "{row}: {}", found[0]);
            near += 1;
        }
    }
    assert_eq!((exact, near), (50, 14));
}

#[test]
fn without_loss_a_burst_takes_the_way_and_the_transmission_times() {
    for (line, bottleneck) in [(150_000, 150_000), (150_000, 90_000), (1_000_000, 1_000_000)] {
        let (found, drops) = Net::new(line, bottleneck, 30_000).responses("blt", 200, &[0], 5);
        let packet = |rate: u64| 4.0 / rate as f64;
        let due = 0.03 + 2.0 * packet(line) + 200.0 * packet(bottleneck);
        assert!(drops == 0.0 && (found[0] - due).abs() < 1e-9, "{} {due}", found[0]);
    }
}

/// Section 5.2.1: sources that offer all rates share a link of their lines' rate. The switch takes the same rate of each, the fastest that fits, and only
/// packets of that rate and the slower ones.
#[test]
fn a_switch_takes_the_same_rate_of_each_stream_the_fastest_that_fits() {
    use headgate_control::protocols::blt::{Blt as Source, BltParams as SourceParams, Marks};
    use headgate_packet::{Buffer, Packet, Rate, Rng, Time};
    use headgate_queue::disciplines::blt::{Blt, BltParams};
    use headgate_queue::{Cx, Discipline, LinkInfo};

    let source = Source::new(&SourceParams { marks: Marks::Rates, ..SourceParams::default() });
    for (sources, halvings) in [(1u64, 0), (2, 1), (4, 2), (8, 3)] {
        let link = LinkInfo { rate: Rate::from_bps(8).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
        let mut switch = Blt::new(&BltParams { buffer: Buffer::Packets(50), ..BltParams::default() }, &link);
        let (mut rng, mut dropped, mut served) = (Rng::new(0, 0, "test"), Vec::new(), Vec::new());
        for offset in 0..4096u64 {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            // Each packet time each source sends a packet, and one leaves the switch.
            for s in 0..sources {
                // The streams are not in step.
                let packet = Packet {
                    handle: s as u32,
                    class: source.number(1 + offset + 5 * s),
                    bytes: 1,
                    ..Packet::default()
                };
                switch.enqueue(packet, &mut cx);
            }
            if offset >= 1024 {
                served.extend(switch.dequeue(&mut cx).map(|p| (p.handle, p.class)));
            } else {
                switch.dequeue(&mut cx);
            }
        }
        assert_eq!(served.len(), 3072);
        assert!(served.iter().all(|(_, class)| *class <= 255 - halvings), "{sources}");
        for s in 0..sources {
            let of = served.iter().filter(|(handle, _)| u64::from(*handle) == s).count() as u64;
            assert!(of.abs_diff(3072 / sources) <= 50, "{of} of source {s} of {sources}");
        }
    }
}

/// Section 3.3.4 and 4.2.6: if all packets are urgent, the switch distinguishes none, and nothing is left of BLT but Bully-Tyrant.
#[test]
fn where_everything_is_urgent_blt_is_bully_tyrant() {
    let net = Net::new(150_000, 30_000, 30_000);
    for files in [1, 4, 9] {
        let at: Vec<u64> = (0..files).map(|k| k * 23_456).collect();
        let urgent = net.responses_with(&json!({"kind": "blt", "marks": "urgent"}), 200, &at, 60);
        assert_eq!(urgent, net.responses("bully_tyrant", 200, &at, 60), "{files} files");
        // A burst alone meets no other, and loses its end either way.
        assert!(urgent.1 > 0.0 && (files == 1) == (urgent == net.responses("blt", 200, &at, 60)));
    }
}

fn kinds() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["blt", "bully_tyrant", "kim_reno"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Rates over 10, delays, arrivals and timers times 10: all times are 10 times as long. Times on the lines are whole numbers of ps here.
    #[test]
    fn ten_times_slower_is_ten_times_as_long(
        kind in kinds(), mut at in prop::collection::vec(0..400_000u64, 1..12), packets in 1..300u64, ratio in prop::sample::select(vec![1, 2, 4, 5]), buffer in 1..80u64,
    ) {
        at.sort_unstable();
        let net = Net { buffer, ..Net::new(125_000, 125_000 / ratio, 30_000) };
        let slow = Net { buffer, slower: 10, ..Net::new(125_000, 125_000 / ratio, 30_000) };
        let (fast, lost) = net.responses(kind, packets, &at, 100);
        let (found, lost_too) = slow.responses(kind, packets, &at, 100);
        // Many files at a small buffer do not end within the run, above all those of Bully-Tyrant, which sends what was lost again at once.
        prop_assert_eq!(fast.len(), found.len());
        prop_assert!(fast.len() == at.len() || at.len() > 1 || buffer < 4);
        prop_assert_eq!(lost, lost_too);
        for (one, ten) in fast.iter().zip(&found) {
            // Estimates of the timer are floats: a thousandth of a nanosecond.
            prop_assert!((10.0 * one - ten).abs() < 1e-9, "{} {}", one, ten);
        }
    }
}
