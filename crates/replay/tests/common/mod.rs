//! Replays, and the files that they read and write.
#[path = "../../../packet/tests/common/cases.rs"]
pub mod cases;

use headgate_replay::table::{Columns, Times};
use headgate_replay::{Options, Replay, ReplayError};
use std::path::PathBuf;

/// A folder that is removed with its owner.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("headgate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    /// A file in it.
    pub fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A replay through these disciplines.
pub fn replay_of(rate: &str, queue: &str, more: &str) -> Replay {
    let options = format!(r#"{{"rate": "{rate}", "queues": [{queue}]{more}}}"#);
    Replay::new(&Options::from_json(&options).expect("options"))
}

/// Replays what is left.
pub fn finish(replay: &mut Replay) -> Result<(), ReplayError> {
    while replay.finish(1)? {}
    Ok(())
}

/// A table of packets at whole seconds: (second, flow, bytes).
pub fn seconds(packets: &[(i64, i32, i64)]) -> Columns {
    Columns {
        times: Times::Ticks(packets.iter().map(|p| p.0).collect(), 1_000_000_000_000),
        flows: packets.iter().map(|p| p.1).collect(),
        names: ["a", "b", "c"].map(String::from).to_vec(),
        sizes: packets.iter().map(|p| p.2).collect(),
        weights: None,
        priorities: None,
        ecn: None,
        sources: None,
        destinations: None,
    }
}

/// A pcap of raw IPv4 packets of 28 bytes and this payload: (microsecond, last byte of the source, bytes of payload).
pub fn pcap(packets: &[(u32, u8, u32)]) -> Vec<u8> {
    let mut out = [0xa1b2_c3d4u32, 2 << 16 | 4, 0, 0, 65535, 101].map(u32::to_be_bytes).concat();
    for &(us, source, payload) in packets {
        out.extend([us / 1_000_000, us % 1_000_000, 28, 28 + payload].map(u32::to_be_bytes).concat());
        // ECT(0), UDP from port 1 to port 2.
        out.extend([0x45, 2, 0, 28 + payload as u8, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, source, 10, 0, 0, 9]);
        out.extend([0, 1, 0, 2, 0, 8 + payload as u8, 0, 0]);
    }
    out
}
