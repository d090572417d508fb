//! Properties of real links: the results of a run follow the configured law.

use crate::common;

use common::{cell, column, run};
use headgate_sim::Run;
use serde_json::{Value, json};

/// A source of equally spaced packets of 1000 bytes and its acknowledgements over one link.
fn line(link: Value, rate: &str, duration: &str) -> Value {
    let mut all = json!({"name": "l", "from": "a", "to": "b", "rate": "10Mbit/s"});
    all.as_object_mut().expect("a table").extend(link.as_object().expect("a table").clone());
    json!({
        "duration": duration, "warm_up": "0s", "interval": duration, "traces": ["rtt"],
        "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [all],
        "flows": [{"name": "f", "from": "a", "to": "b", "control": "none", "workload": {"kind": "cbr", "rate": rate}}],
    })
}

fn ran(value: &Value) -> (headgate_sim::spec::Scenario, Run) {
    let (s, mut running) = run(&value.to_string());
    running.audit().expect("packets are conserved");
    (s, running)
}

fn of(running: &mut Run, s: &headgate_sim::spec::Scenario, link: &str, name: &str) -> f64 {
    cell(&running.finished().link_table(s), ("link", link), name)
}

/// Distance of this number from the mean of independent trials, in standard deviations.
fn deviation(number: f64, of: f64, p: f64) -> f64 {
    (number - of * p) / (of * p * (1.0 - p)).sqrt()
}

fn close(got: f64, due: f64) {
    assert!((got / due - 1.0).abs() < 1e-4, "{got}, {due} due");
}

#[test]
fn each_direction_has_its_rate_and_its_delay() {
    let link =
        json!({"rate": {"forward": "8Mbit/s", "reverse": "100kbit/s"}, "delay": {"forward": "30ms", "reverse": "7ms"}});
    let (s, mut running) = ran(&line(link, "12Mbit/s", "100s"));
    for (name, rate, delay) in [("l", 8e6, 0.03), ("l:reverse", 1e5, 0.007)] {
        close(of(&mut running, &s, name, "achieved_rate_bps"), rate);
        close(of(&mut running, &s, name, "achieved_delay_s"), delay);
        assert_eq!((of(&mut running, &s, name, "rate_bps"), of(&mut running, &s, name, "delay_s")), (rate, delay));
        let busy = of(&mut running, &s, name, "utilisation");
        // The first packet comes back after 31 ms.
        assert!((0.9996..=1.0001).contains(&busy), "{busy}");
    }
    // 1000 packets a second there, and 312.5 acknowledgements of 40 bytes back.
    let flows = running.finished().flow_table(&s);
    close(column(&flows, "received")[0], 1000.0 * (100.0 - 0.03));
    assert_eq!((of(&mut running, &s, "l", "lost"), of(&mut running, &s, "l:reverse", "lost")), (0.0, 0.0));
}

#[test]
fn losses_are_as_many_as_their_probability_says_in_each_direction() {
    let link = json!({"loss": {"forward": {"kind": "bernoulli", "probability": 0.03},
                               "reverse": {"kind": "gilbert_elliott", "to_bad": 0.2, "to_good": 0.8, "loss_good": 0.1}}});
    let (s, mut running) = ran(&line(link, "8Mbit/s", "100s"));
    let flows = running.finished().flow_table(&s);
    let [sent, received] = ["sent", "received"].map(|name| column(&flows, name)[0]);
    let [lost, back] = ["l", "l:reverse"].map(|link| of(&mut running, &s, link, "lost"));
    assert_eq!((of(&mut running, &s, "l", "sent"), column(&flows, "drops")[0]), (sent, 0.0));
    assert!(sent - received - lost <= 1.0, "{sent} sent, {received} received, {lost} lost");
    assert!(deviation(lost, sent, 0.03).abs() < 4.0, "{lost} of {sent}");
    // In the bad state, a fifth of the time and without memory from one packet to the next, all acknowledgements are lost, else a tenth.
    assert!(deviation(back, received, 0.28).abs() < 4.0, "{back} of {received}");
    let samples = column(&running.finished().trace_table(&s), "value").len() as f64;
    assert!(received - back - samples <= 1.0, "{samples} acknowledgements came");
}

#[test]
fn given_packets_are_lost_and_others_keep_their_times() {
    let times = |loss: Value| {
        let (s, running) = ran(&line(json!({"delay": "3ms", "loss": loss}), "1Mbit/s", "1s"));
        column(&running.finished().trace_table(&s), "time_s")
    };
    let all = times(json!({"kind": "packets", "packets": []}));
    let some = times(json!({"forward": {"kind": "packets", "packets": [1, 3, 4, 100]}}));
    let left: Vec<f64> = (1..).zip(&all).filter(|(n, _)| ![1, 3, 4, 100].contains(n)).map(|(_, at)| *at).collect();
    assert_eq!((some, all.len()), (left, 125));
    // The second acknowledgement.
    let some = times(json!({"reverse": {"kind": "packets", "packets": [2]}}));
    assert_eq!((some.len(), some[..2].to_vec()), (124, vec![all[0], all[2]]));
}

#[test]
fn a_law_has_its_own_streams() {
    let sources = |link: Value, other: Value| {
        let mut value = line(link, "5Mbit/s", "20s");
        value["flows"][0]["workload"] = json!({"kind": "poisson", "mean": "2ms"});
        let mut more = value["links"][0].clone();
        (more["name"], more["from"], more["to"]) = (json!("m"), json!("b"), json!("c"));
        more.as_object_mut().expect("a table").extend(other.as_object().expect("a table").clone());
        value["links"].as_array_mut().expect("a list").push(more);
        value["nodes"].as_array_mut().expect("a list").push(json!({"name": "c"}));
        let (s, mut running) = ran(&value);
        let sent = column(&running.finished().flow_table(&s), "sent")[0];
        (sent, of(&mut running, &s, "l", "lost"), column(&running.finished().trace_table(&s), "time_s"))
    };
    let loss = json!({"loss": {"kind": "bernoulli", "probability": 0.1}});
    let (plain, lossy) = (sources(json!({}), json!({})), sources(loss.clone(), json!({})));
    assert!(plain.0 == lossy.0 && plain.1 == 0.0 && lossy.1 > 500.0);
    // Another link's laws: nothing moves.
    assert_eq!(lossy, sources(loss, json!({"loss": "bernoulli", "jitter": {"mean": "5ms"}, "duplicate": 0.5})));
    // The seed and the replication choose the packets.
    let value = line(json!({"loss": {"kind": "bernoulli", "probability": 0.5}}), "5Mbit/s", "1s").to_string();
    let scenario = headgate_sim::spec::Scenario::from_json(&value).expect("a good scenario");
    let digest = |seed, number| {
        let mut running = Run::new(&scenario, seed, number);
        while !running.advance(10_000) {}
        running.digest().value()
    };
    assert!(digest(1, 0) == digest(1, 0) && digest(1, 0) != digest(2, 0) && digest(1, 0) != digest(1, 1));
}

#[test]
fn the_laws_of_a_wire_are_independent() {
    let value = line(json!({"loss": {"kind": "bernoulli", "probability": 0.5}, "duplicate": 0.5}), "1Mbit/s", "12ms")
        .to_string();
    let scenario = headgate_sim::spec::Scenario::from_json(&value).expect("a good scenario");
    // In how many runs some packet was lost, and in how many one arrived twice.
    let mut all = [0; 2];
    for number in 0..400 {
        let mut running = Run::new(&scenario, 1, number);
        while !running.advance(10_000) {}
        let links = running.finished().link_table(&scenario);
        for (count, name) in all.iter_mut().zip(["lost", "duplicated"]) {
            *count += u32::from(cell(&links, ("link", "l"), name) > 0.0);
        }
    }
    let [lost, twice] = all.map(f64::from);
    // Two packets come out in 12 ms: one of them is lost in 3/4 of the runs, and one arrives twice in 1 - (3/4)^2.
    assert!(lost > 250.0 && lost < 350.0 && twice > 120.0 && twice < 230.0, "{lost} lost, {twice} twice");
}

/// Mean and standard deviation.
fn moments(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

#[test]
fn jitter_has_its_distribution_and_keeps_the_order_unless_it_may_not() {
    let jitter = |law: Value, reorder: bool, source: &str| {
        let link = json!({"delay": "20ms", "jitter": {"forward": {"mean": "5ms", "law": law, "reorder": reorder}}});
        let (s, mut running) = ran(&line(link, source, "400s"));
        let delay = of(&mut running, &s, "l", "achieved_delay_s");
        let traces = running.finished().trace_table(&s);
        let (at, rtt) = (column(&traces, "time_s"), column(&traces, "value"));
        assert_eq!(column(&running.finished().flow_table(&s), "drops")[0], 0.0);
        let sent: Vec<f64> = at.iter().zip(&rtt).map(|(at, rtt)| at - rtt).collect();
        (delay, rtt, sent)
    };
    // A packet every 200 ms: none meets another. The base is 20 ms twice and the transmissions of 1000 and 40 bytes.
    for reorder in [false, true] {
        let (delay, rtt, _) = jitter(json!("exponential"), reorder, "40kbit/s");
        let (mean, deviation) = moments(&rtt);
        let n = rtt.len() as f64;
        assert!(((mean - 0.045_832) / 0.005).abs() < 4.0 / n.sqrt(), "{mean}");
        // The kurtosis is 9: the deviation's standard error is sqrt(2) / sqrt(n) of it.
        assert!((deviation / 0.005 - 1.0).abs() < 4.0 * (2.0 / n).sqrt(), "{deviation}");
        assert!((delay - (mean - 0.020_832)).abs() < 1e-6, "{delay}");
    }
    let (_, rtt, _) = jitter(json!("fixed"), false, "40kbit/s");
    assert!(rtt.iter().all(|rtt| (rtt - 0.045_832).abs() < 1e-9));
    // A packet every millisecond: many would overtake others.
    let (_, _, sent) = jitter(json!("exponential"), false, "8Mbit/s");
    assert!(sent.is_sorted() && sent.len() > 390_000);
    let (delay, _, sent) = jitter(json!("exponential"), true, "8Mbit/s");
    let overtaken = sent.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(overtaken > 100_000, "{overtaken} of {}", sent.len());
    assert!(((delay - 0.025) / 0.005).abs() < 4.0 / 400_000_f64.sqrt(), "{delay}");
}

#[test]
fn doubled_packets_come_twice_and_are_counted() {
    for jitter in [Value::Null, json!({"mean": "1ms", "reorder": true})] {
        let mut link = json!({"duplicate": {"forward": 0.2}});
        if !jitter.is_null() {
            link["jitter"] = jitter;
        }
        let (s, mut running) = ran(&line(link, "4Mbit/s", "100s"));
        let flows = running.finished().flow_table(&s);
        let [sent, received, unique] = ["sent", "received", "unique"].map(|name| column(&flows, name)[0]);
        let twice = of(&mut running, &s, "l", "duplicated");
        assert!(deviation(twice, sent, 0.2).abs() < 4.0, "{twice} of {sent}");
        assert!(sent - unique <= 8.0 && sent + twice - received <= 16.0, "{sent}, {twice}, {received}, {unique}");
        // Both are acknowledged.
        assert_eq!(of(&mut running, &s, "l:reverse", "offered"), received);
        assert_eq!(of(&mut running, &s, "l:reverse", "duplicated"), 0.0);
    }
}

#[test]
fn frames_take_up_the_line_and_no_buffer() {
    for (framing, bytes) in [
        (json!("ethernet"), 1038.0),
        (json!("atm"), 21.0 * 53.0),
        (json!({"kind": "atm", "header": "32B"}), 22.0 * 53.0),
        (json!({"kind": "fixed", "overhead": "40B"}), 1040.0),
    ] {
        let (s, mut running) = ran(&line(json!({"framing": framing}), "12Mbit/s", "100s"));
        let packets = 1e7 / 8.0 / bytes * 100.0;
        close(of(&mut running, &s, "l", "sent"), packets);
        close(of(&mut running, &s, "l", "achieved_rate_bps"), 1e7 * 1000.0 / bytes);
        close(of(&mut running, &s, "l", "utilisation"), 1.0);
        assert_eq!(of(&mut running, &s, "l", "sent_bytes"), 1000.0 * of(&mut running, &s, "l", "sent"));
    }
}

#[test]
fn bursts_have_their_size_and_come_at_their_times() {
    let link = json!({"aggregation": {"forward": {"packets": 4, "every": "10ms"}}});
    // Two thirds of what the bursts carry, 3.2 Mbit/s: none is lost, and they arrive at multiples of 10 ms.
    let (s, mut running) = ran(&line(link.clone(), "2.4Mbit/s", "100s"));
    assert_eq!(of(&mut running, &s, "l", "drops_full"), 0.0);
    close(column(&running.finished().flow_table(&s), "received")[0], 30_000.0);
    let traces = running.finished().trace_table(&s);
    // Each packet takes 0.8 ms; its acknowledgement of 40 bytes 0.032 ms: the n-th of a burst is back n * 0.8 + 0.032 ms after its begin.
    for at in column(&traces, "time_s") {
        let place = ((at - 32e-6) % 0.01) / 0.8e-3;
        assert!((place - place.round()).abs() < 1e-6 && (1..=4).contains(&(place.round() as i64)), "{at}");
    }
    // More than the bursts carry, and more than the line does.
    let (s, mut running) = ran(&line(link, "4Mbit/s", "100s"));
    close(of(&mut running, &s, "l", "sent"), 40_000.0);
    let link = json!({"aggregation": {"forward": {"packets": 20, "every": "10ms"}}});
    let (s, mut running) = ran(&line(link, "12Mbit/s", "100s"));
    // A burst of 20 takes 16 ms: the next one is at 20 ms.
    close(of(&mut running, &s, "l", "sent"), 100_000.0);
}

#[test]
fn wrong_links_name_the_place() {
    for (link, path, part) in [
        (json!({"rate": {"forward": "1Mbit/s"}}), "links[0].rate.reverse", "missing"),
        (json!({"rate": {"forward": "1Mbit/s", "reverse": "0bit/s"}}), "links[0].rate.reverse", "above zero"),
        (
            json!({"rate": {"forward": "1Mbit/s", "reverse": "1Mbit/s", "up": 1}}),
            "links[0].rate.up",
            "forward and reverse",
        ),
        (json!({"rate": 5}), "links[0].rate", "a rate with its unit"),
        (
            json!({"rate": {"reverse": {"kind": "mahimahi", "times": [0]}, "forward": "1bit/s"}}),
            "links[0].rate.reverse.times[0]",
            "last time",
        ),
        (json!({"delay": {"forward": "1ms", "reverse": "1"}}), "links[0].delay.reverse", "a duration"),
        (json!({"loss": {"kind": "bernoulli", "probability": 2}}), "links[0].loss.probability", "at most 1"),
        (json!({"loss": {"forward": {"kind": "bernuli"}}}), "links[0].loss.forward.kind", "bernoulli"),
        (json!({"loss": 0.1}), "links[0].loss", "a loss law"),
        (json!({"duplicate": 1.5}), "links[0].duplicate", "from 0 to 1"),
        (json!({"duplicate": {"reverse": -1}}), "links[0].duplicate.reverse", "from 0 to 1"),
        (json!({"jitter": {"mean": "0s"}}), "links[0].jitter.mean", "above zero"),
        (json!({"jitter": {"law": "web_search"}}), "links[0].jitter.law", "of times"),
        (json!({"jitter": {"forward": {"reorder": 1}}}), "links[0].jitter.forward.reorder", "true or false"),
        (json!({"aggregation": {"packets": 0}}), "links[0].aggregation.packets", "at least 1"),
        (json!({"aggregation": {"every": "0s"}}), "links[0].aggregation.every", "at least"),
        (json!({"aggregation": {}, "rate": {"kind": "mahimahi", "times": [1]}}), "links[0].aggregation", "mahimahi"),
        (json!({"aggregation": {"reverse": {}}, "queue": "fq_preemptive"}), "links[0].queue.kind", "interrupts"),
        (
            json!({"rate": {"kind": "mahimahi", "times": [1]}, "queue": "fq_preemptive"}),
            "links[0].queue.kind",
            "certain times",
        ),
        (
            json!({"aggregation": {"reverse": {}}, "queue": "fq", "reverse_queue": "fq_preemptive"}),
            "links[0].reverse_queue.kind",
            "interrupts",
        ),
        (json!({"framing": "atn"}), "links[0].framing", "atm"),
        (json!({"framing": {"kind": "fixed", "overhead": "1GB"}}), "links[0].framing.overhead", "at most"),
    ] {
        let e = headgate_sim::spec::Scenario::from_json(&line(link, "1Mbit/s", "1s").to_string()).expect_err(part);
        assert_eq!(e.path, path, "{e}");
        assert!(e.to_string().contains(part), "{e}");
    }
    let mut value = line(json!({"rate": {"forward": {"kind": "steps"}, "reverse": "1Mbit/s"}}), "1Mbit/s", "1s");
    value["events"] = json!([{"at": "0s", "link": "l", "direction": "reverse", "rate": "2Mbit/s"}]);
    assert!(headgate_sim::spec::Scenario::from_json(&value.to_string()).is_ok());
    value["events"][0]["direction"] = json!("both");
    let e = headgate_sim::spec::Scenario::from_json(&value.to_string()).expect_err("the rate is a trace's");
    assert!(e.path == "events[0].rate" && e.to_string().contains("follows a trace"), "{e}");
}
