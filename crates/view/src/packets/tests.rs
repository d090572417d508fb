//! Packets as they are listed, and the parts of a run in which they are followed.

use super::story::{Setting, story};
use super::*;
use crate::view::{Line, View};
use headgate_queue::{DropReason, Moment, Number};
use headgate_sim::{Cells, Table};
use serde_json::{Value, json};
use std::sync::Arc;

const NAN: f64 = f64::NAN;

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// One packet at port 0 and five at port 1, of which the second is evicted for the fourth at 3 s, the third leaves before the first, and the fifth is the
/// copy of the second and waits at the end.
fn table() -> Table {
    let evicted = 1 + DropReason::Evicted as i64;
    vec![
        ("port", Cells::Int(vec![0, 1, 1, 1, 1, 1])),
        ("number", Cells::Int(vec![0, 7, 8, 9, 10, 11])),
        ("flow", Cells::Int(vec![0, 0, 0, 1, 4, 0])),
        ("seq", Cells::Int(vec![0, 0, 1, 0, 0, 1])),
        ("arrived_s", Cells::Float(vec![0.0, 1.0, 1.5, 2.0, 3.0, 4.0])),
        ("start_s", Cells::Float(vec![0.0, 2.75, 3.0, 2.5, 3.5, NAN])),
        ("left_s", Cells::Float(vec![1.0, 3.25, NAN, 2.75, 4.0, NAN])),
        ("bytes", Cells::Int(vec![100, 200, 300, 400, 500, 300])),
        ("marked", Cells::Int(vec![0, 1, 0, 0, 0, 0])),
        ("reason", Cells::Int(vec![0, 0, evicted, 0, 0, -1])),
        ("arrival", Cells::Int(vec![0, 1, 0, 0, 0, 0])),
        ("departure", Cells::Int(vec![0, 0, -1, 0, 1, -1])),
        ("shape", Cells::Int(vec![0, 1, 1, 1, 0, 0])),
        ("departure_shape", Cells::Int(vec![0, 0, 0, 2, 0, 0])),
        ("first", Cells::Int(vec![0, 0, 2, 4, 7, 7])),
    ]
}

fn part() -> Part {
    let shapes = vec![vec![], vec![Number::HeldPackets, Number::Bid], vec![Number::Sojourn]];
    Part::from_columns(table(), vec![0.0, 900.0, 1.0, 950.0, 2.0, 800.0, 0.5], shapes, 0.0, 5.0).expect("it is whole")
}

fn names<'a>(ports: &'a [String], flows: &'a [String]) -> Names<'a> {
    Names { ports, flows }
}

#[test]
fn packets_are_listed_by_arrival_or_by_drop_up_to_a_limit() {
    let (part, flows) = (part(), texts(&["a", "b"]));
    let (port, names) = (part.at(1), names(&[], &flows));
    let choice = Choice { span: (0.0, 9.0), flow: None, drops: false, limit: 2 };
    let list = |choice: Choice<'_>| listed(&port, &names, part.span(), &choice).expect("all names are known");
    let ids = |found: &Value| -> Vec<Value> {
        found["packets"].as_array().into_iter().flatten().map(|packet| packet["id"].clone()).collect()
    };
    let found = list(choice);
    let first = json!({ "id": 7, "flow": "a", "seq": 0, "arrived": 1.0, "started": 2.75, "left": 3.25, "dropped": null,
        "reason": null, "bytes": 200, "marked": true });
    assert_eq!((&found["packets"][0], &found["more"]), (&first, &json!(true)));
    assert_eq!((ids(&found), &found["followed"]), (vec![json!(7), json!(8)], &json!({ "from": 0.0, "to": 5.0 })));
    // The drop at 3 s is within the span, the arrival of that packet is not.
    let found = list(Choice { span: (2.5, 3.0), drops: true, ..choice });
    assert_eq!((ids(&found), &found["packets"][0]["dropped"]), (vec![json!(8)], &json!(3.0)));
    assert_eq!((&found["packets"][0]["reason"], &found["more"]), (&json!("evicted"), &json!(false)));
    let found = list(Choice { span: (0.0, 3.5), flow: Some("b"), limit: 9, ..choice });
    assert_eq!(ids(&found), [9]);
    // One that waits was neither sent nor dropped, a flow of a workload has a number alone, and a limit of 0 is 1.
    let found = list(Choice { span: (3.0, 9.0), limit: 9, ..choice });
    assert_eq!(found["packets"][0]["flow"], "flow 4");
    let waits = &found["packets"][1];
    assert!(["started", "left", "dropped", "reason"].iter().all(|key| waits[key].is_null()), "{waits}");
    assert_eq!(ids(&list(Choice { limit: 0, ..choice })).len(), 1);
    let e = listed(&port, &names, part.span(), &Choice { flow: Some("c"), ..choice }).unwrap_err();
    assert_eq!(e.message, "flow 'c'; expected one of a, b");
}

#[test]
fn what_waits_at_a_time_is_counted_by_flow() {
    let (part, ports, flows) = (part(), texts(&["in", "slow"]), texts(&["a", "b"]));
    let all: Vec<_> = (0..2).map(|port| (port, part.at(port))).collect();
    let at = |time| queues(&all, &names(&ports, &flows), time, part.span());
    let due = json!({ "queues": [{ "port": "in", "packets": 0, "by_flow": [] },
        { "port": "slow", "packets": 3, "by_flow": [{ "flow": "a", "packets": 2 }, { "flow": "b", "packets": 1 }] }],
        "until": 5.0, "followed": { "from": 0.0, "to": 5.0 } });
    assert_eq!(at(2.0), due);
    // What has no end waits until the end.
    assert_eq!(at(5.0)["queues"][1]["by_flow"], json!([{ "flow": "a", "packets": 1 }]));
    assert!(part.at(7).is_empty());
}

#[test]
fn decisions_have_the_numbers_of_their_moment() {
    let part = part();
    let port = part.at(1);
    assert_eq!(port.numbers(2).collect::<Vec<_>>(), [(Number::HeldPackets, 2.0), (Number::Bid, 800.0)]);
    assert_eq!(port.leaving(2).collect::<Vec<_>>(), [(Number::Sojourn, 0.5)]);
    let taken = |i| -> Vec<_> { port.taken(i).iter().map(|t| (t.moment, t.at, t.decision)).collect() };
    assert_eq!(taken(0), [(Moment::Arrival, 1.0, "marked"), (Moment::Departure, 2.75, "sent")]);
    assert_eq!(taken(1), [(Moment::Arrival, 1.5, "queued")]);
    assert_eq!(taken(3)[1], (Moment::Departure, 3.5, "marked"));
    assert_eq!([port.place(10), port.place(6), port.place(12)], [Some(3), None, None]);
    // Without the columns of decisions nothing is known of them.
    let bare: Table = table().into_iter().take(10).collect();
    let bare = Part::from_columns(bare, vec![], vec![], 0.0, 5.0).expect("it is whole");
    assert!(bare.at(1).taken(0).is_empty() && bare.at(1).numbers(0).next().is_none());
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    for cut in 0..table().len() {
        let mut wrong = table();
        if let (_, Cells::Int(column)) = &mut wrong[cut] {
            column.pop();
        } else {
            wrong.remove(cut);
        }
        let found = Part::from_columns(wrong, vec![], vec![], 0.0, 5.0);
        assert!(found.is_err_and(|e| e.message.starts_with("packets: found columns of")), "column {cut}");
    }
    // Numbers that are nowhere are none.
    let lost = Part::from_columns(table(), vec![], vec![], 0.0, 5.0).expect("it is whole");
    assert!(lost.at(1).numbers(0).chain(lost.at(1).leaving(2)).next().is_none());
}

#[test]
fn the_last_parts_are_kept_and_one_that_covers_the_time_is_found_again() {
    let mut parts = Parts::default();
    let of = |start: f64, until: f64| {
        let mut of = part();
        (of.start, of.until) = (start, until);
        Arc::new(of)
    };
    let most = 2 * part().size();
    assert_eq!((parts.kept(1.0).is_none(), parts.size()), (true, 0));
    assert!(parts.keep(of(0.0, 8.0), 20.0, 0, most).is_none());
    assert_eq!([parts.start(20.0, 1), parts.start(7.0, 1)], [18.0, 4.0]);
    assert!(parts.keep(of(18.0, 22.0), 20.0, 1, most).is_some());
    // The second part was shorter: so is the step.
    assert_eq!(parts.start(20.5, 1), 19.0);
    assert_eq!(parts.kept(5.0).map(|part| part.start), Some(0.0));
    assert!(parts.keep(of(30.0, 30.0), 31.0, 1, most).is_none());
    // That from 18 s was used first: it is gone. The last try is taken whatever it covers.
    assert_eq!((parts.len(), parts.kept(20.0).is_none(), parts.size()), (2, true, most));
    assert!(parts.keep(of(31.0, 30.5), 31.0, TRIES - 1, 0).is_some());
    assert_eq!((parts.len(), parts.start(40.0, 0)), (1, 40.0));
}

fn told(kind: &str, number: i64) -> Result<Value, crate::Fault> {
    let (part, ports, flows, queue) =
        (part(), texts(&["in", "slow"]), texts(&["a", "b"]), json!({ "kind": kind, "buffer": "3pkt" }));
    let names = names(&ports, &flows);
    let of = Setting {
        names,
        port: "slow",
        queue: &queue,
        part: (0.0, 5.0),
        until: 9.0,
        window: None,
        rtt_ms: &[],
        is_replay: false,
    };
    story(&of, &part.at(1), number)
}

#[test]
fn a_story_says_what_waited_what_was_decided_and_what_followed() {
    let way = told("fq_preemptive", 8).expect("it is there");
    assert_eq!(way["waited_behind"], json!([{ "flow": "a", "packets": 1 }]));
    let due = [
        "Packet 1 of a, 300 bytes, arrived at slow at 1.500000 s; 1 packet waited there, 1 of them of a.",
        "It waited 1.5 s and was dropped at 3.000000 s (evicted), to make room for packet 0 of flow 4, which arrived then.",
        "The sender sent it again: the copy arrived at 4.000000 s, 1 s later.",
    ];
    assert_eq!(way["story"], json!(due));
    let rule = way["decision"]["rule"].as_str().unwrap_or_default();
    assert!(
        rule.starts_with(
            "The packet waited in the queue and was dropped to make room for another one. fq_preemptive: "
        ),
        "{rule}"
    );
    let held = &way["decision"]["taken"][0]["numbers"][0];
    assert_eq!((&held["name"], &held["value"]), (&json!("held"), &json!(1.0)));
    // The third one has a smaller bid and leaves before the first, which has none of its own flow in its way.
    let story = told("fq_preemptive", 7).expect("it is there")["story"].clone();
    assert_eq!(story[2], "Its transmission began at 2.750000 s, after a wait of 1.75 s, and ended at 3.250000 s.");
    assert_eq!(story[3], "Its bid was 900 bits; 1 packet of other flows had smaller ones and left before it.");
    assert_eq!(story[4], "1 packet that arrived after it left before it.");
    let story = told("fcfs", 9).expect("it is there")["story"].clone();
    assert_eq!(story[2], "2 packets that waited when it arrived left after it.");
    // Without numbers of a decision there are those of the port.
    let way = told("fcfs", 11).expect("it is there");
    let shown: Vec<&Value> = way["decision"]["numbers"].as_array().into_iter().flatten().map(|n| &n["name"]).collect();
    assert_eq!(shown, ["waited when it arrived", "buffer"]);
    assert_eq!(way["story"][1], "It still waited when the part that is followed ended, at 5.000000 s.");
    let e = told("fcfs", 99).unwrap_err();
    assert_eq!(e.message, "packet 99; expected one that arrived at slow from 0 to 5 s");
}

#[test]
fn a_fall_of_the_window_is_put_down_to_a_packet_only_where_its_fate_can_be_known() {
    let line = Line::new("f", Some("f"), vec![0.0, 1.0, 1.09, 1.5], vec![1.0, 20.0, 10.0, 11.0]);
    let window = View { lines: vec![line], ..View::new("window", "Window", "packets") };
    let (ports, flows, queue, rtt_ms) = (texts(&["slow"]), texts(&["f"]), json!({}), [("f".to_owned(), Some(100.0))]);
    let names = names(&ports, &flows);
    let of = Setting {
        names,
        port: "slow",
        queue: &queue,
        part: (0.0, 5.0),
        until: 5.0,
        window: Some(&window),
        rtt_ms: &rtt_ms,
        is_replay: false,
    };
    for (since, due) in [
        (
            1.0,
            "began to fall at 1.090000 s, 90 ms later, which is 0.9 round trips: from 20.0 packets to 10.0 within another one.",
        ),
        (1.08, "was falling already"),
        (2.0, "did not fall within 4 round trips of 100 ms"),
    ] {
        let found = super::after::window_fell(&of, "f", since).expect("it has a window");
        assert!(found.contains(due), "{found}");
    }
    assert_eq!(super::after::window_fell(&of, "g", 1.0), None);
    assert_eq!(super::after::window_fell(&Setting { rtt_ms: &[("f".to_owned(), None)], ..of }, "f", 1.0), None);
}
