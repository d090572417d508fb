//! Buffers as times and as multiples of the bandwidth-delay product.

use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// Hosts a and b at gateways g and h with 5 ms between, and c and d with 20 ms to their gateways; flows from a to b and from c to d.
fn network(line: Value) -> Value {
    let mut slow = json!({"name": "slow", "from": "g", "to": "h", "rate": "8Mbit/s", "delay": "5ms"});
    slow.as_object_mut().expect("a table").extend(line.as_object().expect("a table").clone());
    let access = |name: &str, gateway: &str, delay: &str| json!({"from": name, "to": gateway, "rate": "1Gbit/s", "delay": delay});
    json!({
        "duration": "1s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}, {"name": "c", "kind": "host"}, {"name": "d", "kind": "host"},
                  {"name": "g"}, {"name": "h"}],
        "links": [slow, access("a", "g", "1ms"), access("b", "h", "0s"), access("c", "g", "20ms"), access("d", "h", "20ms")],
        "flows": [{"name": "short", "from": "a", "to": "b"}, {"name": "long", "from": "c", "to": "d"}],
    })
}

fn resolved(value: &Value) -> Result<Scenario, String> {
    let s = Scenario::from_json(&value.to_string()).map_err(|e| e.to_string())?;
    let again = Scenario::from_json(&headgate_sim::spec_json(&s)).expect("resolves");
    assert_eq!(s, again, "to itself");
    Ok(s)
}

/// The buffers of both ports of the line, and its round-trip time.
fn buffers(line: Value) -> (String, String, Option<String>) {
    let s = resolved(&network(line)).expect("a good scenario");
    let link = &s.links[0];
    let text = |queue: &headgate_queue::Spec| {
        serde_json::to_value(queue).expect("plain data")["buffer"].as_str().expect("text").to_owned()
    };
    let reverse = link.reverse_queue.as_ref().unwrap_or(&link.queue);
    (text(&link.queue), text(reverse), link.rtt.map(|rtt| rtt.to_string()))
}

#[test]
fn a_time_is_what_the_line_sends_in_it() {
    let fcfs = |buffer: &str| json!({"queue": {"kind": "fcfs", "buffer": buffer}});
    let both = |bytes: &str, rtt: Option<&str>| (bytes.to_owned(), bytes.to_owned(), rtt.map(str::to_owned));
    assert_eq!(buffers(fcfs("50ms")), both("50KB", None));
    assert_eq!(buffers(fcfs("60KB")), both("60KB", None));
    // The longer flow, 20 + 5 + 20 ms there and back.
    assert_eq!(buffers(fcfs("1.5BDP")), both("135KB", Some("90ms")));
    let mut given = fcfs("1.5BDP");
    given["rtt"] = json!("40ms");
    assert_eq!(buffers(given), both("60KB", Some("40ms")));
    // Each direction by its rate, the delays of both by the round trip.
    let line = json!({"queue": {"kind": "drr", "buffer": "2BDP"}, "rate": {"forward": "8Mbit/s", "reverse": "800kbit/s"},
                      "delay": {"forward": "5ms", "reverse": "15ms"}});
    assert_eq!(buffers(line), ("200KB".to_owned(), "20KB".to_owned(), Some("100ms".to_owned())));
    let line = json!({"queue": {"kind": "fq", "buffer": "20ms"}, "reverse_queue": {"kind": "fcfs", "buffer": "3pkt"}});
    assert_eq!(buffers(line), ("20KB".to_owned(), "3pkt".to_owned(), None));
    // A trace has its mean.
    let mut line = fcfs("100ms");
    line["rate"] = json!({"kind": "steps", "steps": [["0s", "8Mbit/s"], ["1s", "0bit/s"]], "period": "2s"});
    assert_eq!(buffers(line), both("50KB", None));
}

#[test]
fn the_round_trip_is_that_of_the_way_taken() {
    let mut value = network(json!({"queue": {"kind": "fcfs", "buffer": "1BDP"}}));
    // The long flow runs in the other direction, and crosses with its data on the way back.
    (value["flows"][1]["from"], value["flows"][1]["to"]) = (json!("d"), json!("c"));
    value["flows"][1]["via"] = json!(["h", "g"]);
    assert_eq!(resolved(&value).expect("good").links[0].rtt.expect("known").to_string(), "90ms");
    // Without it, the short one: 1 + 5 + 0 ms there and back.
    value["flows"].as_array_mut().expect("a list").pop();
    assert_eq!(resolved(&value).expect("good").links[0].rtt.expect("known").to_string(), "12ms");
}

#[test]
fn what_cannot_be_resolved_names_its_place() {
    let error = |line: Value, change: &dyn Fn(&mut Value)| {
        let mut value = network(line);
        change(&mut value);
        resolved(&value).expect_err("something is wrong")
    };
    let bdp = || json!({"queue": {"kind": "fcfs", "buffer": "1BDP"}});
    let none = |_: &mut Value| {};
    let text = error(bdp(), &|value| value["routing"] = json!("ecmp"));
    assert!(text.starts_with("links[0].rtt: expected a time") && text.contains("several paths"), "{text}");
    let text = error(bdp(), &|value| {
        value["links"]
            .as_array_mut()
            .expect("a list")
            .push(json!({"name": "x", "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "1ms",
            "queue": {"kind": "fcfs", "buffer": "2BDP"}}));
        (value["flows"][0]["from"], value["flows"][0]["to"]) = (json!("c"), json!("d"));
    });
    assert!(text.starts_with("links[5].rtt: expected a time") && text.contains("no flow crosses"), "{text}");
    let mut line = bdp();
    line["rtt"] = json!("0s");
    assert!(error(line, &none).starts_with("links[0].rtt: found 0ps; expected a time above zero"));
    for (buffer, part) in [
        ("0ms", "at least one packet or byte"),
        ("-1ms", "a time such as \"50ms\""),
        ("1 BPD", "1.5BDP"),
        ("0.0001BDP", "finer than one 0.001BDP"),
        ("99999999999999999999BDP", "too large"),
        ("1ps", "expected at least one packet of flow"),
        ("50", "a time such as"),
    ] {
        let text = error(json!({"queue": {"kind": "fcfs", "buffer": buffer}}), &none);
        assert!(text.starts_with("links[0].queue.buffer: ") && text.contains(part), "{buffer}: {text}");
    }
    // A flow without a way is what is wrong, not the link.
    let text = error(bdp(), &|value| value["links"].as_array_mut().expect("a list").truncate(3));
    assert!(text.starts_with("flows[1].to: "), "{text}");
}
