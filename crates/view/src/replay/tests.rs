use super::*;
use headgate_replay::{Kind, Replay, TraceFile};
use headgate_sim::spec::document::Value;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Packets of 1000 bytes of two flows in turn, one each half of a millisecond.
fn csv(packets: usize) -> Vec<u8> {
    let row = |i: usize| format!("{:.4},{},1000\n", 0.0005 * i as f64, if i.is_multiple_of(2) { "a" } else { "b" });
    let rows: String = (0..packets).map(row).collect();
    format!("time_s,flow,size_bytes\n{rows}").into_bytes()
}

fn value(json: &Json) -> Value {
    Value::from(json)
}

fn settings(data: &Json) -> Settings {
    Settings::of(&value(data), "t.csv", Kind::Csv).expect("they are valid")
}

fn file(bytes: &[u8]) -> TraceFile {
    TraceFile::in_memory("t.csv", bytes.to_vec()).expect("it is a trace")
}

fn pass(replay: &mut Replay, mut each: impl FnMut(&mut Replay)) {
    while replay.step(100).expect("it is valid") {
        each(replay);
    }
    while replay.finish(100).expect("it is valid") {
        each(replay);
    }
    each(replay);
}

fn found(bytes: &[u8]) -> Found {
    let mut replay = Replay::new(&Reading::of_kind(Kind::Csv).counting());
    replay.keep_trace(0);
    replay.read(file(bytes), "flow".parse().expect("it is known")).expect("it is valid");
    pass(&mut replay, |_| ());
    Found::of(&replay).expect("it was counted")
}

fn shown(bytes: &[u8], data: &Json, limits: Limits) -> Result<Shown, crate::Fault> {
    let settings = Arc::new(settings(data));
    let mut replay = Replay::new(&settings.options);
    replay.read(file(bytes), "flow".parse().expect("it is known")).expect("it is valid");
    let mut running = Running::begin(settings, Arc::new(found(bytes)), &mut replay, limits)?;
    let mut failed = Ok(());
    pass(&mut replay, |replay| {
        if failed.is_ok() {
            failed = running.collect(replay);
        }
    });
    failed.map(|()| running.shown(&mut replay, None))
}

fn fcfs() -> Json {
    json!({ "replay": "t.csv", "rate": "8Mbit/s", "queue": { "kind": "fcfs", "buffer": "1MB" } })
}

const PLENTY: u64 = 1_000_000_000;

/// The integral of each line that holds its values.
fn areas(view: &crate::View) -> Vec<f64> {
    let area = |line: &crate::Line| line.t.windows(2).zip(line.y.iter()).map(|(t, y)| (t[1] - t[0]) * y).sum();
    view.lines.iter().map(area).collect()
}

#[test]
fn waits_are_those_of_a_line_that_sends_half_of_what_comes() {
    let n = 200;
    let found = shown(&csv(n), &fcfs(), Limits::of_bytes(PLENTY)).expect("it fits");
    let done = &found.done;
    // A packet takes 1 ms and one comes each half of that: packet i, from 0, waits i / 2 ms.
    let mean = 0.25 * (n - 1) as f64;
    assert!((done["delay_under_load_ms"].as_f64().expect("a number") - mean).abs() < 1e-9, "{done}");
    assert!((found.until - 0.2).abs() < 1e-12, "{}", found.until);
    assert_eq!((&done["packets"], &done["random"]), (&json!(n), &json!(false)));
    let flow = &done["flows"][0];
    assert_eq!((&flow["name"], &flow["sent"], &flow["share"]), (&json!("a"), &json!(100), &json!(0.5)));
    // Each flow offers 4 Mbit/s over the whole of 0.2 s.
    for key in ["max_min_bps", "goodput_bps"] {
        assert!(flow[key].as_f64().is_some_and(|bps| (bps - 4e6).abs() < 1e-3), "{flow}");
    }
    assert_eq!(done["about"][0], "t.csv has 200 packets of 2 flows in 0.0995 s, 200 KB.");
    let told = done["sentences"].as_array().expect("a list").iter().any(|x| {
        x == "A packet waited 49.7 ms on average, 99 % of the packets at most 98.5 ms, and none more than 99.5 ms."
    });
    assert!(told, "{done}");
    let names: Vec<&str> = found.pictures.iter().map(|picture| picture.head().name.as_str()).collect();
    assert_eq!(names, ["offered", "throughput", "queueing", "backlog"]);
    // Every picture has all bytes: 100 KB of each flow, and the integral of what waits is the sum of all waits.
    for rates in &found.pictures[..2] {
        areas(&rates.whole(found.until)).iter().for_each(|bits| assert!((bits - 8e5).abs() < 1e-3, "{bits}"));
    }
    let waits: f64 = areas(&found.pictures[3].whole(found.until)).iter().sum();
    assert!((waits - 1e-3 * mean * n as f64).abs() < 1e-9, "{waits}");
    // However narrow the picture, the sum keeps its maximum: at 99.5 ms the 100th packet begins, and the 200th comes.
    for width in [1, 7] {
        let points = found.pictures[3].points(0.0, found.until, width);
        let most = (0..points.series[0].t.len()).map(|i| points.series.iter().map(|line| line.y[i]).sum::<f64>());
        assert_eq!(most.fold(0.0, f64::max), 100.0);
    }
    assert!(Picture::named(&found.pictures, "none").is_err_and(|e| e.message.contains("one of offered, throughput")));
}

#[test]
fn sums_over_intervals_say_the_same_as_rows() {
    let rows = shown(&csv(500), &fcfs(), Limits::of_bytes(PLENTY)).expect("it fits");
    let sums = shown(&csv(500), &fcfs(), Limits { rows: 0, ..Limits::of_bytes(PLENTY) }).expect("it fits");
    assert!(sums.done["note"].as_str().is_some_and(|note| note.starts_with("The trace has 500 packets")));
    for key in ["flows", "ports", "sentences", "about", "network", "until"] {
        assert_eq!(rows.done[key], sums.done[key], "{key}");
    }
    for (a, b) in rows.pictures.iter().zip(&sums.pictures).take(2) {
        let (a, b) = (areas(&a.whole(rows.until)), areas(&b.whole(sums.until)));
        a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-3, "{a} {b}"));
    }
    assert_eq!((&rows.done["note"], &sums.done["digest"]), (&json!(null), &json!("")));
}

#[test]
fn what_takes_too_much_memory_is_refused() {
    let mut data = fcfs();
    data["queue"]["buffer"] = json!("unlimited");
    data["rate"] = json!("10kbit/s");
    let small = Limits { more: ", and so on", ..Limits::of_bytes(50_000) };
    let why = shown(&csv(1000), &data, small).expect_err("too many packets wait").message;
    assert!(why.starts_with("expected a replay that takes at most 0 MB of memory, found 0 MB; a smaller buffer"));
    assert!(why.ends_with("takes less, and so on"), "{why}");
    let why = shown(&csv(1000), &data, Limits::of_bytes(1000)).expect_err("the delays take more").message;
    assert!(why.contains("a classify that gives fewer flows takes less"), "{why}");
}

#[test]
fn packets_that_were_dropped_do_not_wait() {
    // 200 packets at once into a buffer of ten: were those that are dropped counted, they would take too much.
    let bytes = format!("time_s,flow,size_bytes\n{}", "0,a,1000\n".repeat(200)).into_bytes();
    let mut data = fcfs();
    data["queue"]["buffer"] = json!("10pkt");
    let found = shown(&bytes, &data, Limits::of_bytes(10_000)).expect("it fits");
    assert_eq!((&found.done["ports"][0]["drops"], &found.done["flows"][0]["sent"]), (&json!(189), &json!(11)));
}

#[test]
fn what_is_not_given_is_chosen() {
    let found = found(&csv(200));
    let (data, sentences) = initial(&found, "t.csv", Kind::Csv);
    // 200 KB in 99.5 ms are 16.08 Mbit/s, and a tenth more is 17.7.
    let due = json!({ "replay": "t.csv", "rate": "18Mbit/s", "queue": { "kind": "fcfs", "buffer": "230KB" } });
    assert_eq!(data.json(), Some(due));
    assert_eq!(sentences.len(), 2);
    assert!(sentences[0].starts_with("No rate was given: the page begins with 18 Mbit/s, 1.1 times the mean load"));
}

#[test]
fn each_control_can_be_set_to_what_it_shows() {
    let (found, mut settings) = (found(&csv(20)), settings(&fcfs()));
    for kind in crate::controls::kinds("queue") {
        settings = with_value(&settings, &found, "queue.kind", &value(&kind.value)).expect("each can be chosen");
        assert_eq!(settings.data.get("queue").and_then(|queue| queue.get("kind")), Some(&value(&kind.value)));
        for control in controls(&settings, &found) {
            let same = with_value(&settings, &found, &control.path, &value(&control.value));
            let same = same.unwrap_or_else(|e| panic!("{}: {e}", control.path));
            assert_eq!(same.options.to_json(), settings.options.to_json(), "{}", control.path);
        }
    }
    let rate = &controls(&settings, &found)[0];
    assert_eq!((rate.path.as_str(), rate.unit, rate.number, rate.log), ("rate", Some("bit/s"), Some(8e6), true));
    assert!(rate.from < rate.number && rate.number < rate.to);
}

#[test]
fn an_aqm_comes_and_goes_and_a_new_kind_keeps_what_it_shares() {
    let (found, settings) = (found(&csv(20)), settings(&fcfs()));
    let set = |settings: &Settings, path: &str, to: Json| {
        with_value(settings, &found, path, &value(&to)).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let queue = |settings: &Settings| settings.data.get("queue").and_then(Value::json).expect("plain values");
    let with = set(&settings, "queue.aqm.kind", json!("red"));
    assert_eq!(queue(&with)["aqm"], json!({ "kind": "red" }));
    let with = set(&with, "queue.aqm.max_p", json!(0.5));
    assert_eq!(queue(&with)["aqm"], json!({ "kind": "red", "max_p": 0.5 }));
    assert_eq!(queue(&set(&with, "queue.aqm.max_p", json!(null)))["aqm"], json!({ "kind": "red" }));
    assert_eq!(queue(&set(&with, "queue.aqm.kind", json!(null))), queue(&settings));
    let fq = set(&set(&settings, "queue.kind", json!("fq")), "queue.delta", json!(500));
    assert_eq!(
        queue(&set(&fq, "queue.kind", json!("wfq"))),
        json!({ "kind": "wfq", "buffer": "1MB", "delta": "500B" })
    );
    assert_eq!(queue(&set(&fq, "queue.kind", json!("red"))), json!({ "kind": "red", "buffer": "1MB" }));
    // A number is a quantity in the unit of its control, here that of the default, and a queue that is a name alone becomes a table.
    let mut named = fcfs();
    named["queue"] = json!("fcfs");
    let named = set(&self::settings(&named), "queue.buffer", json!(2000));
    assert_eq!(queue(&named), json!({ "kind": "fcfs", "buffer": "2000pkt" }));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (key, wrong, place, words) in [
        ("rate", json!(5), "rate", "expected"),
        ("rate", json!("fast"), "rate", "expected a rate"),
        ("rate", json!(null), "rate", "expected"),
        ("queue", json!(3), "queue", "expected"),
        ("queue", json!({ "kind": "fq", "x": 1 }), "queue", "expected"),
        ("queue", json!({ "kind": "fqq" }), "queue", "did you mean `fq`"),
        ("queue", json!([[[[[[[[[[]]]]]]]]]]), "queue", "at most 8 levels"),
        ("nothing", json!(1), "", "nothing: expected one of replay, rate"),
        ("classify", json!(1), "classify", "expected a name"),
        ("classify", json!("pair"), "classify", "only a capture has addresses"),
        ("classify", json!("none"), "classify", "expected one of flow, pair"),
        ("lenient", json!(1), "lenient", "expected true or false"),
        ("seed", json!(1.5), "seed", "expected"),
        ("ties", json!([]), "ties", "expected first or together"),
    ] {
        let mut data = fcfs();
        data[key] = wrong.clone();
        let fault = Settings::of(&value(&data), "t.csv", Kind::Csv).expect_err(key);
        assert!(fault.path.starts_with(place) && fault.to_string().contains(words), "{key} {wrong}: {fault}");
    }
    let capable = json!({ "rate": "1Mbit/s", "ecn": "capable" });
    let fault = Settings::of(&value(&capable), "t.pcap", Kind::Capture).expect_err("a capture says so");
    assert!(fault.to_string().contains("each packet of a capture says so"), "{fault}");
    assert!(Settings::of(&value(&json!([])), "t.csv", Kind::Csv).is_err());
    let (found, settings) = (found(&csv(20)), settings(&fcfs()));
    for (path, wrong, words) in [
        ("nothing", json!(1), "there is no such setting; expected one of rate, queue.kind"),
        ("rate", json!(-1), "expected a number that is not negative"),
        ("rate", json!(0), "rate"),
        ("queue.kind", json!(5), "expected"),
        ("queue.buffer.x", json!(1), "there is no such setting"),
    ] {
        let fault = with_value(&settings, &found, path, &value(&wrong)).expect_err(path);
        assert!(fault.to_string().contains(words), "{path}: {fault}");
    }
}
