//! s2n-quic-core's CUBIC (RFC 8312), driven by events on the standard input; answers as `headgate control --stdio` does.
//!
//! It reduces its window again for a packet that was sent before the reduction and is declared lost after a later one was acknowledged. RFC 9002,
//! section 7.3.2, wants one reduction, so such losses are only taken out of its flight.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use s2n_quic_core::event::testing::Publisher;
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::path;
use s2n_quic_core::random::testing::Generator;
use s2n_quic_core::recovery::congestion_controller::PathPublisher;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use serde_json::{json, Value};

const SIZE: u16 = 1200;

fn main() -> io::Result<()> {
    assert_eq!(std::env::args().nth(1).as_deref(), Some("cubic"), "expected cubic");
    let mut events = Publisher::no_snapshot();
    let mut publisher = PathPublisher::new(&mut events, path::Id::test_id());
    let mut control = CubicCongestionController::new(SIZE, Default::default());
    let mut rtt = RttEstimator::new(Duration::from_millis(333));
    let mut random = Generator::default();
    let mut sent: BTreeMap<u64, Timestamp> = BTreeMap::new();
    let (mut next, mut limited) = (0, true);
    let mut reduced = None;
    // Its clock must not stand at 0.
    let start = NoopClock.get_time() + Duration::from_secs(1);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let event: Value = serde_json::from_str(&line?)?;
        let t = event["t"].as_u64().expect("a time");
        let now = start + Duration::from_nanos(t);
        match event["ev"].as_str().expect("an event") {
            "sent" => {
                control.on_packet_sent(now, SIZE.into(), Some(!limited), &rtt, &mut publisher);
                sent.insert(next, now);
                next += 1;
            }
            "ack" => {
                limited = event["limited"].as_bool().unwrap_or(true);
                let at = sent.remove(&event["pn"].as_u64().expect("a number")).expect("a packet in flight");
                let sample = Duration::from_nanos(event["rtt"].as_u64().expect("a round trip"));
                rtt.update_rtt(Duration::ZERO, sample, now, true, PacketNumberSpace::ApplicationData);
                control.on_rtt_update(at, now, &rtt, &mut publisher);
                control.on_ack(at, SIZE.into(), (), &rtt, &mut random, now, &mut publisher);
            }
            "loss" => {
                for _ in 0..event["n"].as_u64().unwrap_or(1) {
                    let (_, at) = sent.pop_first().expect("a packet in flight");
                    if reduced.is_some_and(|reduced| at <= reduced) {
                        control.on_packet_discarded(SIZE.into(), &mut publisher);
                    } else {
                        control.on_packet_lost(SIZE.into(), (), false, false, &mut random, now, &mut publisher);
                        reduced = Some(now);
                    }
                }
            }
            other => panic!("expected sent, ack or loss, not {other}"),
        }
        writeln!(out, "{}", json!({"t": t, "cwnd": f64::from(control.congestion_window()) / f64::from(SIZE)}))?;
    }
    Ok(())
}
