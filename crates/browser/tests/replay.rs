//! Replays of a file that is handed over as bytes.

use headgate_browser::{BEGUN, MORE, OK, Session};
use serde_json::{Value, json};

/// A capture in pcap: packets in UDP over IPv4 and Ethernet, with the second of their arrival, the port of their sender and their length on the wire.
fn pcap(packets: &[(f64, u16, u32)]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    for (at, port, length) in packets {
        let (whole, part) = (at.trunc() as u32, (at.fract() * 1e6).round() as u32);
        for word in [whole, part, 42, *length] {
            file.extend(word.to_le_bytes());
        }
        file.extend([[2; 6], [4; 6]].as_flattened());
        file.extend(0x0800_u16.to_be_bytes());
        let inner = *length as u16 - 14;
        file.extend([0x45, 0]);
        file.extend(inner.to_be_bytes());
        file.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        for half in [*port, 9, inner - 20, 0] {
            file.extend(half.to_be_bytes());
        }
    }
    file
}

/// One packet of two flows in turn each half of a millisecond, 1250 bytes each.
fn two(packets: usize) -> Vec<u8> {
    let each = |i: usize| (0.0005 * i as f64, 1000 + i as u16 % 2, 1250);
    pcap(&(0..packets).map(each).collect::<Vec<_>>())
}

fn ask(session: &mut Session, request: &Value) -> (u32, Value) {
    let reply = session.ask(request.to_string().as_bytes());
    (reply.status, serde_json::from_str(&reply.text).expect("a reply is JSON"))
}

/// The last line of some work, in pieces of some packets; its progress rises while the same is done.
fn done(session: &mut Session, request: &Value, packets: u32) -> Value {
    let (status, work) = ask(session, request);
    assert_eq!(status, BEGUN, "{work}");
    for piece in 0.. {
        let reply = session.step(work.as_u64().expect("a number") as u32, packets, 0.1 * f64::from(piece));
        if reply.status != MORE {
            assert_eq!(reply.status, OK);
            return serde_json::from_str(&reply.text).expect("a line is JSON");
        }
        assert!(piece < 100_000, "{}", reply.text);
    }
    unreachable!("work ends")
}

fn open(session: &mut Session, name: &str, bytes: &[u8]) -> Value {
    session.file(bytes.len()).expect("there is room").copy_from_slice(bytes);
    done(session, &json!({ "path": "/api/replay/open", "body": { "name": name } }), 1000)
}

fn message(found: &Value) -> &str {
    found["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_capture_is_replayed_with_the_waits_of_its_line() {
    let mut session = Session::default();
    let begun = open(&mut session, "two.pcap", &two(100))["done"].take();
    let settings = &begun["scenario"];
    assert_eq!(
        (&settings["replay"], &settings["classify"], &settings["queue"]["kind"]),
        (&json!("two.pcap"), &json!("5tuple"), &json!("fcfs"))
    );
    assert_eq!(begun["chosen"].as_array().map(Vec::len), Some(2));
    let mut given = settings.clone();
    (given["rate"], given["queue"]["buffer"]) = (json!("10Mbit/s"), json!("1MB"));
    let request = json!({ "path": "/api/run", "body": { "scenario": given, "seed": null } });
    let run = done(&mut session, &request, 7)["done"].take();
    // A packet takes 1 ms on the line, and one comes each half of that: packet i, from 0, waits i / 2 ms.
    let mean = run["delay_under_load_ms"].as_f64().expect("a number");
    assert!((mean - 0.25 * 99.0).abs() < 1e-9, "{mean}");
    assert_eq!((&run["kind"], &run["packets"], &run["until"]), (&json!("replay"), &json!(100), &json!(0.1)));
    // The pieces of the work make no difference.
    assert_eq!(done(&mut session, &request, 1_000_000)["done"]["digest"], run["digest"]);
    let name = run["run"].as_str().expect("a name");
    assert!(name.starts_with("replay-"), "{name}");
    let query = json!({ "view": "backlog", "from": "0", "to": "0.1", "width": "50" });
    let series = ask(&mut session, &json!({ "path": format!("/api/run/{name}/series"), "query": query })).1;
    assert_eq!(series["series"].as_array().map(Vec::len), Some(2));
    // Flows by source are one flow, and the file is read again for that.
    let body = json!({ "scenario": given, "path": "classify", "value": "source" });
    let turned = ask(&mut session, &json!({ "path": "/api/set", "body": body })).1;
    assert!(turned["controls"].as_array().is_some_and(|all| all.iter().any(|control| control["path"] == "classify")));
    let request = json!({ "path": "/api/run", "body": { "scenario": turned["scenario"], "seed": 5 } });
    let run = done(&mut session, &request, 1000)["done"].take();
    assert_eq!((run["flows"].as_array().map(Vec::len), &run["seed"]), (Some(1), &json!(5)));
}

#[test]
fn what_is_no_capture_is_refused_with_what_was_expected() {
    for (name, bytes, words) in [
        ("a.png", &b"\x89PNG\r\n\x1a\n\0\0\0\0"[..], "Expected a capture in pcap or pcapng format, or a table in CSV."),
        ("a.zip", b"PK\x03\x04....", "zip archive"),
        ("a.parquet", b"PAR1....", "found Parquet; expected a capture in pcap or pcapng format, or a table in CSV"),
        ("a.pcap", &two(3)[..24], "holds no packets; expected at least one"),
        ("a.pcap", b"nothing of it", "expected"),
        ("a.csv", b"time_s,flow\n1,a\n", "size_bytes"),
    ] {
        let mut session = Session::default();
        session.file(bytes.len()).expect("there is room").copy_from_slice(bytes);
        let (status, mut found) = ask(&mut session, &json!({ "path": "/api/replay/open", "body": { "name": name } }));
        if status == BEGUN {
            let work = found.as_u64().expect("a number") as u32;
            found = (0..9)
                .map(|_| session.step(work, 1000, 0.0))
                .find(|reply| reply.status == OK)
                .map_or(Value::Null, |reply| serde_json::from_str(&reply.text).expect("a line is JSON"));
        }
        assert!(message(&found).starts_with(&format!("{name}: ")) && message(&found).contains(words), "{found}");
    }
}

#[test]
fn a_file_that_is_too_long_or_missing_is_refused() {
    let mut session = Session::default();
    assert!(session.file(500_000_001).is_none());
    let request = json!({ "path": "/api/replay/open", "body": { "name": "long.pcap" } });
    let (status, found) = ask(&mut session, &request);
    assert_eq!((status, message(&found)), (413, "long.pcap: expected a file that is not empty, and of at most 500 MB"));
    // A link holds settings, and no trace.
    let given = json!({ "replay": "x.pcap", "rate": "1Mbit/s", "queue": { "kind": "fcfs" } });
    for path in ["/api/controls", "/api/run", "/api/set"] {
        let body = json!({ "scenario": given, "path": "rate", "value": 1 });
        let (status, found) = ask(&mut session, &json!({ "path": path, "body": body }));
        assert_eq!(status, 422, "{path}: {found}");
        assert!(message(&found).contains("a link does not hold the trace"), "{path}: {found}");
    }
    // A new file takes the place of the one before, whatever becomes of it.
    open(&mut session, "two.pcap", &two(4));
    assert!(session.file(500_000_001).is_none());
    let (status, _) = ask(&mut session, &json!({ "path": "/api/controls", "body": { "scenario": given } }));
    assert_eq!(status, 422);
}

#[test]
fn a_long_replay_shows_its_first_part() {
    let mut session = Session::default();
    let mut given = open(&mut session, "two.pcap", &two(150_000))["done"]["scenario"].take();
    given["rate"] = json!("30Mbit/s");
    let (status, work) = ask(&mut session, &json!({ "path": "/api/run", "body": { "scenario": given } }));
    assert_eq!(status, BEGUN, "{work}");
    let mut parts = Vec::new();
    for piece in 0..1000 {
        let reply = session.step(work.as_u64().expect("a number") as u32, 10_000, 0.1 * f64::from(piece));
        parts.push(serde_json::from_str::<Value>(&reply.text).expect("a line is JSON"));
        if reply.status != MORE {
            break;
        }
    }
    let first = parts.iter().find_map(|line| line.get("preview")).expect("a first part");
    let whole = &parts.last().expect("a line")["done"];
    assert!(first["until"].as_f64() < whole["until"].as_f64(), "{}", first["until"]);
    assert_eq!(whole["packets"], json!(150_000));
}
