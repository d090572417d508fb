//! The example captures of the repository.

use crate::common;

use common::*;
use headgate_capture::{Classify, endpoints};
use std::collections::BTreeMap;
use std::path::Path;

fn example(name: &str) -> Vec<Kept> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
    read_good(&std::fs::read(path).unwrap())
}

#[test]
fn bulk_and_sparse() {
    let packets = example("bulk-and-sparse.pcap");
    let mut flows: BTreeMap<String, (u32, u64, u8)> = BTreeMap::new();
    for p in &packets {
        let e = endpoints(&p.frame()).unwrap();
        let flow = flows.entry(e.key(Classify::Flow).to_string()).or_default();
        *flow = (flow.0 + 1, flow.1 + u64::from(p.bytes), e.ecn());
    }
    let expected = [
        ("10.0.0.1:5001 > 10.0.0.3:80 tcp".to_owned(), (200, 200 * 1514, 2)),
        ("10.0.0.2:5004 > 10.0.0.3:5004 udp".to_owned(), (25, 25 * 214, 0)),
    ];
    assert_eq!(flows, BTreeMap::from(expected));
    assert!(packets.is_sorted_by_key(|p| p.ns));
    assert!(packets.iter().all(|p| p.captured.len() == 64));

    let later: Vec<Kept> = packets.into_iter().map(|p| Kept { ns: p.ns + 250, ..p }).collect();
    assert_eq!(example("bulk-and-sparse.pcapng"), later);
}
