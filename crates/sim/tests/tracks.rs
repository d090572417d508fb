//! What became of single packets at the ports at which they arrived, against a run worked out by hand.

use headgate_packet::Time;
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table, Tracks, Window};

/// Two sources that send a packet of 1000 bytes each half second, both at once: it takes 10 ms on `fast` and 100 ms on `slow`, which are 20 and
/// 50 ms long. So the first waits nowhere, the second 10 and 90 ms; with a buffer for no packet but the one on the line it is dropped.
fn pair(queue: &str) -> Scenario {
    let text = r#"{"duration": "2s", "interval": "500ms", "warm_up": "0s",
    "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "d", "kind": "host"}],
    "links": [{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s", "delay": "20ms"},
              {"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "delay": "50ms", "queue": QUEUE}],
    "flows": [{"name": "e", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}},
              {"name": "f", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}}]}"#;
    Scenario::from_json(&text.replace("QUEUE", queue)).expect("a good scenario")
}

const ALL: Window = Window { from: Time::ZERO, to: Time::NEVER, most: 1000 };

fn ms(ms: u64) -> Time {
    Time::from_ps(ms * 1_000_000_000)
}

/// The tracks of a run that is ended when there is nothing more to follow, the time up to which it followed, and the digest.
fn tracked(scenario: &Scenario, window: Window) -> (Tracks, Option<Time>, u64) {
    let mut running = Run::new(scenario, 1, 0);
    running.track_packets(window);
    while running.tracked_until().is_none() && !running.advance(1) {}
    let (until, digest) = (running.tracked_until(), running.digest().value());
    (running.take_tracks().expect("they were asked for"), until, digest)
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) | Cells::Name(x, _) => x.iter().map(|v| *v as f64).collect(),
    }
}

/// The rows as (port, flow, number of the flow, times of arrival, start and end in ms, reason); -1 for no time.
fn rows(tracks: &Tracks) -> Vec<[i64; 7]> {
    let names = ["port", "flow", "seq", "arrived_s", "start_s", "left_s", "reason"];
    let columns = names.map(|name| column(&tracks.table(), name));
    let ms = |s: f64| if s.is_nan() { -1 } else { (s * 1e3).round() as i64 };
    let at = |of: usize, i: usize| if (3..6).contains(&of) { ms(columns[of][i]) } else { columns[of][i] as i64 };
    (0..columns[0].len()).map(|i| std::array::from_fn(|of| at(of, i))).collect()
}

/// The numbers that were kept of a row, by their names.
fn numbers(tracks: &Tracks, row: usize) -> Vec<(&'static str, f64)> {
    let [arrival, _] = decisions(tracks, row);
    arrival
}

/// The numbers of a row's arrival, and those of its departure.
fn decisions(tracks: &Tracks, row: usize) -> [Vec<(&'static str, f64)>; 2] {
    let [shape, departs, first] =
        ["shape", "departure_shape", "first"].map(|name| column(&tracks.table(), name)[row] as usize);
    let values = column(&tracks.values(), "value");
    let of = |shape: usize, first: usize| {
        tracks.shapes()[shape].iter().zip(&values[first..]).map(|(number, value)| (number.name(), *value)).collect()
    };
    [of(shape, first), of(departs, first + tracks.shapes()[shape].len())]
}

const FCFS: &str = r#"{"kind": "fcfs", "buffer": "9pkt"}"#;

/// What happens in each half second: both arrive at once at the source's port, and one after the other at the gateway's.
fn due(k: i64) -> [[i64; 7]; 4] {
    let at = |ms: i64| 500 * k + ms;
    [
        [0, 0, k, at(0), at(0), at(10), 0],
        [0, 1, k, at(0), at(10), at(20), 0],
        [2, 0, k, at(30), at(30), at(130), 0],
        [2, 1, k, at(40), at(130), at(230), 0],
    ]
}

fn sorted(mut rows: Vec<[i64; 7]>) -> Vec<[i64; 7]> {
    rows.sort_by_key(|row| (row[0], row[3], row[1]));
    rows
}

#[test]
fn each_packet_is_seen_at_each_port_with_its_times_and_numbers() {
    let (tracks, until, digest) = tracked(&pair(FCFS), ALL);
    // Two more arrive at the source's port as the run ends, at 2 s: one is on the line, one waits.
    let [first, second, ..] = due(4);
    let waits = [second[0], second[1], second[2], second[3], -1, -1, -1];
    let all = (0..4).flat_map(due).chain([first, waits]).collect();
    assert_eq!((rows(&tracks), until), (sorted(all), None));
    assert!(column(&tracks.table(), "bytes").iter().all(|bytes| *bytes == 1000.0));
    let number = column(&tracks.table(), "number");
    assert_eq!(number, (0..10).chain(0..8).map(f64::from).collect::<Vec<_>>());
    for row in 0..10 {
        // A host's own queue has no limit. What is on a line does not wait.
        assert_eq!(numbers(&tracks, row), [("held_packets", 0.0), ("held_bytes", 0.0)]);
    }
    assert!((10..18).all(|row| numbers(&tracks, row)[2] == ("buffer_packets", 9.0)));
    let mut plain = Run::new(&pair(FCFS), 1, 0);
    while !plain.advance(7) {}
    assert_eq!(plain.digest().value(), digest, "who looks changes nothing");
    assert!(plain.take_tracks().is_none());
}

#[test]
fn each_packet_has_the_numbers_that_its_discipline_decided_with() {
    let (tracks, ..) = tracked(&pair(r#"{"kind": "fq"}"#), ALL);
    let bid = |row: usize| numbers(&tracks, row).into_iter().find(|(name, _)| *name == "bid").expect("a bid").1;
    // 8000 bits each; both flows are one conversation, since they have the same ends. R stands at 16000 when both packets are served.
    assert_eq!([10, 11, 12, 13].map(bid), [8000.0, 16_000.0, 24_000.0, 32_000.0]);
}

#[test]
fn a_drop_has_its_reason_and_the_numbers_at_its_arrival() {
    let queue = r#"{"kind": "red", "buffer": "1pkt", "min_threshold": "5pkt", "max_threshold": "9pkt"}"#;
    let scenario = r#"{"kind": "cbr", "rate": "16kbit/s"}"#;
    // Three sources: one packet is on the line, one waits, and the third finds the buffer full.
    let mut data = serde_json::to_value(pair(queue)).expect("a scenario is plain data");
    let third = serde_json::json!({"name": "h", "from": "s", "to": "d", "control": "none",
        "workload": serde_json::from_str::<serde_json::Value>(scenario).expect("a workload")});
    data["flows"].as_array_mut().expect("a list").push(third);
    let scenario = Scenario::from_json(&data.to_string()).expect("a good scenario");
    let (tracks, ..) = tracked(&scenario, ALL);
    let all = rows(&tracks);
    let dropped: Vec<usize> = (0..all.len()).filter(|row| all[*row][6] > 0).collect();
    // It arrives at 50 ms, when the second one waits.
    let fates: Vec<[i64; 7]> = dropped.iter().map(|row| all[*row]).collect();
    assert_eq!(fates, (0..4).map(|k| [2, 2, k, 50 + 500 * k, 50 + 500 * k, -1, 1]).collect::<Vec<_>>());
    for row in dropped {
        let numbers = numbers(&tracks, row);
        assert_eq!(numbers[..3], [("held_packets", 1.0), ("held_bytes", 1000.0), ("buffer_packets", 1.0)]);
        let average = numbers.iter().find(|(name, _)| *name == "average_queue_packets").expect("an average").1;
        assert!(average > 0.0 && average < 1.0, "{average}");
    }
}

#[test]
fn no_more_are_kept_than_were_asked_for() {
    let scenario = pair(FCFS);
    for most in [0, 1, 3, 5, 6] {
        let (tracks, until, _) = tracked(&scenario, Window { most, ..ALL });
        let all = rows(&tracks);
        assert_eq!(all.len(), most);
        // The first one that is not followed arrives then. What is on the line then is seen to leave it.
        let due: Vec<[i64; 7]> = sorted((0..2).flat_map(due).collect());
        let ended = [0, 0, 40, 500, 530][[0, 1, 3, 5, 6].iter().position(|n| *n == most).expect("one of them")];
        assert_eq!(until, Some(ms(ended)), "{most}");
        let followed = due.into_iter().filter(|row| all.iter().any(|r| r[..4] == row[..4]));
        assert_eq!(all.iter().map(|r| r[3]).collect::<Vec<_>>(), followed.map(|r| r[3]).collect::<Vec<_>>());
    }
}

#[test]
fn a_window_has_what_is_there_at_its_beginning_and_what_comes_until_its_end() {
    let window = Window { from: ms(620), to: ms(1035), most: 1000 };
    let (tracks, until, _) = tracked(&pair(FCFS), window);
    // At 620 ms the second packet of 500 ms waits at the gateway; the first one is on the line. Those of 1000 ms arrive at the source's port, and the first
    // one at the gateway's; the second one, at 1040 ms, arrives too late.
    let [_, _, _, waiting] = due(1);
    let [a, b, c, _] = due(2);
    assert_eq!((rows(&tracks), until), (vec![a, b, waiting, c], Some(ms(1035))));
    // Each has the number that it has in the whole run; what arrived before the window has no numbers of the discipline.
    assert_eq!(column(&tracks.table(), "number"), [4., 5., 3., 4.]);
    assert_eq!([numbers(&tracks, 2).len(), numbers(&tracks, 3).len()], [0, 3]);
}

#[test]
fn what_waits_at_the_end_of_the_window_waits() {
    // The second packet waits at the gateway from 40 to 130 ms.
    let (tracks, until, _) = tracked(&pair(FCFS), Window { to: ms(60), ..ALL });
    assert_eq!(until, Some(ms(60)));
    let all = rows(&tracks);
    assert_eq!(all[..3], sorted(due(0).to_vec())[..3]);
    // The run ended with the first event after the window, which is the next arrival at the far end of a wire, at 180 ms.
    assert_eq!(all[3][..4], due(0)[3][..4]);
}

/// Both sources send at the rate of the slow line, so that its queue grows and overflows. With `back`, a third flow does the same the other way, where the
/// acknowledgements are.
fn crowded(back: bool) -> Scenario {
    let mut data =
        serde_json::to_value(pair(r#"{"kind": "fcfs", "buffer": "5pkt"}"#)).expect("a scenario is plain data");
    for flow in data["flows"].as_array_mut().expect("a list") {
        flow["workload"]["rate"] = "80kbit/s".into();
        flow["acknowledge"] = true.into();
    }
    if back {
        let mut back = data["flows"][0].clone();
        (back["name"], back["from"], back["to"]) = ("back".into(), "d".into(), "s".into());
        back["workload"]["rate"] = "160kbit/s".into();
        data["flows"].as_array_mut().expect("a list").push(back);
    }
    data["links"][1]["reverse_queue"] = serde_json::json!({"kind": "fcfs", "buffer": "5pkt"});
    Scenario::from_json(&data.to_string()).expect("a good scenario")
}

#[test]
fn what_a_packet_is_told_is_what_waits_when_it_comes() {
    let (tracks, ..) = tracked(&crowded(false), ALL);
    let [port, arrived, start, reason] = ["port", "arrived_s", "start_s", "reason"].map(|c| column(&tracks.table(), c));
    let mut most = 0;
    for i in (0..port.len()).filter(|i| port[*i] == 2.0) {
        // At one instant the next transmission starts first, then the packet arrives.
        let waits = |k: &usize| port[*k] == 2.0 && reason[*k] <= 0.0 && (start[*k].is_nan() || start[*k] > arrived[i]);
        let waiting = (0..i).filter(waits).count();
        assert_eq!(numbers(&tracks, i)[0], ("held_packets", waiting as f64), "at {}", arrived[i]);
        most = most.max(waiting);
    }
    assert_eq!(most, 5, "the buffer was full");
}

#[test]
fn acknowledgements_are_not_followed() {
    for to in [700, 1000, 1450] {
        let (tracks, ..) = tracked(&crowded(true), Window { to: ms(to), ..ALL });
        let all = rows(&tracks);
        // They take the ways back: those of the two flows that go there are not among the packets.
        assert!(all.iter().all(|row| (row[0] % 2 == 1) == (row[1] == 2)), "{to}: {all:?}");
        let dropped = |flow| all.iter().any(|row| row[1] == flow && row[6] > 0);
        assert!(dropped(0) || dropped(1), "{to}");
    }
}

#[test]
fn a_window_says_the_same_as_the_whole_run() {
    let columns = |tracks: &Tracks| {
        ["port", "number", "arrived_s", "start_s", "left_s", "reason"].map(|c| column(&tracks.table(), c))
    };
    let (whole, ..) = tracked(&crowded(true), ALL);
    let whole = columns(&whole);
    // No event is at these times.
    for to in (31..1900).step_by(70).map(|to| to as f64 + 0.0123) {
        let at = |ms: f64| Time::from_ps((ms * 1e9) as u64);
        let (tracks, ..) = tracked(&crowded(true), Window { from: at(to / 2.0), to: at(to), most: 1000 });
        let found = columns(&tracks);
        let last = |i: usize| if whole[3][i].is_nan() { f64::INFINITY } else { whole[3][i] };
        let due: Vec<usize> =
            (0..whole[0].len()).filter(|i| whole[2][*i] <= to / 1e3 && last(*i) >= to / 2e3).collect();
        assert_eq!(found[1], due.iter().map(|i| whole[1][*i]).collect::<Vec<_>>(), "{to}");
        for (row, i) in due.into_iter().enumerate() {
            // Of a packet that waits at the end of the window it is not known yet how it ends; nothing else waits.
            let waits = found[5][row] == -1.0 && last(i) > to / 1e3;
            let same = |of: usize| found[of][row].to_bits() == whole[of][i].to_bits();
            assert!(same(0) && same(1) && same(2) && (waits || (3..6).all(same)), "{to}: row {row}");
        }
    }
}

#[test]
fn a_packet_that_comes_at_the_end_of_the_window_is_followed() {
    // The second packet of each half second arrives at the gateway at 40 ms.
    let (tracks, ..) = tracked(&pair(FCFS), Window { to: ms(40), ..ALL });
    assert_eq!(rows(&tracks).len(), 4);
}

#[test]
fn a_packet_on_the_wire_has_its_own_end_of_transmission() {
    // Packets of 100 ms in transmission on a wire of 500 ms, whose delay becomes 1 ms while some are on it.
    let mut data = serde_json::to_value(pair(FCFS)).expect("a scenario is plain data");
    data["links"][1]["delay"] = "500ms".into();
    data["events"] = serde_json::json!([{"at": "700ms", "link": data["links"][1]["name"], "delay": "1ms"}]);
    let scenario = Scenario::from_json(&data.to_string()).expect("a good scenario");
    let (tracks, ..) = tracked(&scenario, ALL);
    let sent: Vec<[i64; 7]> = rows(&tracks).into_iter().filter(|row| row[0] == 2 && row[5] >= 0).collect();
    assert!(sent.len() >= 6 && sent.iter().all(|row| row[5] - row[4] == 100), "{sent:?}");
}

/// Both sources send a packet every 100 ms, which is what the slow line takes for one of the two. They arrive there at 30 and 40 ms of each 100 ms.
fn twice_the_rate(queue: &str) -> Scenario {
    let mut data = serde_json::to_value(pair(queue)).expect("a scenario is plain data");
    for flow in data["flows"].as_array_mut().expect("a list") {
        flow["workload"]["rate"] = "80kbit/s".into();
    }
    Scenario::from_json(&data.to_string()).expect("a good scenario")
}

/// The place of the row of a flow's packet at the slow line.
fn row_of(tracks: &Tracks, flow: i64, seq: i64) -> usize {
    rows(tracks).iter().position(|row| row[..3] == [2, flow, seq]).expect("it was there")
}

#[test]
fn a_drop_at_departure_has_its_time_and_the_numbers_of_the_departure() {
    const SOJOURN: f64 = 6.0;
    let scenario = twice_the_rate(r#"{"kind": "codel", "buffer": "unlimited"}"#);
    let (tracks, _, digest) = tracked(&scenario, ALL);
    let [arrival, departure] = ["arrival", "departure"].map(|name| column(&tracks.table(), name));
    // At 330 ms the second one of the first source's packet 1 leaves more than a packet behind for the first time, and an interval later packet 2 of the first
    // source is dropped, which arrived at 230 ms behind one other. Three wait then, and the next one is sent.
    let (dropped, next) = (row_of(&tracks, 0, 2), row_of(&tracks, 1, 2));
    assert_eq!(rows(&tracks)[dropped], [2, 0, 2, 230, 430, -1, 7]);
    assert_eq!((arrival[dropped], departure[dropped]), (0.0, 2.0 + SOJOURN));
    let [arrived, left] = decisions(&tracks, dropped);
    assert_eq!(arrived, [("held_packets", 1.0), ("held_bytes", 1000.0)]);
    let rounded = |numbers: Vec<(&'static str, f64)>| -> Vec<(&'static str, f64)> {
        numbers.into_iter().map(|(name, value)| (name, (value * 1e6).round() / 1e6)).collect()
    };
    let always = |sojourn: f64, waiting: f64| {
        let given = [("target", 0.005), ("interval", 0.1), ("left_behind", waiting), ("max_packet", 1500.0)];
        [("sojourn", sojourn)].into_iter().chain(given).collect::<Vec<_>>()
    };
    let facts = vec![("over_target", 1.0), ("short_queue", 0.0), ("over_interval", 1.0)];
    assert_eq!(rounded(left), [always(0.2, 3000.0), vec![("above_target", 0.1)], facts.clone()].concat());
    assert_eq!(rows(&tracks)[next], [2, 1, 2, 240, 430, 530, 0]);
    assert_eq!((arrival[next], departure[next]), (0.0, 0.0));
    let episode = vec![("signals", 1.0), ("next_signal", 0.1)];
    let due = [always(0.19, 2000.0), vec![("above_target", 0.1)], facts, episode].concat();
    assert_eq!(rounded(decisions(&tracks, next)[1].clone()), due);
    // At 530 ms the next one is due.
    assert_eq!(rows(&tracks)[row_of(&tracks, 0, 3)], [2, 0, 3, 330, 530, -1, 7]);
    // The last packet still waits.
    let waits = rows(&tracks).iter().rposition(|row| row[0] == 2 && row[6] == -1).expect("one waits");
    assert_eq!((arrival[waits], departure[waits], decisions(&tracks, waits)[1].len()), (0.0, -1.0, 0));
    let mut plain = Run::new(&scenario, 1, 0);
    while !plain.advance(7) {}
    assert_eq!(plain.digest().value(), digest, "who looks changes nothing");
}

#[test]
fn a_refused_packet_was_decided_about_as_it_arrived() {
    let (tracks, ..) = tracked(&twice_the_rate(r#"{"kind": "codel", "buffer": "1pkt"}"#), ALL);
    let [arrival, departure, reason] = ["arrival", "departure", "reason"].map(|name| column(&tracks.table(), name));
    let refused: Vec<usize> = (0..reason.len()).filter(|i| reason[*i] == 1.0).collect();
    assert!(refused.len() > 5);
    assert!(refused.into_iter().all(|i| (arrival[i], departure[i]) == (2.0, -1.0)));
    // A window has the numbers of the decisions that were taken in it: of what waits at its beginning those of the departure.
    let window = Window { from: ms(420), to: ms(440), most: 1000 };
    let (tracks, ..) = tracked(&twice_the_rate(r#"{"kind": "codel", "buffer": "unlimited"}"#), window);
    let [arrived, left] = decisions(&tracks, row_of(&tracks, 0, 2));
    // Six numbers and three facts.
    assert_eq!((arrived.len(), left.len()), (0, 9));
}

#[test]
fn a_mark_has_its_moment() {
    // Windows of many packets: marks by an AQM at departure, by one at arrival, and by a discipline, which does so at arrival.
    let red = r#"{"kind": "red", "mark": true, "min_threshold": "1pkt", "max_threshold": "3pkt", "weight": 0.5}"#;
    for (queue, at) in
        [(r#"{"kind": "codel", "mark": true}"#, "departure"), (red, "arrival"), (r#""decbit""#, "arrival")]
    {
        let mut data = serde_json::to_value(pair(queue)).expect("a scenario is plain data");
        data["duration"] = "20s".into();
        for flow in data["flows"].as_array_mut().expect("a list") {
            (flow["control"], flow["workload"]) = ("dctcp".into(), "ftp".into());
        }
        let (tracks, ..) = tracked(&Scenario::from_json(&data.to_string()).expect("a good scenario"), ALL);
        let [port, marked, reason] = ["port", "marked", "reason"].map(|name| column(&tracks.table(), name));
        let [arrival, departure] = ["arrival", "departure"].map(|name| column(&tracks.table(), name));
        let mut marks = 0;
        for i in (0..port.len()).filter(|i| port[*i] == 2.0 && reason[*i] == 0.0) {
            let due = if marked[i] == 0.0 {
                (0.0, 0.0)
            } else if at == "departure" {
                (0.0, 1.0)
            } else {
                (1.0, 0.0)
            };
            assert_eq!((arrival[i], departure[i]), due, "{queue}");
            marks += usize::from(marked[i] == 1.0);
        }
        assert!(marks > 3, "{queue}: {marks}");
    }
}
